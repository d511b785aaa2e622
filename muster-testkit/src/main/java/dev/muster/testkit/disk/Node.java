package dev.muster.testkit.disk;

import dev.muster.disk.FileIdentity;
import java.util.concurrent.atomic.AtomicLong;

/** A file or a folder. All fields of nodes are guarded by the lock of their {@link MemoryDisk}. */
sealed interface Node permits FileNode, FolderNode {
    /** The counter for numbers of nodes. Each number is used once. */
    AtomicLong NUMBERS = new AtomicLong();

    /** The number of this node, which no other node has. */
    long number();

    default FileIdentity identity() {
        return new FileIdentity(0, number(), 0);
    }
}
