package dev.muster.store.file.log;

import dev.muster.core.TopicSettings;
import dev.muster.store.file.log.recovery.ControlPage;

/**
 * The time for which retention has nothing to do in a partition: until the partition grows, its settings change, or a
 * segment becomes too old. It is checked with the partition's page in memory, which needs no system call.
 */
public final class RetentionSchedule {
    private final ControlPage control;
    private final TopicSettings settings;
    private final long writtenEnd;
    private final long dueMs;

    /** @param writtenEnd the written end before retention checked the partition */
    RetentionSchedule(ControlPage control, TopicSettings settings, long writtenEnd, long dueMs) {
        this.control = control;
        this.settings = settings;
        this.writtenEnd = writtenEnd;
        this.dueMs = dueMs;
    }

    public boolean lasts(TopicSettings now, long nowMs) {
        return nowMs <= dueMs && settings.equals(now) && control.writtenEnd() == writtenEnd;
    }
}
