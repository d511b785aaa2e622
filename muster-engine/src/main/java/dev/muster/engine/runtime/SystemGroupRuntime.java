package dev.muster.engine.runtime;

import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The clocks of this machine, and platform threads that are created on demand and end when idle. */
public final class SystemGroupRuntime implements GroupRuntime {
    static final SystemGroupRuntime INSTANCE = new SystemGroupRuntime();

    private static final Executor WORKERS = EngineThreads.blocking("muster-groups-work");

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public String freshName() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 12);
    }

    @Override
    public int random(int bound) {
        return ThreadLocalRandom.current().nextInt(bound);
    }

    @Override
    public void inBackground(Runnable work) {
        try {
            WORKERS.execute(work);
        } catch (OutOfMemoryError e) {
            // The system has no more threads now. The work must run, because other threads wait for it.
            Thread.ofVirtual().name("muster-groups-last-resort").start(work);
        }
    }

    @Override
    public <T> T blocking(Supplier<T> call) {
        return Thread.currentThread().isVirtual() ? outcome(CompletableFuture.supplyAsync(call, WORKERS)) : call.get();
    }

    @Override
    public boolean pause(long nanos) {
        LockSupport.parkNanos(nanos);
        return !Thread.currentThread().isInterrupted();
    }

    private static <T> T outcome(Future<T> call) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return call.get();
                } catch (InterruptedException e) {
                    // The call has begun and has an outcome, which the caller must know.
                    interrupted = true;
                } catch (ExecutionException e) {
                    switch (e.getCause()) {
                        case RuntimeException cause -> throw cause;
                        case Error cause -> throw cause;
                        case null, default -> throw new IllegalStateException(e);
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
