package dev.muster.testkit.sim;

import dev.muster.testkit.disk.MemoryDisk;
import dev.muster.testkit.disk.Tear;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A machine with several processes, one disk and two clocks, whose run depends on its seed alone. Not thread-safe: one
 * thread does all the work in {@link #run}.
 *
 * <p>The threads of the processes are virtual threads. The simulation runs exactly one of them at a time. Within a
 * process a thread continues until it waits. At each call of the disk the turn may pass to another process, and the
 * process may be stopped, be killed or lose its power ({@link SimFault}). Time passes with calls. It jumps to the next
 * event if no thread can run.
 */
public final class Simulation {
    private static final int TRACE_MAX = 400;
    private static final long WALL_START_MS = 1_790_000_000_000L;
    private static final int UNWIND_ROUNDS = 100;

    private final SplittableRandom chance;
    private final MemoryDisk disk = new MemoryDisk();
    private final List<SimProcess> processes = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final Deque<String> trace = new ArrayDeque<>();
    private final List<Runnable> afterPowerCut = new ArrayList<>();
    /** The watchers of bells. */
    private final Set<SimBells> listeners = new LinkedHashSet<>();
    /** For each page the threads that wait for one of its words. */
    private final Map<Path, List<Thread>> waiters = new HashMap<>();

    private Consumer<SimProcess> beats = any -> {};
    private Faults faults;
    private Runnable afterStep = () -> {};
    private long now = 1_000_000_000;
    private long wallShiftMs;
    private long hash = 17;
    private long steps;
    private long calls;
    private int nextTimer;
    private int nextProcess;
    private int boots;
    private boolean cutting;
    private Throwable failure;

    /** Work for a point in time. */
    static final class Timer implements Comparable<Timer> {
        private final long at;
        private final int number;
        private final Runnable work;
        private boolean cancelled;

        private Timer(long at, int number, Runnable work) {
            this.at = at;
            this.number = number;
            this.work = work;
        }

        void cancel() {
            cancelled = true;
        }

        @Override
        public int compareTo(Timer other) {
            return at != other.at ? Long.compare(at, other.at) : Integer.compare(number, other.number);
        }
    }

    public Simulation(long seed) {
        this.chance = new SplittableRandom(seed);
        this.faults = new Faults(chance.split(), Long.MAX_VALUE / 4);
    }

    /** The source of all random choices of this run. */
    public SplittableRandom chance() {
        return chance;
    }

    public void faults(Faults those) {
        faults = those;
    }

    public Faults faults() {
        return faults;
    }

    public MemoryDisk disk() {
        return disk;
    }

    /** Sets code that runs after each turn of a process, and after each fault. */
    public void afterStep(Runnable look) {
        afterStep = look;
    }

    /** Adds code that runs after a power cut, when all processes have ended. */
    public void afterPowerCut(Runnable begin) {
        afterPowerCut.add(begin);
    }

    /** Sets code that runs at each heartbeat of a process. */
    public void onBeat(Consumer<SimProcess> hear) {
        beats = hear;
    }

    void beat(SimProcess process) {
        beats.accept(process);
    }

    Set<SimBells> listeners() {
        return listeners;
    }

    Map<Path, List<Thread>> waiters() {
        return waiters;
    }

    // Time

    public long now() {
        return now;
    }

    public long wallMillis() {
        return WALL_START_MS + TimeUnit.NANOSECONDS.toMillis(now) + wallShiftMs;
    }

    public void jumpWallClock(long millis) {
        wallShiftMs += millis;
        faults.count(SimFault.CLOCK_JUMP);
        note("the wall clock jumps by " + millis + " ms");
    }

    void passes(long nanos) {
        now += nanos;
        calls++;
    }

    /** Runs code at a later time, between two turns of processes. */
    public void at(long time, Runnable work) {
        timer(time, work);
    }

    public void after(long nanos, Runnable work) {
        timer(now + nanos, work);
    }

    Timer timer(long time, Runnable work) {
        Timer timer = new Timer(time, nextTimer++, work);
        timers.add(timer);
        return timer;
    }

    // Processes

    /** Starts a process, which has no threads yet. */
    public SimProcess start(String name) {
        SimProcess process = new SimProcess(this, name + "." + nextProcess++, disk.process());
        processes.add(process);
        note(process + " starts");
        return process;
    }

    /** The boot id of the running kernel. */
    public UUID bootId() {
        return new UUID(77, boots);
    }

    /** Processes that have not ended. */
    public List<SimProcess> processes() {
        return processes;
    }

    void forget(SimProcess process) {
        processes.remove(process);
    }

    /** Cuts the power: all processes end, and changes that were not synced may be lost. */
    public void cutPower() {
        cutting = true;
        faults.count(SimFault.POWER_CUT);
        note("the power goes");
        processes.forEach(SimProcess::end);
    }

    private void finishPowerCut() {
        cutting = false;
        boots++;
        listeners.clear();
        waiters.clear();
        for (SimProcess process : List.copyOf(processes)) {
            unwind(process);
        }
        disk.powerCut(new Random(chance.nextLong()), chance.nextBoolean() ? Tear.BYTES : Tear.SECTORS);
        // The machine is off for an hour, so that its old heartbeats cannot be taken for those of another machine.
        now += TimeUnit.MINUTES.toNanos(1);
        wallShiftMs += TimeUnit.HOURS.toMillis(1);
        afterPowerCut.forEach(Runnable::run);
    }

    // Running

    /** Runs until a time, or until a check fails. */
    public void run(long until) {
        while (now < until && failure == null) {
            fireTimers();
            SimProcess turn = next();
            if (turn == null) {
                Timer first = firstTimer();
                now = first == null || first.at > until ? until : Math.max(now, first.at);
                continue;
            }
            steps++;
            turn.step();
            settle();
            afterStep.run();
        }
        if (failure != null) {
            throw failure instanceof AssertionError error ? error : new AssertionError(failure);
        }
    }

    private void settle() {
        if (cutting) {
            finishPowerCut();
        }
        for (int i = processes.size() - 1; i >= 0; i--) {
            SimProcess process = processes.get(i);
            if (process.hasEnded()) {
                unwind(process);
            }
        }
    }

    private void unwind(SimProcess process) {
        processes.remove(process);
        for (int i = 0; i < UNWIND_ROUNDS && process.unwind(); i++) {
            // Each thread wakes, finds that its process is dead, and ends.
            continue;
        }
    }

    private void fireTimers() {
        for (Timer first = firstTimer(); first != null && first.at <= now; first = firstTimer()) {
            timers.remove();
            first.work.run();
            settle();
        }
    }

    private Timer firstTimer() {
        while (!timers.isEmpty() && timers.peek().cancelled) {
            timers.remove();
        }
        return timers.peek();
    }

    private SimProcess next() {
        int able = 0;
        for (SimProcess process : processes) {
            able += process.canRun() ? 1 : 0;
        }
        if (able == 0) {
            return null;
        }
        int which = able == 1 ? 0 : chance.nextInt(able);
        for (SimProcess process : processes) {
            if (process.canRun() && which-- == 0) {
                return process;
            }
        }
        throw new IllegalStateException("no process can run, although one could before");
    }

    /** Ends all processes, so that their threads end too. */
    public void end() {
        for (SimProcess process : List.copyOf(processes)) {
            process.end();
            unwind(process);
        }
    }

    /** Reports a failure, which ends the run. */
    public void fail(Throwable why) {
        if (failure == null) {
            failure = why;
            note("FAILED: " + why);
        }
    }

    public boolean failed() {
        return failure != null;
    }

    // The trace

    /** Adds a line to the trace. The hash contains the time of the line, but not its words, so they may be changed. */
    public void note(String what) {
        mix(0);
        trace.add(now / 1000 + " us: " + what);
        if (trace.size() > TRACE_MAX) {
            trace.removeFirst();
        }
    }

    /** Adds a value to the hash. The value must not depend on names in the code. */
    public void mix(long value) {
        hash = (hash ^ value ^ now) * 0x100000001b3L;
        hash ^= hash >>> 29;
    }

    /** A number that is equal for two runs only if they did the same. */
    public long hash() {
        return hash;
    }

    public long steps() {
        return steps;
    }

    public long calls() {
        return calls;
    }

    /** The last lines of the trace. */
    public String trace() {
        return String.join("\n", trace) + "\n";
    }
}
