/**
 * The processes that have a directory open, and whether they live.
 *
 * <p>Start at {@link dev.muster.store.file.host.FileHosts}. The one rule: the lock that a process holds for life is the
 * word, because the kernel speaks it. A bell only tells when to ask, and a heartbeat only whether it is worth waiting.
 */
package dev.muster.store.file.host;
