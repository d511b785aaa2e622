/**
 * {@code muster demo}: a playground in a folder of its own, with real processes that can be killed and stopped.
 *
 * <p>Start at {@link dev.muster.cli.demo.DemoCommand}. The one rule: whatever happens to the demo, even SIGKILL,
 * nothing that it started outlives it.
 */
package dev.muster.cli.demo;
