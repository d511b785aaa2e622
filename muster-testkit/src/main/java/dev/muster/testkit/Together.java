package dev.muster.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;

/**
 * Runs code on several platform threads that begin at the same moment, and collects their results in the order of the
 * threads. A thread that does not end in time is interrupted and fails the test.
 */
final class Together {
    /** The limit is long because other programs may use the disk at the same time. */
    private static final Duration TIME_MAX = Duration.ofMinutes(5);

    private Together() {}

    static <T> List<T> run(int threads, IntFunction<T> work) {
        CountDownLatch start = new CountDownLatch(1);
        List<FutureTask<T>> tasks = new ArrayList<>();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            FutureTask<T> task = new FutureTask<>(() -> {
                start.await();
                return work.apply(number);
            });
            tasks.add(task);
            running.add(Thread.ofPlatform().daemon().name("together-" + i).start(task));
        }
        start.countDown();
        try {
            return tasks.stream().map(Together::result).toList();
        } finally {
            running.forEach(Thread::interrupt);
        }
    }

    static <T> T result(Future<T> task) {
        try {
            return task.get(TIME_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("a thread has not ended after " + TIME_MAX, e);
        } catch (ExecutionException e) {
            throw new AssertionError("a thread failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
