/**
 * The contract of a store: topics, partition logs, producer ids. Every store keeps it word for word, and
 * {@code LogStoreContract} in the test kit checks that.
 *
 * <p>Start at {@link dev.muster.store.LogStore}, then {@link dev.muster.store.PartitionLog}. The one rule: nothing here
 * promises what only files can do. Another process may refuse an append or take over the right to it, and a wake-up is
 * only a hint.
 */
package dev.muster.store;
