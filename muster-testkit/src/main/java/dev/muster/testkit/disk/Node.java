package dev.muster.testkit.disk;

import dev.muster.disk.FileIdentity;
import java.util.concurrent.atomic.AtomicLong;

/** What a name stands for. All fields of nodes are guarded by the lock of their {@link MemoryDisk}. */
sealed interface Node permits FileNode, FolderNode {
    /** Where the numbers of nodes come from: each is used once. */
    AtomicLong NUMBERS = new AtomicLong();

    /** The node's own number. */
    long number();

    default FileIdentity identity() {
        return new FileIdentity(0, number(), 0);
    }
}
