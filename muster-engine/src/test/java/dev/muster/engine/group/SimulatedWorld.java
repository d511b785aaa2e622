package dev.muster.engine.group;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Several processes on one shared memory and one thread, with a clock that only the test moves. */
public final class SimulatedWorld implements AutoCloseable {
    private static final long START = Long.MAX_VALUE - 5_000_000_000L; // the clock wraps while tests run
    private static final long LONG_NANOS = Duration.ofMinutes(10).toNanos();

    private final MemoryStore memory = new MemoryStore();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private long now = START;
    private int names;
    private int deaths;

    private final UnaryOperator<LogStore> stores;

    public SimulatedWorld() {
        this(UnaryOperator.identity());
    }

    private SimulatedWorld(UnaryOperator<LogStore> stores) {
        this.stores = stores;
    }

    /** A world whose stores keep the contract and no more: reads are stale, lines are short, and there are no views. */
    public static SimulatedWorld unpleasant(long seed) {
        Trouble trouble = Trouble.withoutFailures(seed);
        Writers writers = new Writers();
        AtomicInteger number = new AtomicInteger();
        return new SimulatedWorld(
                store -> new UnpleasantStore(store, trouble, writers, "p" + number.incrementAndGet()));
    }

    /** One process: its store, its groups, and its state (running, suspended or dead). */
    public final class SimulatedProcess implements GroupRuntime {
        public final MemoryStore store = memory.anotherHost();
        final LogStore seen;
        // Wake-ups of the store arrive on threads, in real time. They are left out: every step checks for news instead.
        public final GroupService groups;
        private final List<Runnable> background = new ArrayList<>();
        private long next = now;
        private long lastNews = -1;
        private boolean stopped;
        private boolean dead;
        private Runnable beforeClock = () -> {};

        SimulatedProcess(UnaryOperator<LogStore> sees) {
            this.seen = sees.apply(stores.apply(store));
            this.groups = new GroupService(seen, this, () -> {});
        }

        /** Sets an action that runs once, right before this process reads its clock. */
        public void beforeClock(Runnable action) {
            beforeClock = action;
        }

        @Override
        public long nanoTime() {
            Runnable before = beforeClock;
            beforeClock = () -> {};
            before.run();
            return now;
        }

        @Override
        public long wallMillis() {
            return 1_700_000_000_000L + (now - START) / 1_000_000;
        }

        @Override
        public String freshName() {
            return "%04d".formatted(++names);
        }

        @Override
        public void inBackground(Runnable work) {
            background.add(work);
        }

        @Override
        public <T> T blocking(Supplier<T> call) {
            return call.get();
        }

        /** Suspends the process, as SIGSTOP does. */
        public void stop() {
            stopped = true;
        }

        public void goOn() {
            stopped = false;
        }

        /** Kills the process, as SIGKILL does. */
        public void kill() {
            dead = true;
            deaths++;
            store.kill();
        }

        private boolean runs() {
            return !stopped && !dead;
        }

        /** Does all work that is due at this moment. @return True if there was any */
        private boolean step() {
            boolean worked = false;
            while (runs() && (next - now <= 0 || !background.isEmpty() || lastNews != news())) {
                worked = true;
                if (!background.isEmpty()) {
                    background.removeFirst().run();
                } else {
                    lastNews = news();
                    groups.askForTheDead();
                    next = groups.step(now);
                }
            }
            return worked;
        }
    }

    public SimulatedProcess process() {
        return process(UnaryOperator.identity());
    }

    /** Starts a process with its own view of the store. */
    public SimulatedProcess process(UnaryOperator<LogStore> sees) {
        SimulatedProcess process = new SimulatedProcess(sees);
        processes.add(process);
        return process;
    }

    public void topic(String name, int partitions) {
        memory.create(new TopicName(name), partitions, TopicSettings.DEFAULT);
    }

    public MemoryStore store() {
        return memory;
    }

    public long now() {
        return now;
    }

    /** A number that changes with every event in the world. */
    private long news() {
        long news = deaths + memory.topicsVersion();
        for (GroupName group : memory.groups().list()) {
            news += memory.groups().find(group).orElseThrow().endVersion();
        }
        return news;
    }

    /** Runs all processes until no work is due at this moment. */
    public void settle() {
        boolean worked;
        do {
            worked = false;
            for (SimulatedProcess process : processes) {
                worked |= process.step();
            }
        } while (worked);
    }

    /** Lets time pass, in steps as small as a process asks for. */
    public void pass(Duration time) {
        long end = now + time.toNanos();
        settle();
        while (now - end < 0) {
            long next = end;
            for (SimulatedProcess process : processes) {
                if (process.runs() && process.next - next < 0) {
                    next = process.next;
                }
            }
            now = Math.max(next - now, 1) + now;
            settle();
        }
    }

    /** Lets time pass while no process runs. */
    public void sleep(Duration time) {
        now += time.toNanos();
    }

    /** @return the time until the condition was true */
    public Duration passUntil(String what, BooleanSupplier condition) {
        long begin = now;
        settle();
        while (!condition.getAsBoolean()) {
            if (now - begin > LONG_NANOS) {
                throw new AssertionError("never happened: " + what);
            }
            pass(Duration.ofMillis(1));
        }
        return Duration.ofNanos(now - begin);
    }

    @Override
    public void close() {
        processes.forEach(process -> {
            if (!process.dead) {
                process.groups.close();
                process.store.close();
            }
        });
        memory.close();
    }
}
