/**
 * {@code muster demo}: real processes in a folder of their own, which can be killed and stopped.
 *
 * <p>Start at {@link dev.muster.cli.demo.DemoCommand}. All processes that the demo starts end with it, even after a
 * SIGKILL of the demo.
 */
package dev.muster.cli.demo;
