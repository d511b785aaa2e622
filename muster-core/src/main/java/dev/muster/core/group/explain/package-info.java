/** Explanations for people of the owner of a partition. */
package dev.muster.core.group.explain;
