package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.engine.group.remote.RemoteAnswer;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A client of the new group protocol (KIP-848) that behaves like Kafka's own. It has one heartbeat in flight. It
 * finishes a reconciliation, which takes some time, before it reads a newer answer, and reports its partitions then.
 * After a lost connection or a refusal it sends all its fields.
 */
final class ModernClient extends WireClient {
    static final Duration REVOKE = Duration.ofSeconds(3);
    private static final long LEAVE = -1;
    private static final long COME_BACK = -2;

    private final MemberId id;
    /**
     * True if it reports the partitions of its last finished reconciliation, as Kafka's client does; else its present
     * ones.
     */
    private final boolean saysWhatIsDone;

    private final boolean commitsBeforeItLetsGo;
    private final long effortMax;
    private long epoch;
    private SortedSet<Held> wanted = new TreeSet<>();
    private long wantedAt;
    private SortedSet<Held> done = new TreeSet<>();
    /** The partitions of the reconciliation in progress; null if none is in progress. */
    private SortedSet<Held> aim;

    private long aimAt;
    private boolean changed;
    private boolean taking;
    private boolean committing;
    private long busyUntil;
    private boolean beating;
    private boolean mustReport;
    private boolean full = true;
    private long next;
    private boolean leaving;
    private long awayUntil;

    ModernClient(WireSide side, String name, Optional<String> instance, SortedSet<TopicName> topics) {
        super(side, instance, topics);
        this.id = new MemberId(name);
        this.saysWhatIsDone = chance.nextInt(3) > 0;
        this.commitsBeforeItLetsGo = chance.nextBoolean();
        this.effortMax = chance.nextInt(3) == 0 ? 900 * MILLISECOND : 60 * MILLISECOND;
    }

    @Override
    String memberId() {
        return id.value();
    }

    @Override
    long epoch() {
        return epoch;
    }

    @Override
    Optional<MemberId> asker() {
        return Optional.of(id);
    }

    @Override
    boolean isSettled() {
        return epoch > 0 && aim == null && !changed && works().equals(wanted);
    }

    @Override
    SortedSet<Held> takes() {
        SortedSet<Held> takes = new TreeSet<>(aim == null ? new TreeSet<>() : aim);
        takes.addAll(changed ? wanted : new TreeSet<>());
        return takes;
    }

    @Override
    void leave() {
        leaving = true;
    }

    /** Leaves, and returns later under its old id. */
    @Override
    void stopsPolling(long nanos) {
        if (epoch > 0 && isConnected() && !beating) {
            sim.note(this + " does not poll");
            sayGoodbye(LEAVE);
            startAnew();
            awayUntil = sim.now() + nanos;
        }
    }

    // Steps

    @Override
    void act(long now) {
        if (leaving) {
            if (!isBusy()) {
                sayGoodbye(instance.isPresent() ? COME_BACK : LEAVE);
                kill();
            }
            return;
        }
        reconcile(now);
        // A client learns of its expulsion in poll, and joins again after that.
        boolean mayBeat = epoch > 0 || !isBusy();
        if (!beating && mayBeat && now >= awayUntil && (mustReport || now >= next)) {
            beat();
        }
    }

    private void sayGoodbye(long how) {
        if (epoch > 0) {
            ask(
                    new WireRequest.Beat(id, how, instance, Optional.empty(), Optional.empty(), Optional.empty()),
                    any -> {});
        }
    }

    private void reconcile(long now) {
        if (aim == null && changed && !isBusy()) {
            changed = false;
            aim = new TreeSet<>(wanted);
            aimAt = wantedAt;
            taking = false;
            busyUntil = now + chance.nextLong(effortMax);
            sim.note(this + " goes from " + works() + " to " + aim);
            commitFirst();
        }
        if (aim == null || committing || isBusy() || now < busyUntil) {
            return;
        }
        if (!taking) {
            taking = true;
            SortedSet<Held> gone = new TreeSet<>(works());
            gone.removeAll(aim);
            letGo(gone);
            busyUntil = now + chance.nextLong(effortMax);
        } else {
            take(aim, aimAt);
            done = aim;
            aim = null;
            mustReport = true;
        }
    }

    private void commitFirst() {
        if (commitsBeforeItLetsGo && !aim.containsAll(works())) {
            committing = true;
            commit(any -> committing = false);
        }
    }

    // Heartbeats

    private void beat() {
        boolean joins = epoch == 0;
        boolean says = full || mustReport;
        boolean all = full;
        SortedSet<Held> owned = joins ? new TreeSet<>() : new TreeSet<>(saysWhatIsDone ? done : works());
        mustReport = false;
        full = false;
        beating = true;
        ask(
                new WireRequest.Beat(
                        id,
                        epoch,
                        instance,
                        all ? Optional.of(topics) : Optional.empty(),
                        all ? Optional.of(REVOKE) : Optional.empty(),
                        says ? Optional.of(owned) : Optional.empty()),
                this::heard);
    }

    private void heard(Optional<WireAnswer> answer) {
        beating = false;
        switch (answer.orElse(null)) {
            case null -> tryAgain();
            case WireAnswer.Told told -> isTold(told);
            case WireAnswer.Refused(var why) -> refused(why);
            case WireAnswer.Failed _ -> tryAgain();
            case WireAnswer.Out _,
                    WireAnswer.Committed _,
                    WireAnswer.Places _,
                    WireAnswer.Records _,
                    WireAnswer.Shape _,
                    WireAnswer.Joined _,
                    WireAnswer.Assigned _,
                    WireAnswer.GoOn _,
                    WireAnswer.No _ -> throw new IllegalStateException("not an answer to a heartbeat: " + answer);
        }
    }

    private void isTold(WireAnswer.Told told) {
        if (now() < awayUntil) {
            return;
        }
        judge.hearsEpoch(this, epoch, told.epoch());
        epoch = told.epoch();
        next = now() + told.pause().toNanos();
        told.partitions().ifPresent(partitions -> {
            sim.note(this + " is told " + epoch + " " + partitions);
            if (!partitions.equals(wanted)) {
                wanted = new TreeSet<>(partitions);
                wantedAt = now();
                changed = true;
            }
        });
    }

    private long now() {
        return sim.now();
    }

    private void refused(RemoteAnswer.Why why) {
        switch (why) {
            case UNKNOWN_MEMBER, FENCED_EPOCH, STALE_EPOCH -> startAnew();
            case FENCED_INSTANCE, INSTANCE_IN_USE -> kill();
            case UNAVAILABLE -> tryAgain();
            case CLASSIC_MEMBERS, UNKNOWN_ASSIGNOR, INVALID_GROUP, INVALID_REQUEST, INVALID_PATTERN, GROUP_FULL ->
                judge.surprise(this + " is refused: " + why);
        }
    }

    private void tryAgain() {
        full = true;
        next = now() + chance.nextLong(100 * MILLISECOND);
    }

    /** Starts again, as clients do after an expulsion. */
    private void startAnew() {
        letGoOfAll();
        wanted = new TreeSet<>();
        done = new TreeSet<>();
        aim = null;
        changed = false;
        committing = false;
        mustReport = false;
        full = true;
        epoch = 0;
        next = now();
    }

    @Override
    void lostConnection() {
        beating = false;
        committing = false;
        full = true;
        next = now();
    }

    @Override
    void refusedCommit(WireAnswer why, long named) {
        // The answer to the next heartbeat has the cause.
        next = now();
    }

    @Override
    public String toString() {
        return id.value();
    }
}
