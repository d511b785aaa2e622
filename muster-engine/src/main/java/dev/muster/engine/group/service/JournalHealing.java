package dev.muster.engine.group.service;

import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.StoreClosedException;
import dev.muster.store.group.GroupDeletedException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/** Heals a group's journal after a process reported damage of it. For the thread of the service alone. */
final class JournalHealing {
    private static final System.Logger LOG = System.getLogger(JournalHealing.class.getName());

    private final GroupReplica replica;
    private final GroupRuntime runtime;
    private final Runnable wake;
    private final AtomicBoolean healing = new AtomicBoolean();
    /** The number of reports at the last check. */
    private long reportsBefore;

    JournalHealing(GroupReplica replica, GroupRuntime runtime, Runnable wake) {
        this.replica = replica;
        this.runtime = runtime;
        this.wake = wake;
        this.reportsBefore = replica.journal().damageReports();
    }

    /**
     * Heals the journal in the background if damage was reported since the last check. The check reads one word of
     * memory.
     */
    void healIfReported() {
        long reports = replica.journal().damageReports();
        if (reports != reportsBefore && healing.compareAndSet(false, true)) {
            reportsBefore = reports;
            runtime.inBackground(() -> {
                try {
                    replica.heal();
                } catch (GroupDeletedException | StoreClosedException e) {
                    LOG.log(Level.DEBUG, "group {0} is gone", replica.name());
                } catch (RuntimeException e) {
                    LOG.log(Level.WARNING, "the damaged journal of group " + replica.name() + " cannot be repaired", e);
                } finally {
                    healing.set(false);
                    wake.run();
                }
            });
        }
    }
}
