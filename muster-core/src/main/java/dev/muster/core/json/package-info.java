/**
 * The JSON that Muster needs, and no more. Settings, journals and views are JSON that people can read.
 *
 * <p>Start at {@link dev.muster.core.json.Json}. The one rule: reading is strict (RFC 8259, no repeated names) and
 * bounded, because a file may have been edited by hand or cut by a crash.
 */
package dev.muster.core.json;
