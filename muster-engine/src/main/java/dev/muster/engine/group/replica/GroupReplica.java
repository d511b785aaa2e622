package dev.muster.engine.group.replica;

import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.group.DamagedGroupException;
import dev.muster.store.group.GroupJournal;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * One group as this process knows it: the state at a version, and proposals that lead to the next. For all threads.
 *
 * <p>A state counts only when the journal has it. A commit is answered after the shared sync. A generation is acted on
 * after {@link #awaitGeneration}, because its number must never come again.
 *
 * <p>{@link ReplicaJournal} reads and appends, {@link ProposalQueue} decides, {@link Snapshots} keeps the journal short
 * and readable, {@link DurableEnd} waits for syncs.
 */
public final class GroupReplica {
    private static final System.Logger LOG = System.getLogger(GroupReplica.class.getName());

    private final GroupRuntime runtime;
    private final Watcher watcher;
    private final ReplicaJournal journal;
    private final DamageWait damage;
    private final ProposalQueue queue;
    private final Snapshots snapshots;
    private final DurableEnd durable;

    /** Proposals of {@link #submit} that no thread has taken yet. */
    private final Queue<Proposal> submitted = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean flushing = new AtomicBoolean();

    /** Hears what happens here, on the thread it happens on. Its methods must not block. */
    public interface Watcher {
        /** There is a newer state, which differs in more than commits. */
        void moved();

        /** This process wrote an entry. Called in the order of entries, under the lock. */
        void wrote(Entry entry, VersionedGroup before, VersionedGroup after);
    }

    /** @param self this process; null if it may only read */
    public GroupReplica(
            GroupJournal journal, HostId self, Map<String, Assignor> assignors, GroupRuntime runtime, Watcher watcher) {
        this.runtime = runtime;
        this.watcher = watcher;
        this.journal = new ReplicaJournal(journal, self, runtime);
        this.damage = new DamageWait(journal, runtime);
        this.queue = new ProposalQueue(this.journal, damage, assignors, runtime, watcher);
        this.snapshots = new Snapshots(this.journal, runtime);
        this.durable = snapshots.durable();
    }

    public GroupName name() {
        return journal.group();
    }

    public GroupJournal journal() {
        return journal.lines();
    }

    // Reading

    /** The state at the end of the journal. Costs a look at a word if no line is new. */
    public VersionedGroup newest() {
        VersionedGroup known = journal.known();
        return known != null && journal().endVersion() == known.version() ? known : runtime.blocking(this::catchUp);
    }

    /** The newest state that was read; null before the first read. */
    public VersionedGroup known() {
        return journal.known();
    }

    private VersionedGroup catchUp() {
        if (damage.patiently(this::readOn)) {
            watcher.moved();
        }
        return journal.known();
    }

    private boolean readOn() {
        journal.lock().lock();
        try {
            return journal.replay().readOn();
        } finally {
            journal.lock().unlock();
        }
    }

    /** As {@link #begin}. A failure is left to the next step, which meets it again. */
    private void beginIfPossible() {
        try {
            begin();
        } catch (DamagedGroupException e) {
            LOG.log(Level.DEBUG, "group {0} cannot be read: {1}", name(), e.getMessage());
        }
    }

    /** Reads the journal if it was not read yet, and waits for a process that heals it if it is damaged. */
    private void begin() {
        if (journal.known() == null) {
            catchUp();
        }
    }

    /** Catches up unless another thread does so now, which will tell the watcher. For a thread that must not wait. */
    public void catchUpUnlessBusy() {
        VersionedGroup known = journal.known();
        boolean current = known != null && journal().endVersion() == known.version();
        if (current || !journal.lock().tryLock()) {
            return;
        }
        try {
            damage.atOnce(journal.replay()::readOn);
        } finally {
            journal.lock().unlock();
        }
    }

    /** Heals the journal if it is damaged, see {@link Snapshots#heal}. */
    public void heal() {
        snapshots.heal();
    }

    /** Writes a snapshot if the process that should have written it did not. */
    public void snapshotIfOverdue() {
        snapshots.writeIfOverdue();
    }

    // Proposing

    /** Decides a command and appends what follows from it. @return the answer, when it is durable as far as needed */
    public Reply propose(Command command) {
        return propose(_ -> command);
    }

    /**
     * As {@link #propose(Command)}, for a command that depends on the state it will be decided on. The question may be
     * asked several times, each time on a newer state, and its answer must not be older than that state.
     *
     * @param question the command for a state; null if there is nothing to be done any more
     */
    public Reply propose(Function<Group, Command> question) {
        Proposal proposal = new Proposal(question, null);
        return runtime.blocking(() -> {
            begin();
            queue.add(proposal);
            settle(proposal);
            awaitDurable(proposal);
            return proposal.reply();
        });
    }

    /**
     * Proposes several commands, which are decided in this order, as one entry if possible.
     *
     * @param durable True if this waits for the sync that the answers need. Without it the caller must not promise
     *     anything
     */
    public List<Reply> propose(List<Command> commands, boolean durable) {
        List<Proposal> proposals = commands.stream()
                .map(command -> new Proposal(_ -> command, null))
                .toList();
        return runtime.blocking(() -> {
            begin();
            queue.addAll(proposals);
            proposals.forEach(this::settle);
            if (durable) {
                proposals.forEach(this::awaitDurable);
            }
            return proposals.stream().map(Proposal::reply).toList();
        });
    }

    /** As {@link #propose(Command)}, without waiting. */
    public CompletableFuture<Reply> submit(Command command) {
        return submit(_ -> command);
    }

    /** As {@link #propose(Function)}, without waiting. */
    public CompletableFuture<Reply> submit(Function<Group, Command> question) {
        Proposal proposal = new Proposal(question, new CompletableFuture<>());
        queue.add(proposal);
        submitted.add(proposal);
        if (flushing.compareAndSet(false, true)) {
            runtime.inBackground(this::flush);
        }
        return proposal.future;
    }

    private void flush() {
        // A proposal from now on starts another flush, which appends while this one syncs.
        flushing.set(false);
        List<Proposal> mine = new ArrayList<>();
        for (Proposal next = submitted.poll(); next != null; next = submitted.poll()) {
            mine.add(next);
        }
        for (Proposal proposal : mine) {
            try {
                beginIfPossible();
                settle(proposal);
                awaitDurable(proposal);
                proposal.future.complete(proposal.reply());
            } catch (RuntimeException | Error e) {
                proposal.future.completeExceptionally(e);
            }
        }
    }

    private void settle(Proposal proposal) {
        if (queue.settle(proposal)) {
            snapshots.writeIfDue();
        }
    }

    private void awaitDurable(Proposal proposal) {
        if (proposal.durableEnd() > 0) {
            durable.awaitHere(proposal.durableEnd());
        }
    }

    // Durability

    /** Returns when the generation of this state may be acted on. */
    public void awaitGeneration(VersionedGroup state) {
        durable.await(state.generationEnd());
    }

    /** True if the generation of this state may be acted on, as far as is known here. */
    public boolean isGenerationDurable(VersionedGroup state) {
        return durable.covers(state.generationEnd());
    }

    /** Returns when this state is durable, so that it may be told to clients that outlive this machine. */
    public void awaitDurable(VersionedGroup state) {
        durable.await(state.version());
    }

    /** True if all of this state is durable, as far as is known here. */
    public boolean isDurable(VersionedGroup state) {
        return durable.covers(state.version());
    }
}
