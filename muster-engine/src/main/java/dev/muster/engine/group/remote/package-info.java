/** The group requests of Kafka's wire protocols. */
package dev.muster.engine.group.remote;
