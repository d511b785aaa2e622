/**
 * A Kafka broker over any store, for unmodified Kafka clients.
 *
 * <p>Start at {@link dev.muster.kafka.KafkaServer}, then {@link dev.muster.kafka.Connection}: a request is read, begun
 * by its class in a package below {@code dev.muster.kafka.api}, and answered in its turn. The messages are those that
 * {@code kafka-clients} generates from Kafka's own definitions. No type of Kafka is used outside of this module.
 */
package dev.muster.kafka;
