/**
 * The rules of a consumer group: who owns which partition, what may be committed, what happens when members come, go
 * and fall silent.
 *
 * <p>Start at {@link dev.muster.core.group.Group}. The one rule: state changes only by {@code apply} of an
 * {@link dev.muster.core.group.command.Event}, at run time and at recovery alike, and holds no clock reading that a
 * decision could look at.
 */
package dev.muster.core.group;
