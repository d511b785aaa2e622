/**
 * Muster beside Apache Kafka: both as servers in processes of their own, measured from outside by the same clients.
 *
 * <p>Start at {@link dev.muster.bench.broker.BrokerPair}. Each class with a name that ends in {@code Measure} measures
 * one property of one {@link dev.muster.bench.broker.Rival}. A measure checks the work, and fails if it was not done.
 */
package dev.muster.bench.broker;
