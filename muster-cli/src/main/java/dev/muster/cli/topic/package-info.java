/**
 * {@code muster topic}: makes, shows, changes, trims and deletes topics.
 *
 * <p>Start at {@link dev.muster.cli.topic.TopicCommand}. The one rule: only {@code create} makes a data directory.
 */
package dev.muster.cli.topic;
