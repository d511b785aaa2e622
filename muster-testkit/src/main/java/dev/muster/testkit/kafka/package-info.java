/**
 * Servers of the Kafka protocol as processes: Apache Kafka to compare with, and whatever else speaks it.
 *
 * <p>Start at {@link dev.muster.testkit.kafka.KafkaPeer}. The one rule: nothing here needs Kafka's classes, so that the
 * versions of a server and of a test's own client never meet.
 */
package dev.muster.testkit.kafka;
