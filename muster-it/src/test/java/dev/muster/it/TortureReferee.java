package dev.muster.it;

import dev.muster.it.MemberProcess.Range;
import dev.muster.it.MemberProcess.Said;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Checks the output of the members of a group, by their common clock. It has no knowledge of Muster, only of the
 * partitions that members took, the records that they got, and the faults.
 *
 * <p>A member owns a partition from when it says so until it says that it let go or lost it, at the latest until it was
 * killed. One that was stopped for too long owns nothing from the end of its lease on, although it learns that only
 * when it is continued: what it was being given or handed at the instant it was stopped may come out then, once, and is
 * counted apart. So may the word that it lets go, if it is the first one then: it comes too late to be heard.
 *
 * <p>A wire client has no lease of its own: one that was stopped or cut off from its server for a session is no owner
 * from then on, and works on with what it has until it hears so. That is counted apart too, and what it commits is
 * refused.
 */
final class TortureReferee {
    private final long sessionNanos;
    private final long heartbeatNanos;
    private final List<Life> lives = new ArrayList<>();
    private final List<Committed> commits = new ArrayList<>();
    private int starved;
    private long givenTooLate;

    /**
     * One process from its start to its end.
     *
     * @param killed when SIGKILL was sent, if it was
     */
    record Life(String name, List<Said> said, List<Freeze> freezes, OptionalLong killed, Optional<Wire> wire) {
        Life(String name, List<Said> said, List<Freeze> freezes, OptionalLong killed) {
            this(name, said, freezes, killed, Optional.empty());
        }
    }

    /** What the server grants to a client at the far end of a connection. */
    record Wire(long sessionNanos, long heartbeatNanos) {}

    /** A time in which a member was stopped or without a server. The bounds are outer bounds. */
    record Freeze(long stopped, long continued) {}

    /** How an ownership ended. */
    private enum End {
        LET_GO,
        /** A release whose commit failed because the server was dead. */
        LET_GO_UNCOMMITTED,
        LOST,
        KILLED
    }

    /**
     * @param sure True if the group certainly got the member's release: the member was not cut off right after its line
     */
    private record Ownership(Life life, int partition, long from, long to, End end, boolean sure) {}

    private record Committed(int partition, long next, long at) {}

    private record HandOut(Life life, Range range, long at, boolean inFlight) {}

    /** The events of all members, by partition. */
    private record Books(
            SortedMap<Integer, List<Ownership>> ownerships,
            SortedMap<Integer, List<HandOut>> handOuts,
            List<String> violations) {}

    /**
     * @param violations broken invariants
     * @param duplicates number of records that were delivered again after a crash or a freeze
     * @param overlaps number of cases in which a resumed member printed records or a partition that were in flight when
     *     it was stopped
     * @param starved number of partitions that were lost by members that were not stopped
     */
    record Verdict(List<String> violations, long handedOut, long duplicates, long overlaps, int takes, int starved) {}

    TortureReferee(long sessionNanos, long heartbeatNanos) {
        this.sessionNanos = sessionNanos;
        this.heartbeatNanos = heartbeatNanos;
    }

    void hear(Life life) {
        lives.add(life);
    }

    /** All lines and faults in order, to find the cause of a failure. */
    List<String> transcript() {
        SortedMap<Long, List<String>> lines = new TreeMap<>();
        for (Life life : lives) {
            life.said().forEach(one -> note(lines, one.at(), life, one.what() + " " + one.more()));
            life.freezes().forEach(freeze -> {
                note(lines, freeze.stopped(), life, "STOPPED");
                note(lines, freeze.continued(), life, "CONTINUED");
            });
            life.killed().ifPresent(at -> note(lines, at, life, "KILLED"));
        }
        return lines.values().stream().flatMap(List::stream).toList();
    }

    /** The number of assignments by kind of member; the kind is the part of the name before the dot. */
    SortedMap<String, Integer> takesByKind() {
        SortedMap<String, Integer> takes = new TreeMap<>();
        for (Life life : lives) {
            for (Said one : life.said()) {
                int taken = one.is("assigned") ? one.partitions().size() : 0;
                takes.merge(life.name().replaceFirst("\\..*", ""), taken, Integer::sum);
            }
        }
        return takes;
    }

    private static void note(SortedMap<Long, List<String>> lines, long at, Life life, String what) {
        lines.computeIfAbsent(at, any -> new ArrayList<>()).add(at + " " + life.name() + " " + what);
    }

    /** @param ends number of written records by partition; all of them must have been delivered */
    Verdict judge(SortedMap<Integer, Long> ends) {
        List<String> violations = new ArrayList<>();
        Books books = new Books(new TreeMap<>(), new TreeMap<>(), violations);
        for (Life life : lives) {
            new Story(life, books).read();
        }
        long handedOut = 0;
        long duplicates = 0;
        long overlaps = 0;
        int takes = 0;
        for (Map.Entry<Integer, Long> end : ends.entrySet()) {
            List<Ownership> owned = books.ownerships().getOrDefault(end.getKey(), List.of()).stream()
                    .sorted(Comparator.comparingLong(Ownership::from))
                    .toList();
            List<HandOut> handed = books.handOuts().getOrDefault(end.getKey(), List.of()).stream()
                    .sorted(Comparator.comparingLong(HandOut::at))
                    .toList();
            takes += owned.size();
            checkOneOwner(owned, violations);
            overlaps += checkHandedOutByOwner(owned, handed, violations);
            duplicates += checkRecords(end.getKey(), end.getValue(), owned, handed, violations);
            handedOut += handed.stream()
                    .mapToLong(one -> one.range().last() - one.range().first() + 1)
                    .sum();
        }
        return new Verdict(violations, handedOut, duplicates, overlaps + givenTooLate, takes, starved);
    }

    /** The output of one member, read from begin to end. */
    private final class Story {
        private final Life life;
        private final Books books;
        private final Map<Integer, Long> since = new TreeMap<>();
        private final Set<Integer> letGo = new TreeSet<>();
        private final Set<Integer> uncommitted = new TreeSet<>();
        private final Set<Integer> inFlight = new TreeSet<>();

        Story(Life life, Books books) {
            this.life = life;
            this.books = books;
        }

        void read() {
            long before = Long.MIN_VALUE;
            long pollBefore = Long.MIN_VALUE;
            for (Said one : life.said()) {
                switch (one.what()) {
                    case "assigned" -> assigned(one, firstSinceAFreeze(life, before, one.at()));
                    case "revoked", "lost" -> letGo(one);
                    case "polled" -> {
                        polled(one, firstSinceAFreeze(life, pollBefore, one.at()));
                        pollBefore = one.at();
                    }
                    case "committed" -> committed(one);
                    case "refused" -> {
                        if (life.wire().isPresent()) {
                            uncommitted.addAll(one.refused());
                        }
                    }
                    case "wrong", "trouble" -> foul(one.what() + " " + one.more());
                    default -> {}
                }
                before = one.at();
            }
            endOpen();
        }

        private void foul(String what) {
            books.violations().add(life.name() + ": " + what);
        }

        private void assigned(Said one, boolean late) {
            for (int partition : one.partitions()) {
                if (since.put(partition, one.at()) != null) {
                    foul("was given " + partition + ", which it had");
                }
                if (late) {
                    inFlight.add(partition);
                }
                letGo.remove(partition);
            }
        }

        private void letGo(Said one) {
            for (int partition : one.partitions()) {
                Long from = since.remove(partition);
                if (from == null) {
                    if (!letGo.contains(partition) || !isLastOfWireClient(one)) {
                        foul(one.what() + " " + partition + ", which it had not");
                    }
                    continue;
                }
                End let = uncommitted.remove(partition) ? End.LET_GO_UNCOMMITTED : End.LET_GO;
                if (one.is("lost") && inFlight.contains(partition)) {
                    givenTooLate++;
                } else {
                    end(books.ownerships(), life, partition, from, one.at(), one.is("lost") ? End.LOST : let);
                }
                inFlight.remove(partition);
                letGo.add(partition);
            }
        }

        /**
         * A closing Kafka consumer releases its whole assignment, including partitions that it has just released, if
         * its other thread does not know that yet.
         */
        private boolean isLastOfWireClient(Said word) {
            return life.wire().isPresent()
                    && life.said().stream().filter(one -> one.at() > word.at()).allMatch(one -> one.is("left"));
        }

        private void polled(Said one, boolean late) {
            for (Range range : one.ranges()) {
                if (!since.containsKey(range.partition())) {
                    foul("was handed " + range + ", which it did not own");
                }
                books.handOuts()
                        .computeIfAbsent(range.partition(), any -> new ArrayList<>())
                        .add(new HandOut(life, range, one.at(), late));
                inFlight.remove(range.partition());
            }
        }

        private void committed(Said one) {
            for (String each : one.more().split(",")) {
                String[] numbers = each.split("=");
                commits.add(new Committed(Integer.parseInt(numbers[0]), Long.parseLong(numbers[1]), one.at()));
                uncommitted.remove(Integer.valueOf(numbers[0]));
            }
        }

        /** Ends the ownerships that were neither released nor lost. */
        private void endOpen() {
            for (Map.Entry<Integer, Long> open : since.entrySet()) {
                if (life.killed().isPresent()) {
                    long at = life.killed().getAsLong();
                    end(books.ownerships(), life, open.getKey(), open.getValue(), at, End.KILLED);
                } else {
                    foul("ended and never let go of " + open.getKey());
                }
            }
        }
    }

    /** True if the member was stopped between its last poll and this one: it may have passed its last check before. */
    private static boolean firstSinceAFreeze(Life life, long before, long at) {
        return life.freezes().stream().anyMatch(freeze -> freeze.continued() > before && freeze.stopped() < at);
    }

    private void end(
            SortedMap<Integer, List<Ownership>> ownerships, Life life, int partition, long from, long said, End end) {
        long to = said;
        boolean tooLate = false;
        for (Freeze freeze : life.freezes()) {
            // The last sign of life may have been one heartbeat interval before the stop, and a lease is one interval
            // shorter than the session. So the lease may have ended this early.
            long leaseEnd = Math.max(freeze.stopped(), from) + leaseAtLeast(life);
            boolean within = freeze.stopped() < to && freeze.continued() > from;
            // A member that was stopped between its check and the line about its release prints the line when it is
            // resumed.
            boolean letGoLate = life.wire().isEmpty() && end == End.LET_GO && isFirstWordSince(freeze, life, said);
            boolean mayBeOut = end != End.LET_GO || life.wire().isPresent() || letGoLate;
            if (within && mayBeOut && leaseEnd < freeze.continued()) {
                to = Math.min(to, leaseEnd);
                tooLate |= letGoLate;
            }
        }
        if (end == End.LOST && to == said) {
            // A busy machine can pause a process, too. Then only the certain part of its ownership is known.
            starved++;
            to = life.wire().isPresent() ? from : lastHandOut(life, partition, from, said);
        }
        ownerships
                .computeIfAbsent(partition, any -> new ArrayList<>())
                .add(new Ownership(
                        life,
                        partition,
                        from,
                        Math.max(from, to),
                        end,
                        end == End.LET_GO && !tooLate && !isCutOffAfter(life, said)));
    }

    private static boolean isFirstWordSince(Freeze freeze, Life life, long word) {
        return life.said().stream().mapToLong(Said::at).noneMatch(at -> at >= freeze.continued() && at < word);
    }

    /**
     * A member prints a release before it sends it to the group. The next line of the member proves that the group got
     * it. There is none if the member was killed before, or stopped until its expulsion.
     */
    private boolean isCutOffAfter(Life life, long word) {
        OptionalLong next =
                life.said().stream().mapToLong(Said::at).filter(at -> at > word).min();
        boolean slept = life.freezes().stream()
                .anyMatch(freeze -> freeze.continued() > word
                        && freeze.stopped() < next.orElse(Long.MAX_VALUE)
                        && freeze.continued() - freeze.stopped() > leaseAtLeast(life));
        return slept || next.isEmpty() && life.killed().isPresent();
    }

    private long leaseAtLeast(Life life) {
        return life.wire()
                .map(wire -> wire.sessionNanos() - 2 * wire.heartbeatNanos())
                .orElse(sessionNanos - 2 * heartbeatNanos);
    }

    private static long lastHandOut(Life life, int partition, long from, long to) {
        return life.said().stream()
                .filter(one -> one.at() > from && one.at() < to && one.is("polled"))
                .filter(one -> one.ranges().stream().anyMatch(range -> range.partition() == partition))
                .mapToLong(Said::at)
                .max()
                .orElse(from);
    }

    private static void checkOneOwner(List<Ownership> owned, List<String> violations) {
        for (int i = 1; i < owned.size(); i++) {
            Ownership before = owned.get(i - 1);
            Ownership after = owned.get(i);
            if (before.to() > after.from()) {
                violations.add("two owners of " + after.partition() + ": "
                        + before.life().name() + " until " + before.to() + " (" + before.end() + "), "
                        + after.life().name() + " from " + after.from());
            }
        }
    }

    private static long checkHandedOutByOwner(List<Ownership> owned, List<HandOut> handed, List<String> violations) {
        long overlaps = 0;
        for (HandOut one : handed) {
            for (Ownership other : owned) {
                if (other.life() != one.life() && other.from() < one.at() && one.at() < other.to()) {
                    if (one.inFlight() || isOutAndHasNotHeard(one, owned)) {
                        overlaps++;
                    } else {
                        violations.add(one.life().name() + " was handed " + one.range() + " at " + one.at() + " while "
                                + other.life().name() + " owned it from " + other.from());
                    }
                }
            }
        }
        return overlaps;
    }

    /** True if a wire client got this after its expulsion, and before it printed that. */
    private static boolean isOutAndHasNotHeard(HandOut one, List<Ownership> owned) {
        return one.life().wire().isPresent()
                && owned.stream()
                        .filter(its -> its.life() == one.life() && its.from() <= one.at())
                        .max(Comparator.comparingLong(Ownership::from))
                        .filter(its -> its.to() < one.at())
                        .isPresent();
    }

    /** Checks that every owner gets records in order and without a gap. */
    private long checkRecords(
            int partition, long end, List<Ownership> owned, List<HandOut> handed, List<String> violations) {
        long duplicates = 0;
        // The first record that was not delivered yet.
        long fresh = 0;
        // Only records in hand of crashed or stopped members may be delivered again.
        long mayComeAgain = 0;
        for (int i = 0; i < owned.size(); i++) {
            Ownership owner = owned.get(i);
            boolean first = true;
            long next = 0;
            for (HandOut one : handed) {
                // Records in flight: printed after the end of the lease, and still of this ownership.
                boolean its = one.life() == owner.life()
                        && one.at() >= owner.from()
                        && (i == lastOf(owner.life(), owned) || one.at() < nextOf(owner.life(), owned, i));
                if (!its) {
                    continue;
                }
                Range range = one.range();
                long committed = first ? committedBefore(partition, owner.from()) : 0;
                if (range.first() < committed) {
                    violations.add(owner.life().name() + " begins at " + range.first() + " of " + partition + ", and "
                            + committed + " was committed before");
                }
                if (!first && range.first() != next) {
                    violations.add(
                            owner.life().name() + " was handed " + range + " and not " + next + " of " + partition);
                }
                if (range.first() > fresh) {
                    violations.add("records " + fresh + " to " + (range.first() - 1) + " of " + partition
                            + " were skipped: " + owner.life().name() + " begins at " + range.first());
                }
                long again = Math.min(range.last() + 1, fresh) - range.first();
                if (again > 0) {
                    duplicates += again;
                    if (Math.min(range.last() + 1, fresh) > mayComeAgain) {
                        violations.add(owner.life().name() + " was handed " + again + " records of " + partition
                                + " again from " + range.first() + ", and nobody had crashed or slept");
                    }
                }
                first = false;
                next = range.last() + 1;
                fresh = Math.max(fresh, next);
            }
            if (!owner.sure()) {
                mayComeAgain = Math.max(mayComeAgain, next);
            }
        }
        if (fresh != end) {
            violations.add("records " + fresh + " to " + (end - 1) + " of " + partition + " were handed to nobody");
        }
        return duplicates;
    }

    private long committedBefore(int partition, long time) {
        return commits.stream()
                .filter(one -> one.partition() == partition && one.at() < time)
                .mapToLong(Committed::next)
                .max()
                .orElse(0);
    }

    private static int lastOf(Life life, List<Ownership> owned) {
        int last = -1;
        for (int i = 0; i < owned.size(); i++) {
            last = owned.get(i).life() == life ? i : last;
        }
        return last;
    }

    private static long nextOf(Life life, List<Ownership> owned, int after) {
        for (int i = after + 1; i < owned.size(); i++) {
            if (owned.get(i).life() == life) {
                return owned.get(i).from();
            }
        }
        return Long.MAX_VALUE;
    }
}
