/**
 * The shell around the rules of a group: it replays journals, proposes commands, runs timers, gives signs of life and
 * checks those of other processes.
 *
 * <p>Start at {@link dev.muster.engine.group.replica.GroupReplica}, which turns commands into journal entries; then
 * {@link dev.muster.engine.group.service.GroupService}, which does the background work, and
 * {@link dev.muster.engine.group.member.GroupMember}. This package decides nothing about a group:
 * {@link dev.muster.core.group.Group} decides, and a decision counts when it is in the journal.
 */
package dev.muster.engine.group;
