package dev.muster.it;

import dev.muster.it.TortureReferee.Freeze;
import dev.muster.it.TortureReferee.Life;
import dev.muster.it.TortureReferee.Wire;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A slot for a member's process, which joins, leaves, dies and freezes. A referee gets the life of each process. */
final class TortureSlot implements AutoCloseable {
    /** In less time a member may give no sign of life. */
    private static final long BREATH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final TortureReferee referee;
    private final Tally tally;
    private final Kind kind;
    private MemberProcess process;
    private List<Freeze> freezes = new ArrayList<>();
    private long stoppedAt;
    private long continueAt;
    private boolean stopped;
    private Optional<Predicate<String>> spared = Optional.empty();

    /** The numbers of faults in all slots. */
    static final class Tally {
        int started;
        int killed;
        int left;
        int frozen;
    }

    /** The kind of member in a slot. */
    public interface Kind {
        /** @param number a number that no other process has */
        MemberProcess join(int number) throws IOException;

        /** The settings of a wire client; empty for a member that opens the directory. */
        default Optional<Wire> wire() {
            return Optional.empty();
        }

        /** The times without a server. */
        default List<Freeze> cutOff() {
            return List.of();
        }
    }

    TortureSlot(TortureReferee referee, Tally tally, Kind kind) {
        this.referee = referee;
        this.tally = tally;
        this.kind = kind;
    }

    boolean isEmpty() {
        return process == null;
    }

    void join() throws IOException {
        process = kind.join(tally.started++);
        freezes = new ArrayList<>();
    }

    /** Causes a random fault, unless the member is spared. */
    void suffer(Random random, int freezeMillisMax) throws IOException, InterruptedException {
        int dice = random.nextInt(10);
        if (isSpared()) {
            return;
        }
        if (process == null) {
            join();
        } else if (stopped) {
            if (dice == 0) {
                kill();
            }
        } else if (dice < 2) {
            kill();
        } else if (dice < 4) {
            leave();
        } else if (dice < 7) {
            freeze(100 + random.nextInt(freezeMillisMax));
        }
    }

    /** Waits until it owns a partition. */
    void awaitOwner() throws InterruptedException {
        process.awaitOwned(owned -> !owned.isEmpty());
    }

    void freeze(long millis) throws IOException, InterruptedException {
        stoppedAt = System.nanoTime();
        process.child().stop();
        stopped = true;
        continueAt = stoppedAt + TimeUnit.MILLISECONDS.toNanos(millis);
        tally.frozen++;
    }

    /**
     * Stops the member for at least this time, and until the condition is true for its name. It gets no other fault
     * meanwhile.
     */
    void freezeUntil(long millis, Predicate<String> met) throws IOException, InterruptedException {
        freeze(millis);
        spared = Optional.of(met);
    }

    boolean isSpared() {
        return spared.isPresent();
    }

    void goOnIfDue() throws IOException, InterruptedException {
        if (stopped && System.nanoTime() > continueAt && spared.stream().allMatch(met -> met.test(process.name()))) {
            goOn();
        }
    }

    void goOn() throws IOException, InterruptedException {
        if (stopped) {
            process.child().cont();
            freezes.add(new Freeze(stoppedAt, System.nanoTime()));
            stopped = false;
            spared = Optional.empty();
        }
    }

    void kill() throws IOException, InterruptedException {
        long now = System.nanoTime();
        if (stopped) {
            freezes.add(new Freeze(stoppedAt, Long.MAX_VALUE));
            stopped = false;
        }
        process.child().kill();
        tally.killed++;
        bury(OptionalLong.of(now));
    }

    void leave() throws IOException, InterruptedException {
        tellToLeave();
        awaitLeft();
    }

    /** Asks the member to leave, without waiting, so that several can leave at once. */
    void tellToLeave() throws IOException {
        if (process != null) {
            process.tell("leave");
        }
    }

    void awaitLeft() throws InterruptedException {
        if (process != null) {
            process.awaitLeft();
            tally.left++;
            bury(OptionalLong.empty());
        }
    }

    private void bury(OptionalLong killedAt) throws InterruptedException {
        freezes.addAll(kind.cutOff());
        List<Freeze> all = kind.wire().isPresent() ? merged(freezes) : List.copyOf(freezes);
        referee.hear(new Life(process.name(), process.lastWords(), all, killedAt, kind.wire()));
        process.close();
        process = null;
    }

    /**
     * Merges times: a member that is stopped while its server is gone, or right after, is silent for all of that time.
     */
    private static List<Freeze> merged(List<Freeze> freezes) {
        List<Freeze> merged = new ArrayList<>();
        for (Freeze next : freezes.stream()
                .sorted(Comparator.comparingLong(Freeze::stopped))
                .toList()) {
            Freeze last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && next.stopped() - BREATH_NANOS < last.continued()) {
                merged.removeLast();
                merged.add(new Freeze(last.stopped(), Math.max(last.continued(), next.continued())));
            } else {
                merged.add(next);
            }
        }
        return merged;
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
