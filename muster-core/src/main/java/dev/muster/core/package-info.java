/**
 * Values and rules that every part of Muster shares.
 *
 * <p>Start at {@link dev.muster.core.TopicSettings}. The one rule: nothing in this module reads a clock, a file or a
 * random number, starts a thread or writes a log line. It depends on {@code java.base} alone.
 */
package dev.muster.core;
