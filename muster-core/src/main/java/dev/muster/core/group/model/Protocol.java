package dev.muster.core.group.model;

/**
 * A way to assign that a member knows, for example an assignor of a Kafka consumer.
 *
 * @param metadata bytes that the member sends to the leader if this protocol is chosen
 */
public record Protocol(String name, Opaque metadata) {}
