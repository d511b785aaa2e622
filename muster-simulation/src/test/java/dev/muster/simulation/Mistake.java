package dev.muster.simulation;

import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignor;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Member;
import dev.muster.core.json.Json;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.engine.group.member.GroupReader;
import dev.muster.store.LogStore;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupStore;
import dev.muster.store.group.Hosts;
import dev.muster.store.watch.Registration;
import dev.muster.testkit.sim.Faults;
import dev.muster.testkit.sim.SimFault;
import dev.muster.testkit.sim.SimProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plausible mistakes, each of which the simulation must find. */
@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by name
enum Mistake {
    NO_FENCING("a commit is taken from anybody", EnumSet.of(Invariant.FENCED_COMMIT), NoFencing::new),
    ASSIGN_BEFORE_REVOKE(
            "a partition is given away before its owner let go",
            EnumSet.of(Invariant.ONE_OWNER),
            AssignBeforeRevoke::new),
    VIEW_FOR_TRUTH(
            "a member begins where a view for people says",
            EnumSet.of(Invariant.NO_COMMIT_BACK, Invariant.NOTHING_SKIPPED),
            ViewForTruth::new),
    LATE_ENTRY_COUNTED(
            "an entry counts wherever it lands", EnumSet.of(Invariant.ONE_TRUTH), () -> ofJournal(LateEntry::new)),
    CHECK_THEN_WRITE(
            "a commit is checked first and written later",
            EnumSet.of(Invariant.FENCED_COMMIT),
            () -> ofJournal(CheckThenWrite::new)),
    LOCK_NEVER_RELEASED(
            "a writer waits for a lock as long as it takes", EnumSet.of(Invariant.NOBODY_HELD_UP), LockForEver::new),
    VISIBLE_BEFORE_DURABLE(
            "what is acknowledged is not synced",
            EnumSet.of(Invariant.PROMISE_KEPT, Invariant.GENERATION_ONCE),
            VisibleBeforeDurable::new),
    STALE_UNLINK(
            "a late delete hits the topic that was made anew", EnumSet.of(Invariant.PROMISE_KEPT), StaleUnlink::new),
    STALE_GROUP_DELETE(
            "a late delete hits the group that was made anew",
            EnumSet.of(Invariant.PROMISE_KEPT),
            StaleGroupDelete::new),
    SEAL_IGNORED(
            "a writer does not look whether its segment was sealed meanwhile",
            EnumSet.of(Invariant.PROMISE_KEPT),
            SealIgnored::new),
    CLOCK_JUMP_EXPELS(
            "silence of others is measured by the wall clock", EnumSet.of(Invariant.LIVING_STAY), ClockJumpExpels::new),
    WALL_CLOCK("time is measured by the wall clock", EnumSet.of(Invariant.LEASE), WallClock::new),
    /** The rules detect this mistake themselves, and refuse to continue. */
    GENERATION_REUSED(
            "generations begin anew when all have left", EnumSet.of(Invariant.NO_SURPRISE), GenerationReused::new),
    PID_ALONE("a process is known by its number alone", EnumSet.of(Invariant.LIVING_STAY), PidAlone::new),
    LOCK_LOST_BY_CLOSE(
            "the lock held for life goes when its file is closed elsewhere",
            EnumSet.of(Invariant.LIVING_STAY),
            LockLostByClose::new),
    STOPPED_TAKEN_FOR_DEAD(
            "who does not answer is taken for dead", EnumSet.of(Invariant.LIVING_STAY), StoppedTakenForDead::new),
    NO_FOLDER_SYNC("folders are not synced", EnumSet.of(Invariant.PROMISE_KEPT), NoFolderSync::new),
    SYNC_RETRIED("a failed sync is tried again", EnumSet.of(Invariant.PROMISE_KEPT), SyncRetried::new),
    LYING_SYNC("records are not synced", EnumSet.of(Invariant.PROMISE_KEPT), LyingSync::new),
    ACK_BEFORE_WRITE(
            "a commit is acknowledged, then written",
            EnumSet.of(Invariant.PROMISE_KEPT),
            () -> ofJournal(AckBeforeWrite::new)),
    RELEASE_AT_FACE_VALUE(
            "what a wire member does not name it has let go of, whatever it was told since",
            EnumSet.of(Invariant.LET_GO_BY_ITSELF),
            () -> WireMistakes.atTheDoor(Cast.MODERN, WireMistakes.FaceValue::new)),
    EPOCH_IGNORED(
            "a commit of a wire member is taken in any epoch",
            EnumSet.of(Invariant.FENCED_COMMIT),
            () -> WireMistakes.atTheDoor(Cast.MODERN, WireMistakes.EpochIgnored::new, true)),
    EPOCH_OF_THE_SERVER(
            "each server counts the epochs of wire members by itself",
            EnumSet.of(Invariant.EPOCH_RISES),
            () -> WireMistakes.atTheDoor(Cast.MODERN, WireMistakes.EpochOfTheServer::new)),
    TARGET_TOLD(
            "a wire member is told what it should have, not what it has",
            EnumSet.of(Invariant.TOLD_OWN),
            () -> WireMistakes.atTheDoor(Cast.MODERN, WireMistakes.TargetTold::new)),
    EXPELLED_GOES_ON(
            "a wire member that was expelled is answered as if it were not",
            EnumSet.of(Invariant.MEMBERS_ONLY),
            () -> WireMistakes.atTheDoor(Cast.MODERN, WireMistakes.ExpelledGoesOn::new)),
    GRACE_AFTER_OUR_CLOSE(
            "a wire member is taken for gone though it was we who closed its connection",
            EnumSet.of(Invariant.LIVING_STAY),
            () -> WireMistakes.atTheDoor(Cast.MODERN, WireMistakes.GraceAfterOurClose::new)),
    TOLD_BEFORE_DURABLE(
            "a wire member is told what is not durable yet",
            EnumSet.of(Invariant.PROMISE_KEPT, Invariant.GENERATION_ONCE),
            WireMistakes.ToldBeforeDurable::new),
    DIES_WITH_ITS_SERVER(
            "wire members are out when their server dies",
            EnumSet.of(Invariant.LIVING_STAY),
            WireMistakes.DiesWithItsServer::new),
    ORPHANS_LOSE_ALL(
            "wire members that are taken over by a server have nothing in hand",
            EnumSet.of(Invariant.LET_GO_BY_ITSELF),
            WireMistakes.OrphansLoseAll::new),
    TWO_SERVERS("two servers serve at once", EnumSet.of(Invariant.ONE_SERVER), WireMistakes.TwoServers::new),
    CLASSIC_TARGET_GIVEN(
            "a classic member of a modern group is given what others have not let go of",
            EnumSet.of(Invariant.TOLD_OWN),
            () -> WireMistakes.atTheDoor(Cast.MIXED, ClassicMistakes.TargetGiven::new)),
    CLASSIC_STALE_COMMIT(
            "a commit of a classic member is taken in any generation",
            EnumSet.of(Invariant.FENCED_COMMIT),
            () -> WireMistakes.atTheDoor(Cast.CLASSIC, ClassicMistakes.StaleCommitTaken::new, true)),
    CLASSIC_CALL_NOT_HEARD(
            "the heartbeat of a classic member is answered as if no rebalance were on",
            EnumSet.of(Invariant.CALLED_BACK),
            () -> WireMistakes.atTheDoor(Cast.CLASSIC, ClassicMistakes.CallNotHeard::new)),
    CLASSIC_OLD_GENERATION(
            "a group that becomes classic goes on in the generation that it has, without a barrier",
            EnumSet.of(Invariant.ONE_LEADER),
            () -> WireMistakes.atTheDoor(Cast.TURNING, ClassicMistakes.OldGenerationGoesOn::new)),
    CLASSIC_JOIN_LOST(
            "who waited at a barrier when its server died is not answered by the next one",
            EnumSet.of(Invariant.NOBODY_LEFT_WAITING),
            () -> WireMistakes.atTheDoor(Cast.CLASSIC, ClassicMistakes.JoinLost::new)),
    CLASSIC_GHOSTS_STAY(
            "a join whose answer was lost leaves a member that nobody is",
            EnumSet.of(Invariant.NO_GHOSTS),
            ClassicMistakes.GhostsStay::new),
    CLASSIC_HANDS_FORGOTTEN(
            "a group that becomes modern does not know what its classic members have",
            EnumSet.of(Invariant.LET_GO_BY_ITSELF),
            ClassicMistakes.HandsForgotten::new);

    private final String what;
    private final Set<Invariant> breaks;
    private final Supplier<Planted> maker;

    Mistake(String what, Set<Invariant> breaks, Supplier<Planted> maker) {
        this.what = what;
        this.breaks = breaks;
        this.maker = maker;
    }

    Planted planted() {
        return maker.get();
    }

    String what() {
        return what;
    }

    /**
     * The invariants that this mistake breaks directly. The simulation must report one of these, not an invariant that
     * breaks only as a consequence.
     */
    Set<Invariant> breaks() {
        return breaks;
    }

    // In the rules

    private static final class NoFencing implements Planted {
        @Override
        public Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
            Decision decision = group.decide(command, assignors);
            boolean refused = decision.reply() instanceof Reply.Refusal && !group.deleted();
            return refused && command instanceof Command.Commit commit
                    ? new Decision(List.of(new Event.Committed(commit.member(), commit.offsets())), new Reply.Done())
                    : decision;
        }
    }

    private static final class AssignBeforeRevoke implements Planted {
        @Override
        public Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
            Decision decision = group.decide(command, assignors);
            if (decision.events().stream().noneMatch(event -> event instanceof Event.Rebalanced)) {
                return decision;
            }
            List<Event> events = new ArrayList<>(decision.events());
            Group after = group.apply(entry(events));
            for (Member member : after.members().values()) {
                if (!member.toRelease().isEmpty()) {
                    events.add(new Event.Released(member.spec().id(), member.toRelease()));
                }
            }
            after = group.apply(entry(events));
            for (Member member : after.members().values()) {
                SortedSet<TopicPartition> free = new TreeSet<>(member.target());
                free.removeAll(after.owners().keySet());
                if (!free.isEmpty()) {
                    events.add(new Event.Granted(member.spec().id(), free));
                }
            }
            return new Decision(events, decision.reply());
        }

        private static Entry entry(List<Event> events) {
            return new Entry(0, new HostId("planted"), events);
        }
    }

    private static final class GenerationReused implements Planted {
        @Override
        public Decision decide(Group group, Command command, Map<String, Assignor> assignors) {
            Decision decision = group.decide(command, assignors);
            if (!group.owners().isEmpty()) {
                return decision;
            }
            List<Event> events = new ArrayList<>(decision.events());
            events.replaceAll(event -> event instanceof Event.Rebalanced made
                    ? new Event.Rebalanced(1, made.targets(), made.cause(), made.assignor(), made.reason())
                    : event);
            return new Decision(events, decision.reply());
        }
    }

    // In a member

    private static final class ViewForTruth implements Planted {
        @Override
        public void assigned(SimProcess process, GroupReader reader, SortedSet<TopicPartition> partitions) {
            for (TopicPartition partition : partitions) {
                Path view = GroupRun.DIRECTORY
                        .resolve("consumer-groups")
                        .resolve(GroupRun.GROUP.value())
                        .resolve("offsets")
                        .resolve(partition.topic().value())
                        .resolve("partition-" + partition.partition() + ".offset");
                reader.seek(partition, offset(process.disk(), view));
            }
        }

        private static long offset(Disk disk, Path view) {
            try {
                Object json = Json.parse(new String(disk.readAll(view), StandardCharsets.UTF_8));
                return ((Number) ((Map<?, ?>) json).get("offset")).longValue();
            } catch (NoSuchFileException e) {
                return 0;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class WallClock implements Planted {
        @Override
        public long nanoTime(SimProcess process) {
            process.nanoTime();
            return process.simulation().wallMillis() * 1_000_000;
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.CLOCK_JUMP, 4);
        }
    }

    private static final class PidAlone implements Planted {
        @Override
        public ProcessIdentity identity(ProcessIdentity right, int slot) {
            return new ProcessIdentity(right.bootId(), right.pid(), 0, new UUID(0, slot));
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.KILL, 4);
        }
    }

    // In the journal

    /** A journal with some methods replaced. */
    private static Planted ofJournal(Function<JournalOf, Object> own) {
        return new Planted() {
            @Override
            public LogStore store(SimProcess process, LogStore store) {
                IdentityHashMap<GroupJournal, GroupJournal> wrapped = new IdentityHashMap<>();
                GroupStore groups = Wrapped.over(GroupStore.class, store.groups(), new Object() {
                    GroupJournal open(GroupName group) {
                        return wrap(store.groups().open(group));
                    }

                    Optional<GroupJournal> find(GroupName group) {
                        return store.groups().find(group).map(this::wrap);
                    }

                    void delete(GroupJournal journal) {
                        wrapped.forEach((own, shown) -> {
                            if (shown == journal) {
                                store.groups().delete(own);
                            }
                        });
                    }

                    private GroupJournal wrap(GroupJournal journal) {
                        return wrapped.computeIfAbsent(
                                journal,
                                any -> Wrapped.over(GroupJournal.class, any, own.apply(new JournalOf(process, any))));
                    }
                });
                return Wrapped.over(LogStore.class, store, new Object() {
                    GroupStore groups() {
                        return groups;
                    }
                });
            }
        };
    }

    private record JournalOf(SimProcess process, GroupJournal journal) {}

    private static final class LateEntry {
        private final GroupJournal journal;

        LateEntry(JournalOf of) {
            this.journal = of.journal();
        }

        boolean append(long version, String line) {
            long at = version;
            while (!journal.append(at, line)) {
                at = journal.endVersion();
            }
            return true;
        }
    }

    private static final class CheckThenWrite {
        private final GroupJournal journal;

        CheckThenWrite(JournalOf of) {
            this.journal = of.journal();
        }

        boolean append(long version, String line) {
            boolean commit = line.contains("\"committed\"");
            long at = version;
            while (!journal.append(at, line)) {
                if (!commit) {
                    return false;
                }
                at = journal.endVersion();
            }
            return true;
        }
    }

    private static final class AckBeforeWrite {
        private final SimProcess process;
        private final GroupJournal journal;

        AckBeforeWrite(JournalOf of) {
            this.process = of.process();
            this.journal = of.journal();
        }

        boolean append(long version, String line) {
            if (!line.contains("\"committed\"")) {
                return journal.append(version, line);
            }
            process.spawn("late", () -> {
                process.sleep(20_000_000);
                journal.append(journal.endVersion(), line);
            });
            return journal.endVersion() == version;
        }

        void awaitDurable(long end) {
            journal.awaitDurable(Math.min(end, journal.endVersion()));
        }
    }

    private static final class VisibleBeforeDurable implements Planted {
        private final Planted journal = ofJournal(any -> new Object() {
            void awaitDurable(long end) {
                // The lines will be durable some day.
            }
        });

        @Override
        public LogStore store(SimProcess process, LogStore store) {
            return journal.store(process, store);
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.POWER_CUT, 4);
        }
    }

    private static final class StaleGroupDelete implements Planted {
        @Override
        public LogStore store(SimProcess process, LogStore store) {
            GroupStore groups = Wrapped.over(GroupStore.class, store.groups(), new Object() {
                void delete(GroupJournal journal) {
                    store.groups().delete(journal);
                    // Deletes again by name, a little later: the name may be of another group by now.
                    process.sleep(400_000_000);
                    store.groups().find(GroupRun.GROUP).ifPresent(store.groups()::delete);
                }
            });
            return Wrapped.over(LogStore.class, store, new Object() {
                GroupStore groups() {
                    return groups;
                }
            });
        }
    }

    private static final class StoppedTakenForDead implements Planted {
        @Override
        public LogStore store(SimProcess process, LogStore store) {
            return ofJudgement(process, store, host -> {
                String slot = "p" + (Long.parseLong(host.value().split("-", -1)[5]) - 100) + ".";
                return () -> process.simulation().processes().stream()
                        .anyMatch(other -> other.toString().startsWith(slot) && other.isStopped());
            });
        }
    }

    private static final class ClockJumpExpels implements Planted {
        @Override
        public LogStore store(SimProcess process, LogStore store) {
            Hosts hosts = store.groups().hosts();
            return ofJudgement(process, store, host -> {
                long[] seen = {-1, 0};
                return () -> {
                    long beats = hosts.renewals(host).orElse(-1);
                    long wall = process.simulation().wallMillis();
                    if (beats != seen[0]) {
                        seen[0] = beats;
                        seen[1] = wall;
                    }
                    return wall - seen[1] > Referee.SESSION.toMillis();
                };
            });
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.CLOCK_JUMP, 10);
        }
    }

    /** A store that sometimes considers live processes dead. */
    private static LogStore ofJudgement(
            SimProcess process, LogStore store, Function<HostId, BooleanSupplier> judgement) {
        Hosts hosts = Wrapped.over(Hosts.class, store.groups().hosts(), new Object() {
            Registration watch(HostId host, Consumer<HostId> listener) {
                BooleanSupplier dead = judgement.apply(host);
                process.spawn("impatient", () -> {
                    for (int i = 0; i < 100; i++) {
                        process.sleep(50_000_000);
                        if (dead.getAsBoolean()) {
                            listener.accept(host);
                        }
                    }
                });
                return store.groups().hosts().watch(host, listener);
            }
        });
        GroupStore groups = Wrapped.over(GroupStore.class, store.groups(), new Object() {
            Hosts hosts() {
                return hosts;
            }
        });
        return Wrapped.over(LogStore.class, store, new Object() {
            GroupStore groups() {
                return groups;
            }
        });
    }

    // In the files

    private static final class LockForEver implements Planted {
        @Override
        public Duration lockPatience() {
            return Duration.ofHours(1);
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.STOP, 60);
        }
    }

    /** As with Java's channel locks: closing any descriptor of a file releases all locks on it. */
    private static final class LockLostByClose implements Planted {
        @Override
        public Disk disk(SimProcess process, Disk disk) {
            List<DiskFile> locked = new ArrayList<>();
            return Wrapped.over(Disk.class, disk, new Object() {
                DiskFile openForAppend(Path file) throws IOException {
                    DiskFile opened = disk.openForAppend(file);
                    if (isDraftOfHost(file)) {
                        locked.add(opened);
                    }
                    return opened;
                }

                boolean isLocked(Path file) throws IOException {
                    if (isOfHost(file) && process.simulation().chance().nextInt(50) == 0) {
                        for (DiskFile one : locked) {
                            one.unlock();
                        }
                    }
                    return disk.isLocked(file);
                }

                private static boolean isOfHost(Path file) {
                    return file.getParent() != null && file.getParent().endsWith("hosts");
                }

                // A process locks its lock file before the rename to its name.
                private static boolean isDraftOfHost(Path file) {
                    return file.getParent() != null
                            && file.getParent().endsWith("drafts")
                            && file.toString().endsWith(".lock");
                }
            });
        }
    }

    private static final class StaleUnlink implements Planted {
        private static final Pattern TOPIC_ID = Pattern.compile("\"id\":\"([^\"]+)\"");

        @Override
        public Disk disk(SimProcess process, Disk disk) {
            Path topic = GroupRun.DIRECTORY.resolve("topics").resolve("orders");
            return Wrapped.over(Disk.class, disk, new Object() {
                void rename(Path from, Path to) throws IOException {
                    disk.rename(from, to);
                    if (from.equals(topic)) {
                        // Another process deletes it too, a little later, and hits the topic that has the name by then.
                        process.simulation().after(400_000_000, () -> {
                            Disk late = process.simulation().disk().process();
                            try {
                                Path json = topic.resolve("topic.json");
                                Matcher id = TOPIC_ID.matcher(new String(late.readAll(json), StandardCharsets.UTF_8));
                                late.rename(topic, GroupRun.DIRECTORY.resolve("gone"));
                                if (id.find()) {
                                    late.rename(
                                            GroupRun.DIRECTORY.resolve("logs").resolve(id.group(1)),
                                            GroupRun.DIRECTORY.resolve("gone-logs"));
                                }
                            } catch (IOException e) {
                                // The late delete found no topic.
                            }
                        });
                    }
                }
            });
        }
    }

    private static final class SealIgnored implements Planted {
        @Override
        public Disk disk(SimProcess process, Disk disk) {
            return ofFiles(disk, file -> new Object() {
                private long end;

                int read(long position, byte[] into, int offset, int length) throws IOException {
                    int count = file.read(position, into, offset, length);
                    end = Math.max(end, position + count);
                    return count;
                }

                long append(byte[] bytes, int offset, int length) throws IOException {
                    file.append(bytes, offset, length);
                    end += length;
                    return end;
                }
            });
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.STOP, 10);
        }
    }

    private static Disk ofFiles(Disk disk, Function<DiskFile, Object> own) {
        return Wrapped.over(Disk.class, disk, new Object() {
            DiskFile open(Path file) throws IOException {
                return wrap(file, disk.open(file));
            }

            DiskFile openForAppend(Path file) throws IOException {
                return wrap(file, disk.openForAppend(file));
            }

            private DiskFile wrap(Path path, DiskFile file) {
                return path.toString().endsWith(".log") ? Wrapped.over(DiskFile.class, file, own.apply(file)) : file;
            }
        });
    }

    private static final class NoFolderSync implements Planted {
        @Override
        public Disk disk(SimProcess process, Disk disk) {
            return Wrapped.over(Disk.class, disk, new Object() {
                void syncFolder(Path folder) {
                    // The names will become durable some day.
                }
            });
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.POWER_CUT, 4);
        }
    }

    private static final class SyncRetried implements Planted {
        @Override
        public Disk disk(SimProcess process, Disk disk) {
            return ofFiles(disk, file -> new Object() {
                void sync() throws IOException {
                    try {
                        file.sync();
                    } catch (IOException e) {
                        file.sync();
                    }
                }
            });
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.POWER_CUT, 3).with(SimFault.FAILED_SYNC, 10);
        }
    }

    private static final class LyingSync implements Planted {
        @Override
        public Disk disk(SimProcess process, Disk disk) {
            return ofFiles(disk, any -> new Object() {
                void sync() {
                    // The kernel will do it.
                }
            });
        }

        @Override
        public void faults(Faults faults) {
            faults.with(SimFault.POWER_CUT, 4);
        }
    }
}
