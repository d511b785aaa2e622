/**
 * The produce and fetch path of one partition for servers: checks batches that arrive, judges idempotent producers,
 * appends, syncs, and lends readers.
 */
package dev.muster.engine.partition;
