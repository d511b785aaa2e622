package dev.muster.engine.produce;

import dev.muster.engine.runtime.EngineThreads;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One thread that watches the deadlines of all senders of this process. A sender's own thread may be stuck in a system
 * call.
 */
final class DeliveryClock {
    private static final ScheduledThreadPoolExecutor TIMER = timer();

    private DeliveryClock() {}

    private static ScheduledThreadPoolExecutor timer() {
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, EngineThreads.named("muster-delivery-clock"));
        timer.setKeepAliveTime(30, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    static void after(long nanos, Runnable task) {
        var _ = TIMER.schedule(task, nanos, TimeUnit.NANOSECONDS);
    }
}
