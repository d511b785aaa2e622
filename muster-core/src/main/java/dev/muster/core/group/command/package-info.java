/**
 * Input and output of a group's rules: commands, replies, the events of a journal entry, and the timers that a state
 * asks for.
 */
package dev.muster.core.group.command;
