/**
 * What goes into the rules of a group and comes out: commands, replies, the events of a journal entry, and the timers
 * that a state asks for.
 */
package dev.muster.core.group.command;
