/**
 * A store without a disk: for tests, and for those who want a queue inside one process.
 *
 * <p>Start at {@link dev.muster.store.memory.MemoryStore}. The one rule: it keeps the contract of every other store,
 * word for word, or code that works here would fail elsewhere. There is no retention: memory is the caller's.
 */
package dev.muster.store.memory;
