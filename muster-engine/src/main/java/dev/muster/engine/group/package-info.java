/**
 * The shell around the rules of a group: replays journals, proposes, runs the timers that states ask for, gives signs
 * of life and judges those of others.
 *
 * <p>Start at {@link dev.muster.engine.group.replica.GroupReplica}, which turns commands into journal entries; then
 * {@link dev.muster.engine.group.service.GroupService}, which does what is due without being called, and
 * {@link dev.muster.engine.group.member.GroupMember}. The one rule: nothing here decides about a group. What follows
 * from a state is asked of {@link dev.muster.core.group.Group}, and counts when the journal has it.
 */
package dev.muster.engine.group;
