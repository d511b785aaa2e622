package dev.muster.store.file.log;

import dev.muster.core.TopicSettings;
import dev.muster.store.file.log.recovery.ControlPage;

/**
 * Retention has looked at a partition and has nothing to do there for a while: until it grows, its settings change, or
 * a time has come. Told from the partition's page, so that looking again costs no call.
 */
public final class RetentionSchedule {
    private final ControlPage control;
    private final TopicSettings settings;
    private final long writtenEnd;
    private final long dueMs;

    /** @param writtenEnd as it was before retention looked */
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
