/**
 * {@code muster produce}: records from streams into a topic.
 *
 * <p>Start at {@link dev.muster.cli.produce.ProduceRun}. The one rule: an acknowledgement is told after it came and as
 * soon as it came; nothing that waits for input or output stands between the two.
 */
package dev.muster.cli.produce;
