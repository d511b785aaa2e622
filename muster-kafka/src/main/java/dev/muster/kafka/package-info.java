/**
 * The Kafka door: a broker over any store, for unmodified Kafka clients.
 *
 * <p>Start at {@link dev.muster.kafka.KafkaServer}, then {@link dev.muster.kafka.Connection}: a request is read, handed
 * to its class in {@code dev.muster.kafka.api}, and answered in its turn. The messages are those that
 * {@code kafka-clients} generates from Kafka's own definitions; Kafka's types go no further than this door.
 */
package dev.muster.kafka;
