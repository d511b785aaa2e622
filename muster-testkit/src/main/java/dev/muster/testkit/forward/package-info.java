/**
 * Stores, logs, journals and hosts that pass every call on to another one. A test overrides the calls that fail.
 *
 * <p>The one rule: nothing here changes a call or its result.
 */
package dev.muster.testkit.forward;
