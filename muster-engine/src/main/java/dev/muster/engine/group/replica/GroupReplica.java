package dev.muster.engine.group.replica;

import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.SyncFailedException;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * One group as this process knows it: the state at a version, and the way to the next. For all threads.
 *
 * <p>A command is decided on the newest state and appended as the next version; who finds that place taken reads what
 * took it and decides again. Whoever has the lock does this for all who wait, in one entry: many members that commit at
 * once cost one line. The lock is held for an append and never for a sync.
 *
 * <p>Nothing is believed before the journal has it. What a commit promised is answered after the shared sync; a
 * generation is acted on after {@link #awaitGeneration}, because its number must never come again.
 */
public final class GroupReplica {
    private static final System.Logger LOG = System.getLogger(GroupReplica.class.getName());

    private static final int COMMANDS_MAX = 256;
    /** Lines of many commands are not longer, so that they stay easy to read, for programs and for people. */
    private static final int LINE_LENGTH_MAX = 256 << 10;

    private final GroupJournal journal;
    private final HostId self;
    private final GroupRuntime world;
    private final Map<String, Assignor> assignors;
    private final Watcher watcher;
    private final Replay replay;
    private final DamageWait damage;
    private final int snapshotEvery;
    /** Others write the snapshot when whoever crossed the border did not come to it. */
    private final int snapshotBackup;

    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Proposal> waiting = new ConcurrentLinkedQueue<>();
    private final Queue<Proposal> unanswered = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean flushing = new AtomicBoolean();
    private final AtomicBoolean snapshotting = new AtomicBoolean();
    private volatile long durableEnd;

    /** Hears what happens here, on the thread it happens on; nothing it does may block. */
    public interface Watcher {
        /** There is a newer state, and more than commits led to it. */
        void moved();

        /** This process wrote an entry. Called in the order of entries, under the lock. */
        void wrote(Entry entry, VersionedGroup before, VersionedGroup after);
    }

    /** @param self this process; null: it may only read */
    public GroupReplica(
            GroupJournal journal, HostId self, Map<String, Assignor> assignors, GroupRuntime world, Watcher watcher) {
        this.journal = journal;
        this.self = self;
        this.assignors = assignors;
        this.world = world;
        this.watcher = watcher;
        this.replay = new Replay(journal);
        this.damage = new DamageWait(journal, world);
        this.snapshotEvery = world.snapshotEvery();
        this.snapshotBackup = snapshotEvery + snapshotEvery / 10;
    }

    public GroupName name() {
        return journal.group();
    }

    public GroupJournal journal() {
        return journal;
    }

    /** The state at the end of the journal. Costs a look at a word when nothing was written. */
    public VersionedGroup newest() {
        VersionedGroup known = replay.seen();
        return known != null && journal.endVersion() == known.version() ? known : world.blocking(this::catchUp);
    }

    /** The newest state that was read; null when nothing was read yet. */
    public VersionedGroup known() {
        return replay.seen();
    }

    private VersionedGroup catchUp() {
        if (damage.patiently(this::readOn)) {
            watcher.moved();
        }
        return replay.seen();
    }

    private boolean readOn() {
        lock.lock();
        try {
            return replay.readOn();
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #begin}; a failure is left to what follows, which meets it again. */
    private void beginIfPossible() {
        try {
            begin();
        } catch (DamagedGroupException e) {
            LOG.log(Level.DEBUG, "group {0} cannot be read: {1}", name(), e.getMessage());
        }
    }

    /** Reads the journal when it was not read yet, and waits for a process that heals it where it is damaged. */
    private void begin() {
        if (replay.seen() == null) {
            catchUp();
        }
    }

    /** Catches up unless somebody else is at it, who will tell when he is done: for one who must not wait. */
    public void catchUpUnlessBusy() {
        VersionedGroup known = replay.seen();
        if (known != null && journal.endVersion() == known.version() || !lock.tryLock()) {
            return;
        }
        try {
            damage.atOnce(replay::readOn);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Writes a snapshot behind damage in lines that this process has applied, and trims the journal to it, so that no
     * reader meets the damage again. Does nothing where the journal can be read, and where this process does not know
     * the newest state itself.
     */
    public void heal() {
        if (self == null || replay.seen() == null) {
            return;
        }
        lock.lock();
        try {
            replay.readOn();
            while (!replay.isReadable()) {
                journal.beginFile();
                if (appendSnapshot()) {
                    journal.trim(replay.lastSnapshot());
                    LOG.log(
                            Level.WARNING,
                            "group {0}: the journal was damaged; this process wrote a snapshot as version {1}",
                            name(),
                            replay.lastSnapshot());
                    return;
                }
                // Another process appended at the same time, maybe its snapshot.
                replay.readOn();
            }
        } catch (DamagedGroupException e) {
            LOG.log(Level.DEBUG, "group {0} cannot be healed here: {1}", name(), e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** Decides a command and gets it into the journal; returns the answer when that may be believed. */
    public Reply propose(Command command) {
        return propose(any -> command);
    }

    /**
     * As {@link #propose(Command)}, for a command that depends on the state it will be decided on. The question may be
     * asked several times, each time on a newer state, and must give an answer that is not older than that; null: there
     * is nothing to be done any more.
     */
    public Reply propose(Function<Group, Command> question) {
        Proposal proposal = new Proposal(question, null);
        return world.blocking(() -> {
            begin();
            waiting.add(proposal);
            combine(proposal);
            awaitDurable(proposal);
            return proposal.reply();
        });
    }

    /**
     * Proposes several commands, which are decided in this order, as one entry where that is possible.
     *
     * @param durable whether to wait until what they promise is durable; who does not wait must promise nothing to
     *     anybody
     */
    public List<Reply> propose(List<Command> commands, boolean durable) {
        List<Proposal> proposals = commands.stream()
                .map(command -> new Proposal(any -> command, null))
                .toList();
        return world.blocking(() -> {
            begin();
            waiting.addAll(proposals);
            proposals.forEach(this::combine);
            if (durable) {
                proposals.forEach(this::awaitDurable);
            }
            return proposals.stream().map(Proposal::reply).toList();
        });
    }

    /** As {@link #propose(Command)}, without waiting. */
    public CompletableFuture<Reply> submit(Command command) {
        return submit(any -> command);
    }

    /** As {@link #propose(Function)}, without waiting. */
    public CompletableFuture<Reply> submit(Function<Group, Command> question) {
        Proposal proposal = new Proposal(question, new CompletableFuture<>());
        waiting.add(proposal);
        unanswered.add(proposal);
        if (flushing.compareAndSet(false, true)) {
            world.inBackground(this::flush);
        }
        return proposal.future;
    }

    private void flush() {
        // Whoever comes from now on starts another flush, which does its append while we sync.
        flushing.set(false);
        List<Proposal> mine = new ArrayList<>();
        for (Proposal next = unanswered.poll(); next != null; next = unanswered.poll()) {
            mine.add(next);
        }
        for (Proposal proposal : mine) {
            try {
                beginIfPossible();
                combine(proposal);
                awaitDurable(proposal);
                proposal.future.complete(proposal.reply());
            } catch (RuntimeException | Error e) {
                proposal.future.completeExceptionally(e);
            }
        }
    }

    private void combine(Proposal proposal) {
        VersionedGroup before;
        VersionedGroup after;
        lock.lock();
        try {
            before = replay.seen();
            while (!proposal.settled()) {
                round();
            }
            after = replay.seen();
        } finally {
            lock.unlock();
        }
        if (after != before) {
            if (before == null || !after.group().differsOnlyInOffsets(before.group())) {
                watcher.moved();
            }
            snapshotIfDue();
        }
    }

    /** Settles everything that waits, or a good part of it. */
    private void round() {
        List<Proposal> batch = new ArrayList<>();
        try {
            for (Proposal next; batch.size() < COMMANDS_MAX && (next = waiting.poll()) != null; ) {
                batch.add(next);
            }
            for (int most = batch.size(); !batch.isEmpty(); ) {
                damage.atOnce(replay::readOn);
                List<Proposal> part = batch.subList(0, Math.min(most, batch.size()));
                switch (write(part)) {
                    case DONE -> part.clear();
                    case TOO_LONG -> most = part.size() / 2;
                    case TAKEN -> {
                        // Another line came first, so all of this has to be decided again.
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            batch.forEach(proposal -> proposal.fail(e));
        }
    }

    private enum Written {
        DONE,
        TAKEN,
        TOO_LONG
    }

    private Written write(List<Proposal> batch) {
        VersionedGroup at = replay.seen();
        long now = world.wallMillis();
        List<Event> events = new ArrayList<>();
        boolean[] promised = new boolean[batch.size()];
        Group group = at.group();
        for (int i = 0; i < batch.size(); i++) {
            Proposal proposal = batch.get(i);
            try {
                Command command = proposal.ask(group);
                Decision decision = command == null ? NOTHING : world.decide(group, command, assignors);
                proposal.answer(decision.reply());
                if (!decision.events().isEmpty()) {
                    group = group.apply(new Entry(now, self, decision.events()));
                    events.addAll(decision.events());
                    promised[i] = isPromise(command);
                }
            } catch (RuntimeException e) {
                proposal.broken(e);
            }
        }
        if (!events.isEmpty()) {
            Entry entry = new Entry(now, self, events);
            String line = GroupJson.entry(entry);
            if (line.length() > LINE_LENGTH_MAX && batch.size() > 1) {
                return Written.TOO_LONG;
            }
            if (!append(at.version(), line)) {
                return Written.TAKEN;
            }
            replay.wrote(group);
            watcher.wrote(entry, at, replay.seen());
        }
        for (int i = 0; i < promised.length; i++) {
            batch.get(i).settle(promised[i] ? at.version() + 1 : 0);
        }
        return Written.DONE;
    }

    private static final Decision NOTHING = new Decision(List.of(), new Reply.Done());

    /** Whether the answer promises something that a power cut must not take back. */
    private static boolean isPromise(Command command) {
        return switch (command) {
            case Command.Commit _,
                    Command.Reset _,
                    Command.Rewind _,
                    Command.Forget _,
                    Command.Expect _,
                    Command.Complete _,
                    Command.Delete _ -> true;
            // What else the classic rules promise is answered from a state that is durable.
            case Command.Classic classic -> classic.command() instanceof ClassicCommand.Commit;
            case Command.Join _,
                    Command.Subscribe _,
                    Command.Settle _,
                    Command.Leave _,
                    Command.Release _,
                    Command.HostDied _,
                    Command.Expire _,
                    Command.FormingOver _,
                    Command.SessionExpired _,
                    Command.ReportFalseAlarm _,
                    Command.Adopt _,
                    Command.TopicsSeen _ -> false;
        };
    }

    /** @return false when the place is taken */
    private boolean append(long version, String line) {
        if (self == null) {
            throw new ReadOnlyException("change group \"" + name() + "\"");
        }
        try {
            if (journal.append(version, line)) {
                return true;
            }
        } catch (GroupDeletedException e) {
            throw e;
        } catch (RuntimeException e) {
            if (!isThere(version, line, e)) {
                throw e;
            }
            return true;
        }
        return false;
    }

    /**
     * An append that failed may have got its place all the same. Nobody but this process writes its name into a line,
     * and nobody but the holder of the lock writes for this process: the same text at this place is ours.
     */
    private boolean isThere(long version, String line, RuntimeException failure) {
        try {
            List<GroupJournal.Line> lines = journal.read(version);
            return !lines.isEmpty() && lines.getFirst().text().equals(line);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    /** Returns when the present generation of this state may be acted on. */
    public void awaitGeneration(VersionedGroup state) {
        if (state.generationEnd() > durableEnd) {
            world.blocking(() -> {
                awaitDurable(state.generationEnd());
                return null;
            });
        }
    }

    /** Whether the present generation of this state may be acted on, as far as is known here. */
    public boolean isGenerationDurable(VersionedGroup state) {
        return state.generationEnd() <= durableEnd;
    }

    /** Returns when all of this state may be told to somebody who will outlive this machine's power. */
    public void awaitDurable(VersionedGroup state) {
        if (state.version() > durableEnd) {
            world.blocking(() -> {
                awaitDurable(state.version());
                return null;
            });
        }
    }

    /** Whether all of this state is durable, as far as is known here. */
    public boolean isDurable(VersionedGroup state) {
        return state.version() <= durableEnd;
    }

    private void awaitDurable(Proposal proposal) {
        if (proposal.durableEnd() > 0) {
            awaitDurable(proposal.durableEnd());
        }
    }

    private void awaitDurable(long end) {
        long covered = end;
        try {
            journal.awaitDurable(end);
        } catch (SyncFailedException e) {
            // Lines may be lost, this one or others before it. A snapshot of what they led to makes good for them all.
            covered = startAnew(e);
        }
        synchronized (this) {
            durableEnd = Math.max(durableEnd, covered);
        }
    }

    private long startAnew(SyncFailedException failure) {
        LOG.log(
                Level.WARNING,
                "group {0}: the disk lost part of the journal, which begins anew: {1}",
                name(),
                failure.getMessage());
        lock.lock();
        try {
            do {
                replay.readOn();
            } while (!appendSnapshot());
            journal.trim(replay.lastSnapshot());
            long end = replay.lastSnapshot() + 1;
            journal.awaitDurable(end);
            return end;
        } finally {
            lock.unlock();
        }
    }

    private void snapshotIfDue() {
        if (replay.linesSinceSnapshot() >= snapshotEvery && snapshotting.compareAndSet(false, true)) {
            world.inBackground(() -> snapshot(snapshotEvery));
        }
    }

    /** For those who only look on: whoever should have written the snapshot may be gone. */
    public void snapshotIfOverdue() {
        if (replay.linesSinceSnapshot() >= snapshotBackup && snapshotting.compareAndSet(false, true)) {
            world.inBackground(() -> snapshot(snapshotBackup));
        }
    }

    private void snapshot(int lines) {
        try {
            long trim;
            lock.lock();
            try {
                do {
                    replay.readOn();
                    if (replay.linesSinceSnapshot() < lines) {
                        return;
                    }
                } while (!appendSnapshot());
                // The one before stays, for those who are reading just now.
                trim = replay.snapshotBefore();
            } finally {
                lock.unlock();
            }
            if (trim > 0) {
                awaitDurable(replay.seen().version());
                journal.trim(trim);
            }
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "group {0}: no snapshot was written: {1}", name(), e.getMessage());
        } finally {
            snapshotting.set(false);
        }
    }

    private boolean appendSnapshot() {
        VersionedGroup at = replay.seen();
        if (!append(at.version(), GroupJson.snapshot(at.group(), world.wallMillis(), self))) {
            return false;
        }
        replay.wroteSnapshot();
        return true;
    }
}
