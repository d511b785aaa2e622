/**
 * The contract of an API of the protocol, and the types that all APIs share.
 *
 * <p>There is one class per API key, in {@code api.records}, {@code api.topics}, {@code api.groups} and
 * {@code api.cluster}. Each names the versions it serves and what it leaves out ({@link dev.muster.kafka.api.Serves});
 * the list for clients and {@code docs/protocol.md} are made from that. To add an API, write its class and add a line
 * to {@code dev.muster.kafka.Apis}.
 */
package dev.muster.kafka.api;
