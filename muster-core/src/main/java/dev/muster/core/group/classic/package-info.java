/**
 * The classic rules of Kafka's consumer groups, for members at the far end of a connection that make the assignment
 * themselves. Joins meet at a barrier, one of the members leads and assigns, and the assignment is passed on as bytes
 * that the group does not read.
 *
 * <p>Start at {@link dev.muster.core.group.classic.ClassicGroup}. The one rule: it is a part of
 * {@link dev.muster.core.group.Group}, which gives it the generation, keeps the offsets and writes the journal. State
 * here changes only by {@code apply} of a {@link dev.muster.core.group.classic.ClassicEvent}.
 */
package dev.muster.core.group.classic;
