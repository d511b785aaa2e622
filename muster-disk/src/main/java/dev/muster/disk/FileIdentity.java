package dev.muster.disk;

/**
 * Tells one file or folder from every other one, whatever its name is. A name whose identity changed stands for another
 * file. As long as a file is open or mapped, no other file has its identity. Once it is gone the kernel may give the
 * inode's number to the next file; the time of birth tells the two apart unless they were made within milliseconds.
 *
 * @param device number of the file system
 * @param inode number of the file in it
 * @param bornNanos time of birth in nanoseconds since 1970; 0 where the file system does not know it
 */
public record FileIdentity(long device, long inode, long bornNanos) {}
