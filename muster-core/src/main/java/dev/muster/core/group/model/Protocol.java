package dev.muster.core.group.model;

/**
 * A way to assign that a member knows, for example an assignor of a Kafka consumer.
 *
 * @param metadata what the member tells the leader should this one be chosen
 */
public record Protocol(String name, Opaque metadata) {}
