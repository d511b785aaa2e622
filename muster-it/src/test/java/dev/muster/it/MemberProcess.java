package dev.muster.it;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/** A {@link GroupMemberMain} in its own process, with all its output. Closing it kills the process. */
final class MemberProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final String name;
    private final Child child;
    private final List<Said> said = new ArrayList<>();
    private final SortedSet<Integer> owned = new TreeSet<>();
    private boolean silent;

    /** One line. {@code at} is on the clock that all processes of the machine share. */
    record Said(long at, String what, String more) {
        static Said parse(String line) {
            String[] words = line.split(" ", 3);
            return new Said(Long.parseLong(words[0]), words[1], words.length < 3 ? "" : words[2]);
        }

        /** The partitions of {@code assigned}, {@code revoked} and {@code lost}. */
        SortedSet<Integer> partitions() {
            SortedSet<Integer> partitions = new TreeSet<>();
            for (String partition : more.substring(more.indexOf(' ') + 1).split(",")) {
                partitions.add(Integer.valueOf(partition));
            }
            return partitions;
        }

        /** The partitions of a wire client's {@code refused}. */
        SortedSet<Integer> refused() {
            SortedSet<Integer> partitions = new TreeSet<>();
            for (String partition : more.substring(0, more.indexOf(' ')).split(",")) {
                partitions.add(Integer.valueOf(partition));
            }
            return partitions;
        }

        /** The records of {@code polled}. */
        List<Range> ranges() {
            List<Range> ranges = new ArrayList<>();
            for (String range : more.split(",")) {
                String[] numbers = range.split("[=-]");
                ranges.add(new Range(
                        Integer.parseInt(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2])));
            }
            return ranges;
        }

        boolean is(String kind) {
            return what.equals(kind);
        }
    }

    /** Records of one partition that were handed out together. */
    record Range(int partition, long first, long last) {}

    private MemberProcess(String name, Child child) {
        this.name = name;
        this.child = child;
    }

    /** Starts the process, which waits for {@link #go}. */
    static MemberProcess start(Path directory, String id, String... options) throws IOException {
        return start(List.of(), directory, id, options);
    }

    static MemberProcess start(List<String> jvm, Path directory, String id, String... options) throws IOException {
        List<Object> arguments = new ArrayList<>();
        arguments.add(directory);
        arguments.add("id=" + id);
        arguments.addAll(List.of(options));
        return listenTo(id, Child.start(jvm, GroupMemberMain.class, arguments.toArray()));
    }

    /** A member of another kind, with the same lines and commands as {@link GroupMemberMain}. */
    static MemberProcess listenTo(String id, Child child) {
        MemberProcess process = new MemberProcess(id, child);
        Thread.ofPlatform().daemon().name("listens to " + id).start(process::listen);
        return process;
    }

    /** Starts the process, and lets it join at once. */
    static MemberProcess join(Path directory, String id, String... options) throws IOException {
        MemberProcess process = start(directory, id, options);
        process.go();
        return process;
    }

    private void listen() {
        try {
            for (String line = child.readLine(); line != null; line = child.readLine()) {
                Said one = Said.parse(line);
                synchronized (said) {
                    said.add(one);
                    note(one);
                    said.notifyAll();
                }
            }
        } catch (IOException | RuntimeException e) {
            if (child.isAlive()) {
                System.err.println("cannot understand " + name + ": " + e);
            }
        } finally {
            synchronized (said) {
                silent = true;
                said.notifyAll();
            }
        }
    }

    private void note(Said one) {
        switch (one.what()) {
            case "assigned" -> owned.addAll(one.partitions());
            case "revoked", "lost" -> owned.removeAll(one.partitions());
            case "left" -> owned.clear();
            default -> {}
        }
    }

    void awaitReady() throws InterruptedException {
        await("ready", one -> one.is("ready"));
    }

    void go() throws IOException {
        child.tell("go");
    }

    void tell(String command) throws IOException {
        try {
            child.tell(command);
        } catch (IOException e) {
            int spoken = spoken();
            throw new AssertionError(
                    name + " has ended by itself; its last words: " + said(Math.max(0, spoken - 3)), e);
        }
    }

    String name() {
        return name;
    }

    Child child() {
        return child;
    }

    /** The number of lines of its output. */
    int spoken() {
        synchronized (said) {
            return said.size();
        }
    }

    /** The output after this number of lines. */
    List<Said> said(int from) {
        synchronized (said) {
            return List.copyOf(said.subList(from, said.size()));
        }
    }

    List<Said> said() {
        synchronized (said) {
            return List.copyOf(said);
        }
    }

    /** The whole output of the dead process. */
    List<Said> lastWords() throws InterruptedException {
        synchronized (said) {
            while (!silent) {
                said.wait();
            }
            return List.copyOf(said);
        }
    }

    Said await(String what, Predicate<Said> wanted) throws InterruptedException {
        return await(what, 0, wanted);
    }

    /** Waits for the first matching line after the first {@code from} lines. */
    Said await(String what, int from, Predicate<Said> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        synchronized (said) {
            for (int i = from; ; i++) {
                while (i >= said.size()) {
                    long left = (deadline - System.nanoTime()) / 1_000_000;
                    if (silent || left <= 0) {
                        if (!silent) {
                            child.printThreads();
                        }
                        throw new AssertionError(name + (silent ? " is dead" : " is alive") + " and did not say \""
                                + what + "\"; it said " + said);
                    }
                    said.wait(left);
                }
                if (wanted.test(said.get(i))) {
                    return said.get(i);
                }
            }
        }
    }

    /**
     * Waits until the process stopped itself; empty if it lost its partitions instead, after the first {@code from}
     * lines.
     */
    Optional<Said> awaitStopped(int from) throws InterruptedException {
        Said word = await("stopping", from, one -> one.is("stopping") || one.is("lost"));
        if (word.is("lost")) {
            return Optional.empty();
        }
        child.awaitStopped();
        return Optional.of(word);
    }

    /** Waits until its partitions match the condition, and returns them. */
    SortedSet<Integer> awaitOwned(Predicate<SortedSet<Integer>> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        synchronized (said) {
            while (!wanted.test(owned())) {
                long left = (deadline - System.nanoTime()) / 1_000_000;
                if (silent || left <= 0) {
                    if (!silent) {
                        child.printThreads();
                    }
                    throw new AssertionError(name + " owns " + owned() + "; it said " + said);
                }
                said.wait(left);
            }
            return owned();
        }
    }

    /** The partitions that it owns, by its output. */
    SortedSet<Integer> owned() {
        synchronized (said) {
            return new TreeSet<>(owned);
        }
    }

    void leave() throws IOException, InterruptedException {
        child.tell("leave");
        awaitLeft();
    }

    /** Waits until the process has ended after a leave command. Fails if its exit code is not 0. */
    void awaitLeft() throws InterruptedException {
        int exit = child.await();
        if (exit != 0) {
            throw new AssertionError(name + " ended with " + exit + "; it said " + lastWords());
        }
    }

    @Override
    public void close() {
        child.close();
    }
}
