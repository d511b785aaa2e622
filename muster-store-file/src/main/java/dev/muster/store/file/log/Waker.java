package dev.muster.store.file.log;

import dev.muster.disk.Disk;
import dev.muster.disk.Machine;
import dev.muster.disk.Page;
import dev.muster.disk.PageStamp;
import dev.muster.store.file.log.segment.PartitionKey;
import dev.muster.store.watch.Registration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/**
 * Tells the waiting readers of all processes that a partition has grown. A page shared by the directory holds
 * {@value #WORDS} counters; a partition raises the one its hash falls on. One thread per process waits for the counters
 * that somebody in the process cares for, in the kernel, and calls them. A wake-up is a hint: it may come without need.
 *
 * <pre>
 *   0   counter 0, flag 0, counter 1, flag 1, … ints; a flag is set by those who wait and cleared by who wakes them
 *       0 to 63: partitions by their hash; 64 to 79: journals of groups by theirs; 80: changes of topics
 *  648  nudges: a process raises one of these to make its own waiting thread look again
 * </pre>
 */
public final class Waker implements AutoCloseable {
    public static final int PAGE_SIZE = 4096;
    private static final System.Logger LOG = System.getLogger(Waker.class.getName());

    /** The word that every change of any topic raises. */
    public static final int TOPICS = 80;

    private static final int PARTITION_WORDS = 64;
    private static final int JOURNAL_WORDS = 16;
    private static final int WORDS = TOPICS + 1;
    private static final int PAIR = 8;
    private static final int NUDGES_AT = WORDS * PAIR;
    private static final int NUDGES = (PageStamp.AT - NUDGES_AT) / 4;
    // Even if a wake-up were lost nobody waits longer than this.
    private static final long LOOK_AGAIN_NANOS = 1_000_000_000L;
    // Who may not write cannot say that it waits, and nobody wakes it.
    private static final long UNANNOUNCED_LOOK_NANOS = 10_000_000L;
    // A journal to which many processes commit moves thousands of times a second. To be told of each time would keep
    // all of them busy with being told: so many calls in so long a time, then the rest of it is waited for.
    private static final int JOURNAL_CALLS_MAX = 5;
    private static final long JOURNAL_CALLS_NANOS = 10_000_000L;

    private final Machine machine;
    private volatile Page page;
    // Added to what the page counts, so that no count comes again after a change of the page.
    private volatile long counted;
    private final int nudgeAt;
    private final List<CopyOnWriteArrayList<Subscriber>> callbacks;
    // The counters as they were when those who care were last called.
    private final AtomicIntegerArray seen = new AtomicIntegerArray(WORDS);
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean closed;

    // Of the thread that waits: when the present stretch of calls for journals began, and how many they were.
    private long journalCallsSince;
    private int journalCalls;

    /** One subscription: equal to itself only, so that one callback can be subscribed twice and closed once. */
    private static final class Subscriber {
        private final Runnable callback;

        Subscriber(Runnable callback) {
            this.callback = callback;
        }
    }

    public Waker(Machine machine, Page page, int processHash) {
        this.machine = machine;
        this.page = page;
        this.nudgeAt = NUDGES_AT + 4 * Math.floorMod(processHash, NUDGES);
        this.callbacks = IntStream.range(0, WORDS)
                .mapToObj(i -> new CopyOnWriteArrayList<Subscriber>())
                .toList();
    }

    /** From now on this page is the one. What was raised on another page meanwhile is not known, so all are called. */
    public synchronized void use(Page shared) {
        Page old = page;
        counted += 1L << Integer.SIZE;
        page = shared;
        for (int word = 0; word < WORDS; word++) {
            seen.set(word, shared.getInt(word * PAIR) - 1);
        }
        nudge(old);
    }

    /** True if the page in use is whole and this is its name; also for a page of this process alone. */
    public boolean isInPlace(Disk disk, Path name) throws IOException {
        return page.identity() == null || PageStamp.isInPlace(disk, name, page);
    }

    /** Changes with every publication of any process. */
    public long sum() {
        long sum = counted;
        for (int word = 0; word < WORDS; word++) {
            sum += page.getInt(word * PAIR);
        }
        return sum;
    }

    static int word(PartitionKey key) {
        int hash = key.topic().hashCode() * 31 + key.partition();
        return key.isJournal()
                ? PARTITION_WORDS + Math.floorMod(hash, JOURNAL_WORDS)
                : Math.floorMod(hash, PARTITION_WORDS);
    }

    /** How often a word was raised since the first process of this boot came. */
    public long count(int word) {
        return counted + Integer.toUnsignedLong(page.getInt(word * PAIR));
    }

    /** Something became visible: tell everyone, here and in other processes. */
    public void publish(int word) {
        raise(word * PAIR);
        if (word < PARTITION_WORDS || !page.writable()) {
            // Saves a thread switch. Groups take locks of their own in their callbacks: those only our thread calls.
            run(word);
        }
    }

    private void raise(int counterAt) {
        Page shared = page;
        if (shared.writable()) {
            shared.getAndAddInt(counterAt, 1);
            if (shared.getInt(counterAt + 4) != 0 && shared.getAndSetInt(counterAt + 4, 0) != 0) {
                shared.wakeAll(counterAt);
            }
        }
    }

    private void run(int word) {
        for (Subscriber subscriber : callbacks.get(word)) {
            try {
                subscriber.callback.run();
            } catch (RuntimeException | Error e) {
                // Whatever it was: the others must not miss their call for it, and the thread goes on.
                LOG.log(System.Logger.Level.WARNING, "a listener for changes failed", e);
            }
        }
    }

    public synchronized Registration subscribe(int word, Runnable callback) {
        if (callbacks.get(word).isEmpty()) {
            // Before the subscriber looks for the last time: what comes from here on wakes it.
            seen.set(word, page.getInt(word * PAIR));
        }
        Subscriber own = new Subscriber(callback);
        callbacks.get(word).add(own);
        if (started.compareAndSet(false, true)) {
            machine.thread("muster-waker", this::watch).start();
        }
        nudge();
        return () -> {
            callbacks.get(word).remove(own);
            nudge();
        };
    }

    private void nudge() {
        nudge(page);
    }

    private void nudge(Page waited) {
        if (waited.writable()) {
            waited.getAndAddInt(nudgeAt, 1);
            waited.wakeAll(nudgeAt);
        }
    }

    private void watch() {
        journalCallsSince = machine.nanoTime();
        while (!closed) {
            watch(page);
        }
    }

    private void watch(Page waited) {
        while (!closed && page == waited) {
            if (!PageStamp.isOwn(waited)) {
                // It was truncated: there is nothing to wait for until the upkeep has made another one.
                machine.pause(UNANNOUNCED_LOOK_NANOS);
            }
            int nudge = waited.getInt(nudgeAt);
            int[] words = IntStream.range(0, WORDS)
                    .filter(word -> !callbacks.get(word).isEmpty())
                    .toArray();
            int[] withoutJournals =
                    IntStream.of(words).filter(word -> !isJournal(word)).toArray();
            while (!closed && page == waited && waited.getInt(nudgeAt) == nudge && PageStamp.isOwn(waited)) {
                long rest = restFromJournals();
                if (rest > 0) {
                    await(waited, withoutJournals, nudge, rest);
                } else {
                    await(waited, words, nudge, LOOK_AGAIN_NANOS);
                }
                callThoseWhoCare(words);
            }
        }
    }

    private static boolean isJournal(int word) {
        return word >= PARTITION_WORDS && word < PARTITION_WORDS + JOURNAL_WORDS;
    }

    /** How long not to listen to journals, because they have been heard often just now. */
    private long restFromJournals() {
        if (journalCalls < JOURNAL_CALLS_MAX) {
            return 0;
        }
        return journalCallsSince + JOURNAL_CALLS_NANOS - machine.nanoTime();
    }

    private void callThoseWhoCare(int[] words) {
        for (int word : words) {
            int now = page.getInt(word * PAIR);
            if (seen.getAndSet(word, now) != now) {
                if (isJournal(word)) {
                    countJournalCall();
                }
                run(word);
            }
        }
    }

    private void countJournalCall() {
        long now = machine.nanoTime();
        if (now - journalCallsSince >= JOURNAL_CALLS_NANOS) {
            journalCallsSince = now;
            journalCalls = 0;
        }
        journalCalls++;
    }

    /** Waits until one of the words, or the nudge, is not what was seen last. */
    private void await(Page waited, int[] words, int nudge, long timeoutNanos) {
        int[] offsets = new int[words.length + 1];
        int[] expected = new int[words.length + 1];
        for (int i = 0; i < words.length; i++) {
            offsets[i] = words[i] * PAIR;
            expected[i] = seen.get(words[i]);
            if (waited.writable()) {
                waited.getAndSetInt(offsets[i] + 4, 1);
            }
        }
        offsets[words.length] = nudgeAt;
        expected[words.length] = nudge;
        waited.awaitChange(
                offsets, expected, waited.writable() ? timeoutNanos : Math.min(timeoutNanos, UNANNOUNCED_LOOK_NANOS));
    }

    @Override
    public void close() {
        closed = true;
        nudge();
    }
}
