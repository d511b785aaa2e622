/**
 * {@code muster produce}: sends records from streams to a topic.
 *
 * <p>Start at {@link dev.muster.cli.produce.ProduceRun}. An acknowledgement is reported as soon as it arrives; no wait
 * for input or output delays it.
 */
package dev.muster.cli.produce;
