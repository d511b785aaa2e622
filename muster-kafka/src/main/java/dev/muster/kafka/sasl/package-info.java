/**
 * Logins of Kafka clients: SASL with PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512.
 *
 * <p>Start at {@link dev.muster.kafka.sasl.Authenticator}, which all connections share; each has a
 * {@link dev.muster.kafka.sasl.Login}. A client never learns why its login failed, not by words and as far as possible
 * not by time.
 */
package dev.muster.kafka.sasl;
