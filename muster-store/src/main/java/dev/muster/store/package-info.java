/**
 * What a store promises: topics, partition logs, producer ids. The directory, PostgreSQL, BookKeeper and the memory
 * store all keep these contracts, word for word; {@code LogStoreContract} in the test kit checks them.
 *
 * <p>Start at {@link dev.muster.store.LogStore}, then {@link dev.muster.store.PartitionLog}. The one rule: nothing here
 * promises what only files can do. An appender is a lease that can be refused or lost, a wake-up is a hint.
 */
package dev.muster.store;
