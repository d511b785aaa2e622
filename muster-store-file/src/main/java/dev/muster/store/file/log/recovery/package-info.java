/**
 * Where a partition begins and ends: the checkpoint file, the control page that processes share, and the recovery that
 * finds the end anew after a restart of the machine.
 *
 * <p>Start at {@link dev.muster.store.file.log.recovery.Recovery}. The one rule: a control page is derived. Facts that
 * only the page has may be lost at any time.
 */
package dev.muster.store.file.log.recovery;
