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
import dev.muster.engine.runtime.GroupRuntime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The proposals that wait for the journal. The thread that gets the lock decides and appends all of them, in one entry
 * if possible: many simultaneous commits cost one line. Safe for many threads.
 *
 * <p>A command is decided on the newest state and appended as the next version. If another process appended that
 * version first, the thread reads it and decides all proposals again.
 */
final class ProposalQueue {
    private static final int COMMANDS_MAX = 256;
    /** The longest line of several commands. Shorter lines are easier to read. */
    private static final int LINE_LENGTH_MAX = 256 << 10;

    private static final Decision NOTHING = new Decision(List.of(), new Reply.Done());

    private final ReplicaJournal journal;
    private final DamageWait damage;
    private final Map<String, Assignor> assignors;
    private final GroupRuntime runtime;
    private final GroupReplica.Watcher watcher;
    private final Queue<Proposal> waiting = new ConcurrentLinkedQueue<>();

    private enum Written {
        DONE,
        TAKEN,
        TOO_LONG
    }

    ProposalQueue(
            ReplicaJournal journal,
            DamageWait damage,
            Map<String, Assignor> assignors,
            GroupRuntime runtime,
            GroupReplica.Watcher watcher) {
        this.journal = journal;
        this.damage = damage;
        this.assignors = assignors;
        this.runtime = runtime;
        this.watcher = watcher;
    }

    void add(Proposal proposal) {
        waiting.add(proposal);
    }

    void addAll(Collection<Proposal> proposals) {
        waiting.addAll(proposals);
    }

    /** Returns when this proposal is settled. @return True if the state moved meanwhile */
    boolean settle(Proposal proposal) {
        VersionedGroup before;
        VersionedGroup after;
        journal.lock().lock();
        try {
            before = journal.known();
            while (!proposal.settled()) {
                round();
            }
            after = journal.known();
        } finally {
            journal.lock().unlock();
        }
        if (after == before) {
            return false;
        }
        if (before == null || !after.group().differsOnlyInOffsets(before.group())) {
            watcher.moved();
        }
        return true;
    }

    /** Settles all waiting proposals, at most {@link #COMMANDS_MAX}. */
    private void round() {
        List<Proposal> batch = new ArrayList<>();
        try {
            for (Proposal next; batch.size() < COMMANDS_MAX && (next = waiting.poll()) != null; ) {
                batch.add(next);
            }
            for (int most = batch.size(); !batch.isEmpty(); ) {
                damage.atOnce(journal.replay()::readOn);
                List<Proposal> part = batch.subList(0, Math.min(most, batch.size()));
                switch (write(part)) {
                    case DONE -> part.clear();
                    case TOO_LONG -> most = part.size() / 2;
                    case TAKEN -> {
                        // Another line was appended first, so all commands must be decided again.
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            batch.forEach(proposal -> proposal.fail(e));
        }
    }

    private Written write(List<Proposal> batch) {
        VersionedGroup at = journal.known();
        long now = runtime.wallMillis();
        List<Event> events = new ArrayList<>();
        boolean[] promised = new boolean[batch.size()];
        Group group = at.group();
        for (int i = 0; i < batch.size(); i++) {
            Proposal proposal = batch.get(i);
            try {
                Command command = proposal.ask(group);
                Decision decision = command == null ? NOTHING : runtime.decide(group, command, assignors);
                proposal.answer(decision.reply());
                if (!decision.events().isEmpty()) {
                    group = group.apply(new Entry(now, journal.self(), decision.events()));
                    events.addAll(decision.events());
                    promised[i] = isPromise(command);
                }
            } catch (RuntimeException e) {
                proposal.broken(e);
            }
        }
        if (!events.isEmpty()) {
            Entry entry = new Entry(now, journal.self(), events);
            String line = GroupJson.entry(entry);
            if (line.length() > LINE_LENGTH_MAX && batch.size() > 1) {
                return Written.TOO_LONG;
            }
            if (!journal.append(line, group)) {
                return Written.TAKEN;
            }
            watcher.wrote(entry, at, journal.known());
        }
        for (int i = 0; i < promised.length; i++) {
            batch.get(i).settle(promised[i] ? at.version() + 1 : 0);
        }
        return Written.DONE;
    }

    /** True if the answer must wait for a sync, so that a power cut cannot invalidate it. */
    private static boolean isPromise(Command command) {
        return switch (command) {
            case Command.Commit _,
                    Command.Reset _,
                    Command.Rewind _,
                    Command.Forget _,
                    Command.Expect _,
                    Command.Complete _,
                    Command.Delete _ -> true;
            // Other answers of the classic rules come from a durable state.
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
}
