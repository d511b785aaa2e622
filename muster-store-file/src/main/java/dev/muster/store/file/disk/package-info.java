/**
 * The seam to the operating system: everything the file store does to a disk goes through
 * {@link dev.muster.store.file.disk.Disk}.
 *
 * <p>{@code NativeDisk} makes system calls; {@code ChannelDisk} does the same with plain Java where native access is
 * denied; the test kit has a disk that loses power. The one rule: no other package of this module touches a file.
 */
package dev.muster.store.file.disk;
