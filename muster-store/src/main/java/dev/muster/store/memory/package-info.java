/**
 * A store without a disk: for tests, and for queues inside one process.
 *
 * <p>Start at {@link dev.muster.store.memory.MemoryStore}. The one rule: it keeps the contract of every other store,
 * word for word, or code that works here would fail elsewhere. There is no retention: the caller decides how much
 * memory the records take.
 */
package dev.muster.store.memory;
