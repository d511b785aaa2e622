package dev.muster.testkit.sim;

import dev.muster.disk.Disk;
import dev.muster.disk.Machine;
import dev.muster.testkit.disk.SimulatedProcess;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of a {@link Simulation}: its threads, and its view of the machine. One of its threads runs at a time, until
 * that thread waits.
 */
public final class SimProcess implements Machine {
    private static final long MILLISECOND = 1_000_000;

    private final Simulation sim;
    private final String name;
    private final SimulatedProcess files;
    private final SimDisk disk;
    private final Set<Fiber> fibers = new LinkedHashSet<>();
    private final List<Fiber> ready = new ArrayList<>();
    private Fiber running;
    /** The thread that was interrupted while it ran, and continues first; null if there is none. */
    private Fiber preempted;

    private long stoppedUntil;
    private long stopWanted;
    private long lastContinued;
    private boolean ended;
    private int names;

    /** A thread of this process. */
    static final class Fiber implements Executor {
        private final SimProcess process;
        private Thread thread;
        private Runnable stretch;
        /** The time at which this thread last read the end of a group's journal. */
        private long lastLook;

        private Fiber(SimProcess process) {
            this.process = process;
        }

        @Override
        public void execute(Runnable next) {
            stretch = next;
            process.isReady(this);
        }
    }

    SimProcess(Simulation sim, String name, SimulatedProcess files) {
        this.sim = sim;
        this.name = name;
        this.files = files;
        this.disk = new SimDisk(this, files);
    }

    public Simulation simulation() {
        return sim;
    }

    public Disk disk() {
        return disk;
    }

    /** This process on the simulated disk, for faults. */
    public SimulatedProcess files() {
        return files;
    }

    // Threads

    /** Starts a thread. */
    public void spawn(String thread, Runnable work) {
        thread(thread, work).start();
    }

    @Override
    public Thread thread(String title, Runnable work) {
        Fiber fiber = new Fiber(this);
        fiber.thread = SimThreads.unstarted(name + "/" + title, fiber, () -> {
            try {
                if (!ended) {
                    work.run();
                }
            } catch (ProcessEnded e) {
                // This is how the threads of a dead process end.
            } catch (Throwable e) {
                if (!ended) {
                    sim.fail(new AssertionError("thread " + title + " of " + name + " ended", e));
                }
            } finally {
                fibers.remove(fiber);
            }
        });
        fibers.add(fiber);
        return fiber.thread;
    }

    private void isReady(Fiber fiber) {
        if (fiber == running) {
            preempted = fiber;
        } else {
            ready.add(fiber);
        }
    }

    boolean canRun() {
        return !ended && stoppedUntil <= sim.now() && (preempted != null || !ready.isEmpty());
    }

    /** Runs one thread until it waits or is interrupted. */
    void step() {
        Fiber fiber = preempted;
        preempted = null;
        if (fiber == null) {
            int which = ready.size() == 1 ? 0 : sim.chance().nextInt(ready.size());
            fiber = ready.remove(which);
        }
        run(fiber);
        if (fiber.stretch == null && fiber.thread.getState() == Thread.State.BLOCKED) {
            // Java would resume this thread at an arbitrary time on a thread of its own. The run would not be
            // repeatable.
            sim.fail(new IllegalStateException(
                    fiber.thread.getName() + " waits for a monitor: " + List.of(fiber.thread.getStackTrace())));
        }
    }

    private void run(Fiber fiber) {
        Runnable stretch = fiber.stretch;
        fiber.stretch = null;
        running = fiber;
        stretch.run();
        running = null;
        if (preempted == null && fiber.stretch != null) {
            preempted = fiber;
        }
    }

    /** @return true if a thread ran and threads are left, so that another call may be needed */
    boolean unwind() {
        if (preempted != null) {
            ready.add(preempted);
            preempted = null;
        }
        if (ready.isEmpty()) {
            fibers.forEach(fiber -> LockSupport.unpark(fiber.thread));
        }
        boolean any = !ready.isEmpty();
        while (!ready.isEmpty()) {
            Fiber fiber = ready.removeFirst();
            run(fiber);
            if (preempted != null) {
                ready.add(preempted);
                preempted = null;
            }
        }
        return any && !fibers.isEmpty();
    }

    // The machine as this process sees it

    @Override
    public long nanoTime() {
        checkAlive();
        sim.passes(50);
        return sim.now();
    }

    @Override
    public UUID newId() {
        return new UUID(sim.chance().nextLong(), sim.chance().nextLong());
    }

    @Override
    public void pause(long nanos) {
        checkAlive();
        if (nanos <= 0) {
            return;
        }
        Thread waiter = running.thread;
        Simulation.Timer timer = sim.timer(sim.now() + nanos, () -> LockSupport.unpark(waiter));
        LockSupport.park();
        timer.cancel();
        checkAlive();
    }

    /** Waits for all of this time, even if the thread is unparked before. */
    public void sleep(long nanos) {
        long end = sim.now() + nanos;
        while (sim.now() < end) {
            pause(end - sim.now());
        }
    }

    Thread currentThread() {
        return running.thread;
    }

    void looked() {
        if (running != null) {
            running.lastLook = sim.now();
        }
    }

    /** The time at which the running thread last read the end of a group's journal. */
    public long lastLook() {
        return running.lastLook;
    }

    public String freshName() {
        return Integer.toString(names++);
    }

    void checkAlive() {
        if (ended) {
            throw new ProcessEnded(name);
        }
    }

    // Faults

    /** Marks a call of the disk. Time passes here, and a fault may happen to the process. */
    void point(int calls) {
        checkAlive();
        sim.passes(50L * calls);
        if (stopWanted > 0) {
            long nanos = stopWanted;
            stopWanted = 0;
            stopNow(nanos);
        }
        SimFault fault = sim.faults().next(calls);
        if (fault != null) {
            strike(fault);
        }
    }

    private void strike(SimFault fault) {
        if (fault != SimFault.POWER_CUT && fault != SimFault.CLOCK_JUMP && fault != SimFault.STOP) {
            sim.faults().count(fault);
        }
        if (fault != SimFault.PREEMPT) {
            sim.note(name + " is struck: " + fault);
        }
        switch (fault) {
            case PREEMPT -> {
                stoppedUntil =
                        sim.now() + sim.chance().nextLong(sim.chance().nextInt(4) == 0 ? 60 * MILLISECOND : 300_000);
                sim.at(stoppedUntil, () -> {});
                yieldTurn();
            }
            // Some stops are longer than any session of a member.
            case STOP ->
                stopNow(50 * MILLISECOND
                        + sim.chance()
                                .nextLong(sim.chance().nextInt(4) == 0 ? 12_000 * MILLISECOND : 3_000 * MILLISECOND));
            case KILL -> {
                end();
                throw new ProcessEnded(name);
            }
            case KILL_IN_WRITE -> files.killInNextAppend(1 + sim.chance().nextInt(200));
            case SLOW_CALL -> sleepInCall(sim.chance().nextLong(1_000 * MILLISECOND));
            case POWER_CUT -> {
                sim.cutPower();
                throw new ProcessEnded(name);
            }
            case FAILED_SYNC -> sim.disk().failSyncs(1);
            case CLOCK_JUMP -> sim.jumpWallClock(sim.chance().nextLong(-3_600_000, 3_600_000));
        }
    }

    /**
     * Lets the call take a long time. The whole process waits, because its other threads could block on a monitor that
     * the calling thread holds. Other processes continue.
     */
    private void sleepInCall(long nanos) {
        stoppedUntil = sim.now() + nanos;
        sim.at(stoppedUntil, () -> {});
        yieldTurn();
    }

    private void stopNow(long nanos) {
        sim.faults().count(SimFault.STOP);
        stoppedUntil = sim.now() + nanos;
        lastContinued = stoppedUntil;
        sim.note(name + " is stopped for " + nanos / MILLISECOND + " ms");
        sim.at(stoppedUntil, () -> {});
        yieldTurn();
        sim.note(name + " goes on");
    }

    @SuppressWarnings("ThreadPriorityCheck") // returns the turn to the simulation, which schedules all threads
    private void yieldTurn() {
        Thread.yield();
        checkAlive();
    }

    /** Ends a stop at once, and cancels the stops and kills that were to come. */
    public void goOn() {
        files.spare();
        stopWanted = 0;
        stoppedUntil = Math.min(stoppedUntil, sim.now());
    }

    /** Stops the process for this time, beginning at its next call of the disk. */
    public void stop(long nanos) {
        stopWanted = nanos;
    }

    /** The end of the last or current stop. */
    public long lastContinued() {
        return Math.max(lastContinued, stoppedUntil);
    }

    public boolean isStopped() {
        return stoppedUntil > sim.now();
    }

    /** Kills the process now: its locks are freed, and its threads do nothing more. */
    public void end() {
        if (!ended) {
            ended = true;
            sim.note(name + " ends");
            files.kill();
            SimBells.ring(sim);
        }
    }

    public boolean hasEnded() {
        return ended || !files.isAlive() && died();
    }

    private boolean died() {
        end();
        return true;
    }

    @Override
    public String toString() {
        return name;
    }
}
