/**
 * The processes that have a directory open, and whether they live.
 *
 * <p>Start at {@link dev.muster.store.file.host.FileHosts}. The one rule: the lock that a process holds for life
 * decides whether it is gone, because the kernel frees it. A bell only shows when to check the lock, and a heartbeat
 * only whether it is worth waiting.
 */
package dev.muster.store.file.host;
