/** APIs that write, read and delete records: produce, fetch and its sessions, offsets, producer ids. */
package dev.muster.kafka.api.records;
