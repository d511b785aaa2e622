/**
 * Who may use the Kafka door: SASL with PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512.
 *
 * <p>Start at {@link dev.muster.kafka.sasl.Authenticator}, which all connections share; each has a
 * {@link dev.muster.kafka.sasl.Login}. What is wrong about a login is told to nobody: not by words, and as far as we
 * can not by time.
 */
package dev.muster.kafka.sasl;
