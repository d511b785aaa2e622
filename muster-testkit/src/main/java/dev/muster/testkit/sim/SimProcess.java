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
 * A process of a {@link Simulation}: its threads, and its view of the machine. One thread has the processor of this
 * process, until it waits.
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
    /** Has the processor, and was interrupted. */
    private Fiber preempted;

    private long stoppedUntil;
    private long stopWanted;
    private long lastContinued;
    private boolean ended;
    private int names;

    /** A thread. */
    static final class Fiber implements Executor {
        private final SimProcess process;
        private Thread thread;
        private Runnable stretch;
        /** When this thread last looked how long the journal of a group is. */
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

    /** The disk's own view of this process, for faults. */
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
                // As it should.
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

    /** Runs a thread until it waits, or is interrupted. */
    void step() {
        Fiber fiber = preempted;
        preempted = null;
        if (fiber == null) {
            int which = ready.size() == 1 ? 0 : sim.chance().nextInt(ready.size());
            fiber = ready.remove(which);
        }
        run(fiber);
        if (fiber.stretch == null && fiber.thread.getState() == Thread.State.BLOCKED) {
            // Java gives such a thread its turn some time, on a thread of its own: nothing would be as before.
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

    /** @return whether there may be more to do */
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

    // The machine, as this process sees it

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

    /** Waits for all of this time, whoever unparks the thread. */
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

    /** When the running thread last looked how long the journal of a group is. */
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

    /** A call of the disk: here the process may be struck. */
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
            // Some for longer than any session of a member.
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

    /** The call takes long. Only this process waits: who holds a monitor in here would keep its other threads. */
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

    @SuppressWarnings("ThreadPriorityCheck") // gives the turn back to the simulation, which relies on nothing else
    private void yieldTurn() {
        Thread.yield();
        checkAlive();
    }

    /** Goes on at once, whatever it waits for, and whatever was to strike it later does not. */
    public void goOn() {
        files.spare();
        stopWanted = 0;
        stoppedUntil = Math.min(stoppedUntil, sim.now());
    }

    /** Stops the process for so long, at its next call of the disk. */
    public void stop(long nanos) {
        stopWanted = nanos;
    }

    /** Whether it does not run now, or did not until shortly before. */
    public long lastContinued() {
        return Math.max(lastContinued, stoppedUntil);
    }

    public boolean isStopped() {
        return stoppedUntil > sim.now();
    }

    /** The process dies now: its locks are free, its threads do nothing more. */
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
