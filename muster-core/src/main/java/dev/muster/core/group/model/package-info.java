/**
 * Values that the rules of a group are written in: members, subscriptions, offsets, generations. Immutable; no rule is
 * decided here.
 */
package dev.muster.core.group.model;
