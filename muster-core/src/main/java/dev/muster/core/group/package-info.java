/**
 * The rules of a consumer group: ownership of partitions, commits, and the effects of members that join, leave or fall
 * silent.
 *
 * <p>Start at {@link dev.muster.core.group.Group}. The one rule: state changes only by {@code apply} of an
 * {@link dev.muster.core.group.command.Event}, at run time and at recovery alike. The state holds no clock reading that
 * a decision could use.
 */
package dev.muster.core.group;
