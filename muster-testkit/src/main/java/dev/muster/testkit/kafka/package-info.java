/**
 * Servers of the Kafka protocol as processes: Apache Kafka for comparison, and any other server of the protocol.
 *
 * <p>Start at {@link dev.muster.testkit.kafka.KafkaPeer}. Nothing here needs Kafka's classes, so that the versions of a
 * server and of a test's own client never meet on one class path.
 */
package dev.muster.testkit.kafka;
