/**
 * The disk of the machine that this process runs on.
 *
 * <p>Start at {@link dev.muster.disk.local.NativeDisk}, which makes system calls;
 * {@link dev.muster.disk.local.ChannelDisk} does the same in plain Java if native access is denied.
 */
package dev.muster.disk.local;
