package dev.muster.it;

import dev.muster.core.TopicPartition;
import dev.muster.disk.DiskFile;
import dev.muster.disk.local.NativeDisk;
import dev.muster.embedded.Codec;
import dev.muster.embedded.CommitRefusedException;
import dev.muster.embedded.ConsumerBuilder;
import dev.muster.embedded.GroupConsumer;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.MusterOverStore;
import dev.muster.embedded.Producer;
import dev.muster.embedded.RebalanceListener;
import dev.muster.embedded.Received;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A process with one member of a group. It prints its events, a line each: {@code <nanos> <what> <more>}. Each line is
 * written at once, with the machine's clock, which all processes share. It prints a partition before it hands out its
 * records, and a release before the group learns of it.
 *
 * <p>Arguments: the directory, then {@code key=value}; see {@link #main}. It reads commands from its input:
 *
 * <ul>
 *   <li>{@code go}: join, and begin to poll
 *   <li>{@code commit}: commit once more what was committed last, from between two polls
 *   <li>{@code stop-holding REGEX}: stop itself (SIGSTOP) as soon as it holds the lock of such a file, which it came to
 *       hold in the course of its work; needs {@code stoppable}
 *   <li>{@code lock-and-stop FILE…}: take the locks of these files and stop itself
 *   <li>{@code leave}: close the consumer and end
 * </ul>
 *
 * With {@code freezable} a record with the value {@link #FREEZE} makes it stop itself with the record in hand.
 */
final class GroupMemberMain {
    static final String TOPIC = "orders";
    static final String GROUP = "workers";
    static final String FREEZE = "freeze";

    private final Map<String, String> options;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final CountDownLatch go = new CountDownLatch(1);
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private Map<TopicPartition, Long> lastCommit = Map.of();
    private GroupConsumer<byte[], String> consumer;
    private volatile boolean leaving;
    private volatile Pattern stopHolding;

    private GroupMemberMain(Map<String, String> options) {
        this.options = options;
    }

    /**
     * Keys: {@code group}, {@code id}, {@code instance}, {@code session} and {@code heartbeat} (ms), {@code records}
     * (the most that a poll returns), {@code commit} ({@code each}: by hand after each poll, {@code none}, or a number:
     * automatically after so many ms), {@code rehearse} (a directory of its own in which it is a member before, so that
     * its code is loaded).
     */
    public static void main(String[] args) throws Exception {
        Map<String, String> options = new HashMap<>();
        for (String arg : List.of(args).subList(1, args.length)) {
            options.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
        }
        new GroupMemberMain(options).run(Path.of(args[0]));
    }

    private void run(Path directory) throws Exception {
        if (options.containsKey("rehearse")) {
            rehearse(Path.of(options.get("rehearse")));
        }
        FileStoreOptions storeOptions =
                FileStoreOptions.defaults().withDisk(StoppingDisk.over(NativeDisk.orFallback(), this::stopIfHolding));
        try (Muster muster = options.containsKey("stoppable")
                ? MusterOverStore.open(FileStore.open(directory, storeOptions))
                : Muster.open(directory)) {
            consumer = builder(muster).open();
            Thread.ofPlatform().daemon().start(this::listen);
            say(
                    System.nanoTime(),
                    "ready",
                    Long.toString(ProcessHandle.current().pid()));
            go.await();
            say(System.nanoTime(), "joining", "");
            work();
            consumer.close();
            say(System.nanoTime(), "left", "");
        } catch (Throwable e) {
            say(System.nanoTime(), "trouble", e.toString());
            throw e;
        }
    }

    private static void rehearse(Path directory) {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, 2);
            Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING);
            GroupConsumer<byte[], byte[]> first = muster.consumer(GROUP, TOPIC).open();
            GroupConsumer<byte[], byte[]> second = muster.consumer(GROUP, TOPIC).open();
            producer.send(Message.<byte[], String>of("a record").withPartition(0));
            while (first.poll(Duration.ofMillis(10)).isEmpty()) {
                Thread.onSpinWait();
            }
            first.commit();
            while (second.assignment().partitions().isEmpty()) {
                first.poll(Duration.ofMillis(1));
                second.poll(Duration.ofMillis(1));
            }
        }
    }

    private ConsumerBuilder<byte[], String> builder(Muster muster) {
        ConsumerBuilder<byte[], String> builder = muster.consumer(options.getOrDefault("group", GROUP), TOPIC)
                .values(Codec.STRING)
                .id(options.getOrDefault("id", "member"))
                .listener(new Listener());
        if (options.containsKey("instance")) {
            builder = builder.instance(options.get("instance"));
        }
        if (options.containsKey("session")) {
            builder = builder.session(Duration.ofMillis(Long.parseLong(options.get("session"))));
        }
        if (options.containsKey("heartbeat")) {
            builder = builder.heartbeat(Duration.ofMillis(Long.parseLong(options.get("heartbeat"))));
        }
        if (options.containsKey("records")) {
            builder = builder.maxRecords(Integer.parseInt(options.get("records")));
        }
        String commit = options.getOrDefault("commit", "each");
        return commit.equals("each") || commit.equals("none")
                ? builder.commitByHand()
                : builder.commitEvery(Duration.ofMillis(Long.parseLong(commit)));
    }

    private final class Listener implements RebalanceListener {
        @Override
        public void assigned(long generation, java.util.Set<TopicPartition> partitions) {
            say(System.nanoTime(), "assigned", generation + " " + names(partitions));
        }

        @Override
        public void revoked(long generation, java.util.Set<TopicPartition> partitions) {
            say(System.nanoTime(), "revoked", generation + " " + names(partitions));
        }

        @Override
        public void lost(long generation, java.util.Set<TopicPartition> partitions) {
            say(System.nanoTime(), "lost", generation + " " + names(partitions));
        }

        private static String names(java.util.Set<TopicPartition> partitions) {
            return partitions.stream()
                    .map(partition -> Integer.toString(partition.partition()))
                    .collect(Collectors.joining(","));
        }
    }

    private void work() {
        boolean byHand = options.getOrDefault("commit", "each").equals("each");
        while (!leaving) {
            List<Received<byte[], String>> records = consumer.poll(Duration.ofSeconds(1));
            long at = System.nanoTime();
            if (!records.isEmpty()) {
                SortedMap<TopicPartition, Long> next = tell(at, records);
                if (options.containsKey("freezable")
                        && records.stream().anyMatch(record -> record.value().equals(FREEZE))) {
                    say(System.nanoTime(), "stopping", "with a record in hand");
                    Stop.self();
                    say(System.nanoTime(), "continued", "");
                }
                if (byHand) {
                    commit(next);
                }
            }
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }
    }

    /** Prints the records that were handed out. Returns the next offsets of their partitions. */
    private SortedMap<TopicPartition, Long> tell(long at, List<Received<byte[], String>> records) {
        SortedMap<TopicPartition, Long> next = new TreeMap<>();
        StringBuilder ranges = new StringBuilder();
        Received<byte[], String> first = null;
        Received<byte[], String> last = null;
        for (Received<byte[], String> record : records) {
            boolean goesOn =
                    last != null && last.partition() == record.partition() && last.offset() + 1 == record.offset();
            if (!goesOn && first != null) {
                range(ranges, first, last);
            }
            first = goesOn ? first : record;
            last = record;
            next.put(record.topicPartition(), record.offset() + 1);
            if (record.value().startsWith("#") && !record.value().equals("#" + record.offset())) {
                say(at, "wrong", record.partition() + "=" + record.offset() + " is " + record.value());
            }
        }
        range(ranges, first, last);
        say(at, "polled", ranges.toString());
        return next;
    }

    private static void range(StringBuilder to, Received<?, ?> first, Received<?, ?> last) {
        to.append(to.isEmpty() ? "" : ",").append(first.partition()).append('=');
        to.append(first.offset()).append('-').append(last.offset());
    }

    private void commit(Map<TopicPartition, Long> next) {
        lastCommit = next;
        try {
            consumer.commit(next);
            say(
                    System.nanoTime(),
                    "committed",
                    next.entrySet().stream()
                            .map(one -> one.getKey().partition() + "=" + one.getValue())
                            .collect(Collectors.joining(",")));
        } catch (CommitRefusedException e) {
            say(System.nanoTime(), "refused", e.getMessage());
        }
    }

    private void listen() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String command = line.split(" ")[0];
                switch (command) {
                    case "go" -> go.countDown();
                    case "commit" -> {
                        tasks.add(() -> commit(lastCommit));
                        consumer.wakeup();
                    }
                    case "stop-holding" -> {
                        stopHolding = Pattern.compile(line.substring(command.length() + 1));
                        say(System.nanoTime(), "armed", "");
                    }
                    case "lock-and-stop" ->
                        lockAndStop(line.substring(command.length() + 1).split(" "));
                    case "leave" -> {
                        leaving = true;
                        go.countDown();
                        consumer.wakeup();
                    }
                    default -> throw new IllegalArgumentException(line);
                }
            }
            // The process that started this one is gone.
            Runtime.getRuntime().halt(3);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void lockAndStop(String... files) throws IOException {
        List<DiskFile> locked = new ArrayList<>();
        for (String file : files) {
            DiskFile one = NativeDisk.orFallback().openForAppend(Path.of(file));
            while (!one.tryLock()) {
                Thread.onSpinWait();
            }
            locked.add(one);
        }
        say(System.nanoTime(), "stopping", "holding " + locked.size() + " locks");
        Stop.self();
        say(System.nanoTime(), "continued", "");
        locked.forEach(DiskFile::close);
    }

    private void stopIfHolding(Path file) {
        Pattern wanted = stopHolding;
        if (wanted != null && wanted.matcher(file.toString()).find()) {
            stopHolding = null;
            say(System.nanoTime(), "stopping", file.toString());
            Stop.self();
            say(System.nanoTime(), "continued", "");
        }
    }

    private void say(long at, String what, String more) {
        try {
            // One write: a line is complete or missing, even if the process is killed.
            out.write((at + " " + what + " " + more + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
