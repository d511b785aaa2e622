/**
 * Registrations of listeners that a store calls back, of a partition log and of a group's journal alike.
 *
 * <p>The one rule: this package uses no other package of the contract, so that each of them can use it.
 */
package dev.muster.store.watch;
