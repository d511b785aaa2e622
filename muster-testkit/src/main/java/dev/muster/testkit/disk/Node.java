package dev.muster.testkit.disk;

/** What a name stands for. All fields of nodes are guarded by the lock of their {@link MemoryDisk}. */
sealed interface Node permits FileNode, FolderNode {}
