package dev.muster.engine.group.service;

import dev.muster.engine.group.view.GroupViewWriter;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import java.util.concurrent.atomic.AtomicBoolean;

/** Writes a group's views in the background when they are due. */
final class ViewPublisher {
    private static final long AGAIN_NANOS = 1_000_000_000;

    private final GroupViewWriter views;
    private final GroupRuntime runtime;
    private final Runnable wake;
    private final AtomicBoolean publishing = new AtomicBoolean();

    ViewPublisher(GroupViewWriter views, GroupRuntime runtime, Runnable wake) {
        this.views = views;
        this.runtime = runtime;
        this.wake = wake;
    }

    /** @return the time of the next check */
    long publishIfDue(long now) {
        long later = now + AGAIN_NANOS;
        long due = views.due(later);
        if (due == later || !Deadline.reached(due, now)) {
            return due;
        }
        if (publishing.compareAndSet(false, true)) {
            runtime.inBackground(() -> {
                try {
                    views.publish(false);
                } finally {
                    publishing.set(false);
                    wake.run();
                }
            });
        }
        return later;
    }

    /** True while views are written in the background. From any thread. */
    boolean isPublishing() {
        return publishing.get();
    }
}
