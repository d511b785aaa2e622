/**
 * What the door does between the wire and a partition's log: checks batches that come in, keeps the books of idempotent
 * producers, and lends out readers.
 */
package dev.muster.kafka.log;
