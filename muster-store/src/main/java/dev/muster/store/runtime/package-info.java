/**
 * The time and the random ids that a store is given.
 *
 * <p>The one rule: this package uses no other package of the contract, so that each store can use it.
 */
package dev.muster.store.runtime;
