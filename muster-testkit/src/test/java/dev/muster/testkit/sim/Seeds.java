package dev.muster.testkit.sim;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/** Runs many seeds on all processors. The first that fails ends it, and is told. */
final class Seeds {
    private Seeds() {}

    /** @param run throws when the seed fails */
    static void all(long first, long last, LongConsumer run) throws InterruptedException {
        AtomicLong next = new AtomicLong(first);
        AtomicReference<AssertionError> failure = new AtomicReference<>();
        Thread[] workers = new Thread[Math.max(1, Runtime.getRuntime().availableProcessors())];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = Thread.ofPlatform().name("seeds-" + i).start(() -> {
                for (long seed = next.getAndIncrement();
                        seed <= last && failure.get() == null;
                        seed = next.getAndIncrement()) {
                    try {
                        run.accept(seed);
                    } catch (RuntimeException | Error e) {
                        failure.compareAndSet(
                                null, new AssertionError("seed " + seed + ": replay it with -Dmuster.seed=" + seed, e));
                    }
                }
            });
        }
        for (Thread worker : workers) {
            worker.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }
}
