package dev.muster.disk;

/**
 * The identity of a file or folder, whatever its name is. If the identity of a name changes, the name now belongs to
 * another file. As long as a file is open or mapped, no other file has its identity. After a file was deleted the
 * kernel may give its inode number to the next file. The time of birth then differs, unless both files were created
 * within milliseconds.
 *
 * @param device the number of the file system
 * @param inode the number of the file in the file system
 * @param bornNanos the time of birth in nanoseconds since 1970; 0 if the file system does not know it
 */
public record FileIdentity(long device, long inode, long bornNanos) {}
