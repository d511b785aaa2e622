/**
 * Tools for the tests of Muster and of applications: contracts that every store passes, disks that fail on purpose, and
 * Kafka's broker as a process.
 *
 * <p>Start at {@link dev.muster.testkit.LogStoreContract}. A contract tests only what the Javadoc of
 * {@code dev.muster.store} promises. If a store cannot pass, the promise must change, not the test.
 */
package dev.muster.testkit;
