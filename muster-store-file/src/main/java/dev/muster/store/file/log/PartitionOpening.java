package dev.muster.store.file.log;

import dev.muster.disk.HeapPage;
import dev.muster.disk.NoRoomException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.log.recovery.Checkpoint;
import dev.muster.store.file.log.recovery.ControlPage;
import dev.muster.store.file.log.recovery.OldPage;
import dev.muster.store.file.log.recovery.Recovery;
import dev.muster.store.file.log.segment.PartitionKey;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Opens partitions: finds the control page, or creates it by a recovery. */
final class PartitionOpening {
    private static final System.Logger LOG = System.getLogger(PartitionOpening.class.getName());

    private PartitionOpening() {}

    /** The control page with the ends of the partition, and the facts of its checkpoint. */
    record Opened(ControlPage control, Checkpoint.Facts facts) {}

    /** Opens a partition. Recovers it first if no process of this boot has done so. */
    static PartitionState open(PartitionKey key, TopicView topic, LogEnvironment env) {
        Path page = ControlPage.file(key.folder(), env.bootId());
        try {
            if (!env.disk().exists(key.folder())) {
                throw new TopicNotFoundException("partition " + key.partition() + " of topic \""
                        + topic.topic().name() + "\"");
            }
            Opened opened = null;
            try {
                opened = env.readOnly() ? null : openShared(key, topic, env);
            } catch (NoRoomException e) {
                // Reading needs no room. The shared page is created before this process writes.
                LOG.log(System.Logger.Level.DEBUG, "no room for {0}: {1}", page, e.getMessage());
            }
            boolean alone = opened == null && !env.readOnly();
            opened = opened == null ? openForReading(key, topic, env) : opened;
            return new PartitionState(key, topic, env, opened, alone);
        } catch (NoSuchFileException e) {
            if (!env.disk().exists(key.folder())) {
                throw new TopicNotFoundException("partition " + key.partition() + " of topic \""
                        + topic.topic().name() + "\" (it was deleted)");
            }
            throw DiskErrors.of("open " + key.folder(), e);
        } catch (IOException e) {
            throw DiskErrors.of("open " + key.folder(), e);
        }
    }

    /**
     * Opens with the page that all processes of this boot share. If there is none, or it has a lower end than the log,
     * a recovery creates the page or raises its ends.
     */
    static Opened openShared(PartitionKey key, TopicView topic, LogEnvironment env) throws IOException {
        Path page = ControlPage.file(key.folder(), env.bootId());
        ControlPage control = ControlPage.openExisting(env.disk(), page, false);
        if (control != null && !OldPage.isBehindLog(control, key, env.disk())) {
            return new Opened(control, new Checkpoint(env.disk(), key.folder()).read());
        }
        Recovery.Result found = new Recovery(env.disk(), key, env.bootId(), false, topic.showsUnsynced()).run();
        return new Opened(ControlPage.create(env.disk(), page, found.end(), found.end(), found.start()), found.facts());
    }

    /** Opens without any change on disk: with the shared page if there is one, else with a page of this process. */
    private static Opened openForReading(PartitionKey key, TopicView topic, LogEnvironment env) throws IOException {
        Path page = ControlPage.file(key.folder(), env.bootId());
        ControlPage control = ControlPage.openExisting(env.disk(), page, env.readOnly());
        if (control != null) {
            return new Opened(control, new Checkpoint(env.disk(), key.folder()).read());
        }
        Recovery.Result found = new Recovery(env.disk(), key, env.bootId(), true, topic.showsUnsynced()).run();
        HeapPage own = new HeapPage(ControlPage.content(found.end(), found.end(), found.start()));
        return new Opened(ControlPage.of(own), found.facts());
    }
}
