package dev.muster.engine.group;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.model.GroupName;
import dev.muster.engine.group.service.GroupService;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Several processes on one memory, one thread, and a clock that moves only when it is told to. */
public final class SimulatedWorld implements AutoCloseable {
    private static final long START = Long.MAX_VALUE - 5_000_000_000L; // the clock wraps while tests run
    private static final long LONG_NANOS = Duration.ofMinutes(10).toNanos();

    private final MemoryStore memory = new MemoryStore();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private long now = START;
    private int names;
    private int deaths;

    /** One process: its store, its groups, and whether it runs. */
    public final class SimulatedProcess implements GroupRuntime {
        public final MemoryStore store = memory.anotherHost();
        final LogStore seen;
        // Wake-ups of the store come from threads, in real time. They are left out: whatever they would tell is looked
        // for with every step.
        public final GroupService groups;
        private final List<Runnable> background = new ArrayList<>();
        private long next = now;
        private long lastNews = -1;
        private boolean stopped;
        private boolean dead;
        private Runnable beforeClock = () -> {};

        SimulatedProcess(UnaryOperator<LogStore> sees) {
            this.seen = sees.apply(store);
            this.groups = new GroupService(seen, this, () -> {});
        }

        /** Once, right before this process looks at its clock. */
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

        /** As by SIGSTOP. */
        public void stop() {
            stopped = true;
        }

        public void goOn() {
            stopped = false;
        }

        /** As by SIGKILL. */
        public void kill() {
            dead = true;
            deaths++;
            store.kill();
        }

        private boolean runs() {
            return !stopped && !dead;
        }

        /** Does everything that is due at this moment. @return whether there was anything */
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

    /** One that sees the store in its own way. */
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

    /** Another number whenever there is something new for anybody. */
    private long news() {
        long news = deaths + memory.groups().topicsVersion();
        for (GroupName group : memory.groups().list()) {
            news += memory.groups().find(group).orElseThrow().endVersion();
        }
        return news;
    }

    /** Everybody does what is due, until nobody has anything to do at this moment. */
    public void settle() {
        boolean worked;
        do {
            worked = false;
            for (SimulatedProcess process : processes) {
                worked |= process.step();
            }
        } while (worked);
    }

    /** Time passes, in steps as small as anybody asks for. */
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

    /** Time passes while nobody runs. */
    public void sleep(Duration time) {
        now += time.toNanos();
    }

    /** @return how long it took until something was so */
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
