package dev.muster.it;

import static dev.muster.it.GroupMemberMain.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.embedded.Codec;
import dev.muster.embedded.Message;
import dev.muster.embedded.Muster;
import dev.muster.embedded.Producer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The system calls and the processor time of an idle member, counted by strace and by the kernel. */
@Tag("figures")
class IdleMemberIT {
    private static final int HEARTBEAT_MS = 5000;
    private static final int INTERVALS = Rounds.count(2);
    private static final int CALLS_MAX = 2;
    private static final double CPU_MAX_PERCENT = 1;
    /** On a slow machine a member may still have work in the first windows. */
    private static final int WINDOWS_MAX = 6;

    private static final Duration TIME_MAX =
            Duration.ofMinutes(5).plusMillis((long) WINDOWS_MAX * INTERVALS * HEARTBEAT_MS);

    /** Calls that wait, sleep, or manage memory and threads. All other calls might access a file, and count. */
    private static final Pattern HARMLESS =
            Pattern.compile("futex.*|(p?select|p?poll|epoll)\\w*|restart_syscall|clone.*"
                + "|(clock_)?(nanosleep|gettime)|sched_\\w+|gettid|getpid|tgkill|rt_sig\\w+|m(map|unmap|protect|advise)"
                + "|set_robust_list|rseq|prctl|exit|getrusage|membarrier|ppoll");

    private static final Pattern CALL = Pattern.compile("^\\d+\\s+(?:<\\.\\.\\. )?(\\w+)(?:\\((.*)| resumed.*)");

    @TempDir
    Path directory;

    @TempDir
    Path scratch;

    @Test
    void anIdleMemberMakesAtMostTwoFileSystemCallsPerHeartbeat() throws Exception {
        assumeTrue(hasStrace(), "strace is not installed: file-system calls are not counted");
        assertTimeoutPreemptively(TIME_MAX, this::watchAnIdleMember);
    }

    private void watchAnIdleMember() throws Exception {
        try (Muster muster = Muster.open(directory)) {
            muster.topics().create(TOPIC, 4);
            try (MemberProcess traced = MemberProcess.join(directory, "traced");
                    MemberProcess other = MemberProcess.join(directory, "other")) {
                traced.awaitOwned(owned -> owned.size() == 2);
                other.awaitOwned(owned -> owned.size() == 2);
                // Delayed work of the join, such as views, must be done first.
                Rounds.letTimePass(3000);
                Idleness seen = watch(traced, other);
                for (int window = 1; window < WINDOWS_MAX && seen.sum() > CALLS_MAX * INTERVALS; window++) {
                    // On a slow machine the work may take longer; a member that is never idle fails in the end.
                    seen = watch(traced, other);
                }
                // Calls and CPU time are of the same window, the last one.
                assertThat(seen.sum()).as("calls: " + seen.calls()).isLessThanOrEqualTo(CALLS_MAX * INTERVALS);
                Figures.assertBelow("CPU in %", seen.percent(), CPU_MAX_PERCENT);
                // The calls of a busy member are counted, so the count above is valid.
                int partition = traced.owned().first();
                Map<String, Integer> busy = trace(traced, () -> {
                    try (Producer<byte[], String> producer = muster.producer(TOPIC, Codec.BYTES, Codec.STRING)) {
                        producer.send(Message.<byte[], String>of("a record").withPartition(partition));
                    }
                    traced.await("committed", one -> one.is("committed"));
                });
                assertThat(busy.keySet()).contains("write");
                traced.leave();
                other.leave();
            }
        }
    }

    /**
     * The activity of two members.
     *
     * @param calls the calls of the traced member, by name
     * @param cpuMillis the processor time of the other member, which is not traced
     */
    private record Idleness(Map<String, Integer> calls, long cpuMillis) {
        int sum() {
            return calls.values().stream().mapToInt(Integer::intValue).sum();
        }

        double percent() {
            return 100.0 * cpuMillis / (INTERVALS * HEARTBEAT_MS);
        }
    }

    private Idleness watch(MemberProcess traced, MemberProcess other) throws Exception {
        long before = cpuMillis(other);
        Map<String, Integer> calls = trace(traced, () -> Rounds.letTimePass((long) INTERVALS * HEARTBEAT_MS));
        Idleness seen = new Idleness(calls, cpuMillis(other) - before);
        System.out.printf(
                "an idle member, heartbeat %d ms: %.1f file-system calls per interval %s (target: at most %d);"
                        + " CPU of the other one %d ms in %d ms, %.2f %%%n",
                HEARTBEAT_MS,
                seen.sum() / (double) INTERVALS,
                seen.calls(),
                CALLS_MAX,
                seen.cpuMillis(),
                INTERVALS * HEARTBEAT_MS,
                seen.percent());
        return seen;
    }

    private static boolean hasStrace() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "strace")));
    }

    private interface Work {
        void run() throws Exception;
    }

    /** @return the number of calls that may access a file, by name */
    private Map<String, Integer> trace(MemberProcess member, Work meanwhile) throws Exception {
        Path output = Files.createTempFile(scratch, "strace", ".txt");
        Process strace = new ProcessBuilder(
                        "strace",
                        "-f",
                        "-qq",
                        "-o",
                        output.toString(),
                        "-p",
                        Long.toString(member.child().pid()))
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("strace.err").toFile())
                .start();
        try {
            // strace writes as soon as it is attached, because every thread is in a call.
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
            while (strace.isAlive() && Files.size(output) == 0) {
                assertThat(System.nanoTime()).as("strace attached in time").isLessThan(deadline);
                Rounds.letTimePass(10);
            }
            assumeTrue(
                    strace.isAlive(),
                    () -> "strace may not look at processes here: " + contentOf(scratch.resolve("strace.err")));
            meanwhile.run();
        } finally {
            strace.destroy();
            strace.waitFor();
        }
        List<String> lines = Files.readAllLines(output);
        assertThat(lines).as("what strace saw, or this test is blind").hasSizeGreaterThan(5);
        return count(lines);
    }

    private static String contentOf(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    static Map<String, Integer> count(List<String> lines) {
        Map<String, Integer> calls = new TreeMap<>();
        for (String line : lines) {
            Matcher call = CALL.matcher(line);
            // A call is counted at its begin. Calls in progress at the attachment have none, and the wait for the
            // test's command is no work.
            if (call.matches()
                    && call.group(2) != null
                    && !HARMLESS.matcher(call.group(1)).matches()
                    && !(call.group(1).equals("read") && line.contains("unfinished"))) {
                calls.merge(call.group(1), 1, Integer::sum);
            }
        }
        return calls;
    }

    private static long cpuMillis(MemberProcess member) throws IOException {
        String stat =
                Files.readString(Path.of("/proc", Long.toString(member.child().pid()), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        // utime and stime, in ticks of 10 ms.
        return 10 * (Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
    }
}
