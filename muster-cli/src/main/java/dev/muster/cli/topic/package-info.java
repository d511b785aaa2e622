/**
 * {@code muster topic}: creates, shows, changes, trims and deletes topics.
 *
 * <p>Start at {@link dev.muster.cli.topic.TopicCommand}. Only {@code create} creates a data directory.
 */
package dev.muster.cli.topic;
