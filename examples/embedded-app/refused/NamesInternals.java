package com.example.orders;

import dev.muster.core.group.Group;
import dev.muster.disk.local.NativeDisk;
import dev.muster.embedded.internal.OpenMuster;
import dev.muster.engine.produce.RecordSender;
import dev.muster.store.batch.BatchBuilder;
import dev.muster.store.file.FileStore;

/** Does not compile in an application: each of these packages belongs to Muster alone. */
final class NamesInternals {
    Group rules;
    NativeDisk disk;
    OpenMuster implementation;
    RecordSender engine;
    BatchBuilder batches;
    FileStore store;
}
