/** The settings of a Kafka server. */
package dev.muster.kafka.config;
