package dev.muster.it.kafka;

import dev.muster.it.TestProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Members of one group, a process each, and a referee that reads their output. Safe for many threads. */
final class MixedCrew implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final int partitions;
    private final List<Hand> hands = new ArrayList<>();

    MixedCrew(int partitions) {
        this.partitions = partitions;
    }

    /** One line. {@code at} is on the clock that all processes of the machine share. */
    private record Said(Hand by, long at, String what, String more) {
        List<Integer> numbers() {
            List<Integer> numbers = new ArrayList<>();
            for (String number : more.split(",")) {
                if (!number.isEmpty()) {
                    numbers.add(Integer.valueOf(number));
                }
            }
            return numbers;
        }
    }

    /** A member. */
    final class Hand {
        final String name;
        private final TestProcess process;
        private final List<Said> said = new ArrayList<>();
        private final SortedSet<Integer> owned = new TreeSet<>();
        private boolean killed;

        private Hand(String name, TestProcess process) {
            this.name = name;
            this.process = process;
        }

        private void listen() {
            try {
                for (String line = process.readLine(); line != null; line = process.readLine()) {
                    String[] words = line.split(" ", 3);
                    hear(new Said(this, Long.parseLong(words[0]), words[1], words.length < 3 ? "" : words[2]));
                }
            } catch (IOException | RuntimeException e) {
                System.err.println("cannot understand " + name + ": " + e);
            }
        }

        private void hear(Said one) {
            synchronized (MixedCrew.this) {
                said.add(one);
                switch (one.what()) {
                    case "assigned" -> owned.addAll(one.numbers());
                    case "revoked", "lost" -> owned.removeAll(one.numbers());
                    case "left" -> owned.clear();
                    default -> {}
                }
                MixedCrew.this.notifyAll();
            }
        }

        SortedSet<Integer> owned() {
            synchronized (MixedCrew.this) {
                return new TreeSet<>(owned);
            }
        }

        void leave() throws IOException, InterruptedException {
            process.tell("leave");
            if (process.await() != 0) {
                throw new AssertionError(name + " did not end well; it said " + lastWords());
            }
            awaitTrue(() -> has("left"), () -> name + " said that it left");
        }

        private boolean has(String what) {
            return said.stream().anyMatch(one -> one.what().equals(what));
        }

        /** SIGKILL. */
        void kill() throws IOException, InterruptedException {
            synchronized (MixedCrew.this) {
                killed = true;
            }
            process.kill();
            synchronized (MixedCrew.this) {
                owned.clear();
            }
        }

        private List<String> lastWords() {
            synchronized (MixedCrew.this) {
                return said.subList(Math.max(0, said.size() - 12), said.size()).stream()
                        .map(one -> one.what() + " " + one.more())
                        .toList();
            }
        }

        @Override
        public String toString() {
            return name + owned();
        }
    }

    Hand start(String kind, String group, String topic, Object where) throws IOException {
        Hand hand = new Hand(
                kind + "-" + (hands.size() + 1), TestProcess.start(MixedMember.class, kind, group, topic, where));
        synchronized (this) {
            hands.add(hand);
        }
        Thread.ofPlatform().daemon().name("listens to " + hand.name).start(hand::listen);
        return hand;
    }

    /** Waits until these members own all partitions between them, each at least one. */
    void awaitShared(Hand... those) throws InterruptedException {
        awaitTrue(() -> shared(those), () -> "shared by " + List.of(those));
    }

    private boolean shared(Hand... those) {
        SortedSet<Integer> all = new TreeSet<>();
        int count = 0;
        for (Hand hand : those) {
            if (hand.owned.isEmpty()) {
                return false;
            }
            all.addAll(hand.owned);
            count += hand.owned.size();
        }
        return all.size() == partitions && count == partitions;
    }

    private synchronized void awaitTrue(BooleanSupplier wanted, Supplier<String> what) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!wanted.getAsBoolean()) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                StringBuilder words = new StringBuilder("did not come true: " + what.get());
                hands.forEach(
                        hand -> words.append('\n').append(hand).append(" said ").append(hand.lastWords()));
                throw new AssertionError(words.toString());
            }
            wait(Math.min(left, 200));
        }
    }

    // The referee

    /** Waits until all records were delivered. */
    void awaitAll(long[] ends) throws InterruptedException {
        awaitTrue(() -> missing(ends) == 0, () -> missing(ends) + " records are still to come");
    }

    private long missing(long[] ends) {
        long missing = 0;
        for (int partition = 0; partition < partitions; partition++) {
            BitSet seen = new BitSet();
            for (Said one : all("polled")) {
                for (long[] range : ranges(one, partition)) {
                    seen.set((int) range[0], (int) range[1] + 1);
                }
            }
            missing += ends[partition] - seen.get(0, (int) ends[partition]).cardinality();
        }
        return missing;
    }

    /** The number of records that were delivered more than once. */
    synchronized long doubled() {
        long doubled = 0;
        for (int partition = 0; partition < partitions; partition++) {
            BitSet seen = new BitSet();
            for (Said one : all("polled")) {
                for (long[] range : ranges(one, partition)) {
                    doubled += seen.get((int) range[0], (int) range[1] + 1).cardinality();
                    seen.set((int) range[0], (int) range[1] + 1);
                }
            }
        }
        return doubled;
    }

    /** The lines of each member around repeated deliveries, to find the cause. */
    synchronized String doubledBy() {
        StringBuilder words = new StringBuilder();
        for (int partition = 0; partition < partitions; partition++) {
            Map<Long, Said> first = new HashMap<>();
            for (Said one : inOrder("polled")) {
                for (long[] range : ranges(one, partition)) {
                    for (long offset = range[0]; offset <= range[1]; offset++) {
                        Said before = first.putIfAbsent(offset, one);
                        if (before != null) {
                            words.append("\nrecord ")
                                    .append(offset)
                                    .append(" of partition ")
                                    .append(partition);
                            words.append(around(before)).append(around(one));
                        }
                    }
                }
            }
        }
        return words.toString();
    }

    private static String around(Said one) {
        List<Said> all = one.by().said;
        int at = all.indexOf(one);
        return "\n  " + one.by().name + " "
                + all.subList(Math.max(0, at - 3), Math.min(all.size(), at + 6)).stream()
                        .map(word -> word.at() + " " + word.what() + " " + word.more())
                        .toList();
    }

    private List<Said> inOrder(String what) {
        return all(what).stream().sorted(Comparator.comparingLong(Said::at)).toList();
    }

    private static List<long[]> ranges(Said one, int partition) {
        List<long[]> ranges = new ArrayList<>();
        for (String range : one.more().split(",")) {
            String[] numbers = range.split("[=-]");
            if (Integer.parseInt(numbers[0]) == partition) {
                ranges.add(new long[] {Long.parseLong(numbers[1]), Long.parseLong(numbers[2])});
            }
        }
        return ranges;
    }

    private List<Said> all(String what) {
        return hands.stream()
                .flatMap(hand -> hand.said.stream())
                .filter(one -> one.what().equals(what))
                .toList();
    }

    /** All violations: two owners at one time, records of non-owners, failures. */
    synchronized List<String> fouls() {
        List<String> fouls = new ArrayList<>();
        Map<Integer, Hand> owners = new HashMap<>();
        List<Said> lines = hands.stream()
                .flatMap(hand -> hand.said.stream())
                .sorted(Comparator.comparingLong(Said::at))
                .toList();
        for (Said one : lines) {
            switch (one.what()) {
                case "assigned" ->
                    one.numbers().forEach(partition -> {
                        Hand before = owners.put(partition, one.by());
                        if (before != null && before != one.by() && !before.killed) {
                            fouls.add(one.by().name + " was given " + partition + " while " + before.name + " had it");
                        }
                    });
                case "revoked", "lost" -> one.numbers().forEach(partition -> owners.remove(partition, one.by()));
                case "left" -> owners.values().removeIf(one.by()::equals);
                case "polled" -> {
                    for (String range : one.more().split(",")) {
                        int partition = Integer.parseInt(range.substring(0, range.indexOf('=')));
                        if (owners.get(partition) != one.by()) {
                            fouls.add(one.by().name + " read " + range + ", which is of " + owners.get(partition));
                        }
                    }
                }
                // A failed commit is repeated; the delivered records show whether that was in time.
                case "committed", "refused" -> {}
                default -> fouls.add(one.by().name + ": " + one.what() + " " + one.more());
            }
        }
        return fouls;
    }

    /** The number of lines of this kind. */
    synchronized int count(String what) {
        return all(what).size();
    }

    @Override
    public void close() {
        hands.forEach(hand -> hand.process.close());
    }
}
