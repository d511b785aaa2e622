/**
 * One class per API key. Each says which versions it serves and what it leaves out
 * ({@link dev.muster.kafka.api.Serves}); what clients are told and {@code docs/protocol.md} are made from that. To add
 * one, write it and name it in {@link dev.muster.kafka.api.Apis}.
 */
package dev.muster.kafka.api;
