/**
 * Muster beside Apache Kafka: both as servers in processes of their own, measured from outside by the same clients.
 *
 * <p>Start at {@link dev.muster.bench.broker.BrokerPair}; the classes whose names end in {@code Measure} each answer
 * one question about one {@link dev.muster.bench.broker.Rival}. The one rule: a measure checks what it measured and
 * fails rather than give a figure for work that was not done.
 */
package dev.muster.bench.broker;
