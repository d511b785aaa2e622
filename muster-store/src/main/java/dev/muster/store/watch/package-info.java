/**
 * What a caller gets that asks a store to call it back, of a partition log as of a group's journal.
 *
 * <p>The one rule: this package knows no other of the contract, so that each of them can use it.
 */
package dev.muster.store.watch;
