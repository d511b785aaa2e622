/** Values of a group's rules: members, subscriptions, offsets, generations. They are immutable and decide nothing. */
package dev.muster.core.group.model;
