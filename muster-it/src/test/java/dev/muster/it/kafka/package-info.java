/** Unmodified Kafka clients against the Kafka door. */
package dev.muster.it.kafka;
