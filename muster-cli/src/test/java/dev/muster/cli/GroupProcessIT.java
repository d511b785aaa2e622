package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group of real processes: members share partitions, take over, and report their assignments. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class GroupProcessIT {
    @TempDir
    Path temp;

    private Path data;
    private Cli cli;

    @BeforeEach
    void topic() {
        data = temp.resolve("data");
        cli = Cli.onDirectory(data);
        cli.run("topic", "create", "orders", "-P", "4");
    }

    private MusterProcess member(String name) throws IOException {
        return MusterProcess.start(data, "consume", "orders", "-g", "billing", "--id", name, "-o", "jsonl");
    }

    private void produceOnePerPartition(String value) {
        for (int i = 0; i < 4; i++) {
            cli.runWith(value + "-" + i + "\n", "produce", "orders", "-p", String.valueOf(i), "-q");
        }
    }

    /** The partitions that a member owns, by its lines on stderr. */
    private static TreeSet<Long> owned(MusterProcess member) {
        TreeSet<Long> owned = new TreeSet<>();
        for (Map<?, ?> event : events(member)) {
            for (Object partition : (List<?>) event.get("partitions")) {
                Long number = (Long) ((Map<?, ?>) partition).get("partition");
                boolean changed = event.get("event").equals("assigned") ? owned.add(number) : owned.remove(number);
                assertThat(changed).as("%s in %s", event, member.err().all()).isTrue();
            }
        }
        return owned;
    }

    private static List<Map<?, ?>> events(MusterProcess member) {
        return member.err().all().stream()
                .<Map<?, ?>>map(line -> (Map<?, ?>) Json.parse(line))
                .toList();
    }

    private static void awaitOwned(int count, MusterProcess... members) throws Exception {
        for (MusterProcess member : members) {
            member.err().await(line -> owned(member).size() == count);
        }
        Map<Long, Integer> owners = new HashMap<>();
        for (MusterProcess member : members) {
            owned(member).forEach(partition -> owners.merge(partition, 1, Integer::sum));
        }
        assertThat(owners.values()).containsOnly(1);
    }

    /** Waits until a condition over several processes holds. */
    private static void awaitTrue(String what, BooleanSupplier holds) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void twoShareAThirdJoinsAndAKilledOneIsReplaced() throws Exception {
        try (MusterProcess a = member("A")) {
            a.err().await(line -> owned(a).size() == 4);
            try (MusterProcess b = member("B")) {
                awaitOwned(2, a, b);
                try (MusterProcess c = member("C")) {
                    c.err().await(line -> owned(c).size() == 1);
                    awaitTrue("A or B let go of one", () -> owned(a).size() + owned(b).size() == 3);
                    produceOnePerPartition("three");
                    awaitValues("three", a, b, c);
                    int before = owned(a).size() + owned(c).size();
                    b.kill();
                    awaitOwned(2, a, c);
                    assertThat(before).isLessThan(4);
                    assertThat(events(b).getLast().get("event")).isNotEqualTo("lost");
                    produceOnePerPartition("two");
                    awaitValues("two", a, c);
                    assertThat(a.terminate()).isEqualTo(143);
                    assertThat(events(a).getLast().get("event"))
                            .as("A said %s", a.err().all())
                            .isEqualTo("revoked");
                    assertThat(owned(a)).isEmpty();
                    c.err().await(line -> owned(c).size() == 4);
                    assertThat(c.terminate()).isEqualTo(143);
                }
            }
        }
        assertThat(lag()).isZero();
        assertThat(cli.run("group", "timeline", "billing").out())
                .contains("A joined", "B joined", "C joined", "B died with its process", "A left", "C left");
    }

    private long lag() {
        Map<?, ?> lag =
                (Map<?, ?>) cli.run("group", "lag", "billing", "-o", "json").json();
        return (Long) lag.get("lag");
    }

    /** Checks that exactly one of the members writes each value. */
    private static void awaitValues(String prefix, MusterProcess... members) throws Exception {
        for (int i = 0; i < 4; i++) {
            String value = "\"value\":\"" + prefix + "-" + i + "\"";
            long partition = i;
            int writers = 0;
            for (MusterProcess member : members) {
                if (owned(member).contains(partition)) {
                    member.out().await(line -> line.contains(value));
                    writers++;
                }
            }
            assertThat(writers).isEqualTo(1);
        }
    }

    @Test
    void twoGroupsReadATopicIndependently() throws Exception {
        produceOnePerPartition("first");
        try (MusterProcess billing = member("A");
                MusterProcess shipping =
                        MusterProcess.start(data, "consume", "orders", "-g", "shipping", "-o", "jsonl")) {
            awaitOwned(4, billing);
            awaitOwned(4, shipping);
            awaitValues("first", billing);
            awaitValues("first", shipping);
            billing.terminate();
            produceOnePerPartition("second");
            awaitValues("second", shipping);
        }
        Cli.Result rest = cli.run("consume", "orders", "-g", "billing", "--exit", "-q");
        assertThat(rest.lines()).containsExactlyInAnyOrder("second-0", "second-1", "second-2", "second-3");
    }

    @Test
    void aStoppedMemberIsExpelledAfterItsSessionAndRejoins() throws Exception {
        // Only the stopped member has a short session: on a stalled machine the other one would be expelled too.
        String[] quick = {"consume", "orders", "-g", "billing", "-o", "jsonl", "--id", "A", "--session", "1500ms"};
        String[] prompt = {"consume", "orders", "-g", "billing", "-o", "jsonl", "--id", "B", "--commit-every", "0s"};
        try (MusterProcess a = MusterProcess.start(data, quick)) {
            a.err().await(line -> owned(a).size() == 4);
            try (MusterProcess b = MusterProcess.start(data, prompt)) {
                awaitTrue("both have two", () -> haveTwoEach(a, b));
                a.signal("STOP");
                b.err().await(line -> owned(b).size() == 4);
                produceOnePerPartition("while stopped");
                for (int i = 0; i < 4; i++) {
                    String value = "while stopped-" + i;
                    b.out().await(line -> line.contains(value));
                }
                awaitTrue("they are committed", () -> lag() == 0);
                a.signal("CONT");
                a.err().await(line -> line.contains("\"event\":\"lost\""));
                awaitTrue("both have two again", () -> haveTwoEach(a, b));
                assertThat(a.out().all()).isEmpty();
            }
        }
    }

    /**
     * True if the two own two partitions each. The partitions of an expelled member may have a new owner before it
     * reports the loss.
     */
    private static boolean haveTwoEach(MusterProcess a, MusterProcess b) {
        TreeSet<Long> both = owned(a);
        int first = both.size();
        TreeSet<Long> second = owned(b);
        both.addAll(second);
        return first == 2 && second.size() == 2 && both.size() == 4;
    }

    @Test
    void theAutomaticDemoLeavesNothingBehind() throws Exception {
        try (MusterProcess demo = MusterProcess.start(data, "demo", "--for", "8s")) {
            Set<ProcessHandle> children = childrenOnceThreeBill(demo);
            demo.out().await(line -> line.contains("died with its process"));
            demo.out().await(line -> line.contains("stops shipping-"));
            demo.process().descendants().forEach(children::add);
            assertThat(demo.process().waitFor()).as(demo.err().all().toString()).isZero();
            awaitEnd(children);
        }
    }

    @Test
    void processesOfTheDemoEndWithIt() throws Exception {
        try (MusterProcess demo = MusterProcess.start(data, "demo", "--for", "8s")) {
            Set<ProcessHandle> children = childrenOnceThreeBill(demo);
            demo.out().await(line -> line.contains("stops shipping-"));
            demo.process().descendants().forEach(children::add);
            demo.kill();
            awaitEnd(children);
        }
    }

    /** The child processes, collected while they run, because all are gone at the end. */
    private static Set<ProcessHandle> childrenOnceThreeBill(MusterProcess demo) throws Exception {
        Set<ProcessHandle> children = new HashSet<>();
        for (String sign : List.of("starts shipping-2", "starts billing-3", "billing-3 joined")) {
            demo.out().await(line -> line.contains(sign));
            demo.process().descendants().forEach(children::add);
        }
        assertThat(children).hasSizeGreaterThan(3);
        return children;
    }

    private static void awaitEnd(Set<ProcessHandle> processes) throws Exception {
        for (ProcessHandle process : processes) {
            process.onExit().get(2, TimeUnit.MINUTES);
        }
    }
}
