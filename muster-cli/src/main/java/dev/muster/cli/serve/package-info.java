/** {@code muster serve}: a Kafka broker on a data directory. Start at {@link dev.muster.cli.serve.ServeCommand}. */
package dev.muster.cli.serve;
