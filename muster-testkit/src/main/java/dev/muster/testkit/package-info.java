/**
 * What tests of Muster and of its users share: the contracts that every store passes, disks that fail on purpose, and
 * Kafka's broker as a process.
 *
 * <p>Start at {@link dev.muster.testkit.LogStoreContract}. The one rule: a contract asks only for what the Javadoc of
 * {@code dev.muster.store} promises; a store that cannot pass needs another promise, not another test.
 */
package dev.muster.testkit;
