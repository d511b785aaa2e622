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
 * Wakes the waiting readers of all processes when a partition has grown. A page that the whole directory shares holds
 * {@value #WORDS} counters. A partition raises the counter that its hash selects. One thread per process waits in the
 * kernel for the counters with subscribers, and calls these. A wake-up is a hint: it may come without need.
 *
 * <pre>
 *   0   counter 0, flag 0, counter 1, flag 1, … ints; a waiting thread sets its flag, a waking one clears it
 *       0 to 63: partitions by their hash; 64 to 79: journals of groups by theirs; 80: changes of topics
 *  648  own words: a process raises one of these, and its own waiting thread looks again
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
    private static final int OWN_WORDS_AT = WORDS * PAIR;
    private static final int OWN_WORDS = (PageStamp.AT - OWN_WORDS_AT) / 4;
    // A wait never takes longer than this, even if a wake-up were lost.
    private static final long LOOK_AGAIN_NANOS = 1_000_000_000L;
    // A process that may not write cannot set its flag, so no process wakes it, and it looks this often.
    private static final long UNANNOUNCED_LOOK_NANOS = 10_000_000L;
    // A journal to which many processes commit grows thousands of times a second. A call for each append would keep all
    // processes busy with the calls. So there are at most this many calls in each of these periods.
    private static final int JOURNAL_CALLS_MAX = 5;
    private static final long JOURNAL_CALLS_NANOS = 10_000_000L;

    private final Machine machine;
    private volatile Page page;
    // Added to the counters of the page, so that no count repeats after a change of the page.
    private volatile long counted;
    private final int ownWordAt;
    private final List<CopyOnWriteArrayList<Subscriber>> callbacks;
    // The counters as they were at the last calls of the subscribers.
    private final AtomicIntegerArray seen = new AtomicIntegerArray(WORDS);
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean closed;

    // Used by the waiting thread only: the start of the current period of calls for journals, and the number of these
    // calls.
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
        this.ownWordAt = OWN_WORDS_AT + 4 * Math.floorMod(processHash, OWN_WORDS);
        this.callbacks = IntStream.range(0, WORDS)
                .mapToObj(i -> new CopyOnWriteArrayList<Subscriber>())
                .toList();
    }

    /**
     * Uses this page from now on. It is not known what was raised on another page meanwhile, so all subscribers are
     * called.
     */
    public synchronized void use(Page shared) {
        Page old = page;
        counted += 1L << Integer.SIZE;
        page = shared;
        for (int word = 0; word < WORDS; word++) {
            seen.set(word, shared.getInt(word * PAIR) - 1);
        }
        wakeOwnThread(old);
    }

    /** True if the page in use is whole and this is its name. Also true for a page that is not shared. */
    public boolean isInPlace(Disk disk, Path name) throws IOException {
        return page.identity() == null || PageStamp.isInPlace(disk, name, page);
    }

    /** The sum of all counters. It changes with every publication of any process. */
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

    /** The number of times that a word was raised since the first process of this boot started. */
    public long count(int word) {
        return counted + Integer.toUnsignedLong(page.getInt(word * PAIR));
    }

    /** Wakes the subscribers of this process and of all others after a change became visible. */
    public void publish(int word) {
        raise(word * PAIR);
        if (word < PARTITION_WORDS || !page.writable()) {
            // Called here to save a thread switch. The callbacks of groups take locks of their own, so only the waiting
            // thread may call those.
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
                // Any failure: the other subscribers must still be called, and the thread continues.
                LOG.log(System.Logger.Level.WARNING, "a listener for changes failed", e);
            }
        }
    }

    public synchronized Registration subscribe(int word, Runnable callback) {
        if (callbacks.get(word).isEmpty()) {
            // Before the subscriber checks for the last time: every later change wakes it.
            seen.set(word, page.getInt(word * PAIR));
        }
        Subscriber own = new Subscriber(callback);
        callbacks.get(word).add(own);
        if (started.compareAndSet(false, true)) {
            machine.thread("muster-waker", this::watch).start();
        }
        wakeOwnThread();
        return () -> {
            callbacks.get(word).remove(own);
            wakeOwnThread();
        };
    }

    private void wakeOwnThread() {
        wakeOwnThread(page);
    }

    private void wakeOwnThread(Page waited) {
        if (waited.writable()) {
            waited.getAndAddInt(ownWordAt, 1);
            waited.wakeAll(ownWordAt);
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
                // The page was truncated: there is nothing to wait for until the upkeep has created another one.
                machine.pause(UNANNOUNCED_LOOK_NANOS);
            }
            int ownWord = waited.getInt(ownWordAt);
            int[] words = IntStream.range(0, WORDS)
                    .filter(word -> !callbacks.get(word).isEmpty())
                    .toArray();
            int[] withoutJournals =
                    IntStream.of(words).filter(word -> !isJournal(word)).toArray();
            while (!closed && page == waited && waited.getInt(ownWordAt) == ownWord && PageStamp.isOwn(waited)) {
                long pause = pauseOfJournals();
                if (pause > 0) {
                    await(waited, withoutJournals, ownWord, pause);
                } else {
                    await(waited, words, ownWord, LOOK_AGAIN_NANOS);
                }
                callSubscribers(words);
            }
        }
    }

    private static boolean isJournal(int word) {
        return word >= PARTITION_WORDS && word < PARTITION_WORDS + JOURNAL_WORDS;
    }

    /** The time in which calls for journals are left out, because there were many just now. */
    private long pauseOfJournals() {
        if (journalCalls < JOURNAL_CALLS_MAX) {
            return 0;
        }
        return journalCallsSince + JOURNAL_CALLS_NANOS - machine.nanoTime();
    }

    private void callSubscribers(int[] words) {
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

    /** Waits until one of the words, or the own word of this process, differs from the value seen last. */
    private void await(Page waited, int[] words, int ownWord, long timeoutNanos) {
        int[] offsets = new int[words.length + 1];
        int[] expected = new int[words.length + 1];
        for (int i = 0; i < words.length; i++) {
            offsets[i] = words[i] * PAIR;
            expected[i] = seen.get(words[i]);
            if (waited.writable()) {
                waited.getAndSetInt(offsets[i] + 4, 1);
            }
        }
        offsets[words.length] = ownWordAt;
        expected[words.length] = ownWord;
        waited.awaitChange(
                offsets, expected, waited.writable() ? timeoutNanos : Math.min(timeoutNanos, UNANNOUNCED_LOOK_NANOS));
    }

    @Override
    public void close() {
        closed = true;
        wakeOwnThread();
    }
}
