package dev.muster.testkit.sim;

import dev.muster.core.TopicId;
import dev.muster.core.group.Group;
import dev.muster.core.group.GroupJson;
import dev.muster.core.group.GroupName;
import dev.muster.engine.group.Seen;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.group.GroupJournal;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Sees everything: every line as soon as it is in the journal, every record that is produced, handed out or processed,
 * every promise. Says at once when something is not as it must be.
 */
final class Referee implements Books.Rules {
    static final Duration SESSION = Duration.ofMillis(1500);
    static final Duration HEARTBEAT = Duration.ofMillis(500);
    static final Duration REVOKE = Duration.ofSeconds(1);
    private static final long LEASE_NANOS = SESSION.minus(HEARTBEAT).toNanos();
    private static final long STALL_MAX_NANOS = SESSION.plusSeconds(1).toNanos();
    private static final long OBSERVER_LATE_NANOS = 15_000_000_000L;
    private static final long SLACK_NANOS = 100_000_000;

    private final Simulation sim;
    private final GroupName group;
    private final Map<Long, String> lines = new TreeMap<>();
    private final Map<String, Long> committedAt = new HashMap<>();
    private final Map<Long, Group> states = new HashMap<>();
    private final Map<Long, String> actedOn = new HashMap<>();
    private final Map<Long, String> generations = new HashMap<>();
    private final Map<String, HostActor> hosts = new HashMap<>();
    private final Map<String, Shelf> shelves = new TreeMap<>();
    private final List<Origin> origins = new ArrayList<>();
    private Books books = new Books(this);
    private Group state = Group.empty();
    private FileStore store;
    private GroupJournal journal;
    private long version;
    private long ackedEnd;
    private boolean comparing;
    private boolean mayLook;
    private long commits;
    private long duplicates;

    /** What became of the records of one partition. */
    private static final class Shelf {
        private final BitSet produced = new BitSet();
        private final BitSet processed = new BitSet();
    }

    /** Where a record was sent. */
    private record Origin(TopicId topic, int partition) {}

    Referee(Simulation sim, GroupName group) {
        this.sim = sim;
        this.group = group;
    }

    // What it looks at

    void host(HostActor host, String id) {
        hosts.put(id, host);
    }

    /** A member is in: there is a journal. */
    void mayLook() {
        mayLook = true;
    }

    void afterPowerCut() {
        mayLook = false;
        store = null;
        journal = null;
        comparing = true;
        version = -1;
        states.clear();
    }

    void look() {
        if (!mayLook || sim.failed()) {
            return;
        }
        if (journal == null) {
            open();
        }
        while (journal != null && journal.endVersion() > version) {
            for (GroupJournal.Line line : journal.read(version)) {
                line(line);
            }
        }
    }

    private FileStore lookOn() {
        FileStoreOptions options = new FileStoreOptions(
                sim.disk().process(),
                new ProcessIdentity(sim.bootId(), 1, 1, new UUID(1, sim.bootId().getLeastSignificantBits())),
                Clock.systemUTC(),
                true,
                false,
                true,
                Duration.ofMillis(200),
                Duration.ofDays(1),
                16 << 20);
        return FileStore.open(GroupRun.DIRECTORY, options);
    }

    private void open() {
        store = lookOn();
        journal = store.groups().find(group).orElse(null);
        if (journal == null) {
            broken("the group is gone, with " + ackedEnd + " versions that were promised");
            return;
        }
        version = journal.startVersion();
        books = new Books(this);
        state = Group.empty();
    }

    private void line(GroupJournal.Line line) {
        if (line.version() != version) {
            broken("version " + line.version() + " follows " + (version - 1));
        }
        if (comparing) {
            compare(line);
        }
        lines.put(version, line.text());
        sim.note(line.version() + " " + line.text());
        if (GroupJson.isSnapshot(line.text())) {
            Group said = GroupJson.replay(Group.empty(), line.text());
            Books fresh = Books.of(said, this);
            if (!state.equals(Group.empty()) && !fresh.saysTheSame(books)) {
                broken("a snapshot says something else than the lines before it");
            }
            if (state.equals(Group.empty())) {
                books = fresh;
            }
            state = said;
        } else {
            books.apply(version, line.text(), sim.now());
            state = GroupJson.replay(state, line.text());
        }
        version++;
        states.put(version, state);
        Books other = Books.of(state, this);
        if (!books.saysTheSame(other)) {
            broken("the state is not what its lines say: " + state.owners() + state.offsets());
        }
    }

    /** After a power cut: what was promised is still there. */
    private void compare(GroupJournal.Line line) {
        String before = lines.get(line.version());
        if (before != null && !before.equals(line.text()) || before == null) {
            comparing = false;
            if (line.version() < ackedEnd) {
                broken("version " + line.version() + " was promised, up to " + ackedEnd
                        + ", and another one has its place: " + before);
            }
            lines.keySet().removeIf(late -> late >= line.version());
        }
    }

    // What members tell

    void acknowledged(String member, String partition, long offset) {
        look();
        commits++;
        Long at = committedAt.get(member + " " + partition + " " + offset);
        if (at == null) {
            broken("a commit of " + member + " for " + partition + " at " + offset
                    + " was acknowledged and is not there");
        } else {
            ackedEnd = Math.max(ackedEnd, at + 1);
        }
    }

    void actsOn(long generation) {
        look();
        String line = generations.get(generation);
        if (line == null) {
            broken("somebody acts on generation " + generation + ", which is not in the journal");
        } else {
            actedOn.put(generation, line);
        }
    }

    void sees(Seen seen) {
        look();
        Group there = states.get(seen.version());
        if (there != null && !there.equals(seen.group())) {
            broken("two replicas differ at version " + seen.version());
        }
    }

    // Records

    long sends(TopicId topic, int partition) {
        origins.add(new Origin(topic, partition));
        return origins.size() - 1L;
    }

    void produced(TopicId topic, int partition, long offset, int count) {
        shelf(topic.toString(), partition).produced.set((int) offset, (int) offset + count);
    }

    private Shelf shelf(String topic, int partition) {
        return shelves.computeIfAbsent(topic + ":" + partition, any -> new Shelf());
    }

    /** Whose partition a record is of, with the id of its topic: a topic made anew is another one. */
    String place(long number) {
        Origin origin = origins.get((int) number);
        return origin.topic() + ":" + origin.partition();
    }

    void handsOut(MemberActor actor, Map<String, String> partitions) {
        look();
        String member = actor.memberId();
        long beat = actor.host().lastBeat();
        if (sim.now() - beat > LEASE_NANOS) {
            broken(member + " hands out records " + (sim.now() - beat) / 1_000_000 + " ms after its last sign of life");
        }
        partitions.forEach((partition, place) -> {
            sim.mix(partition.hashCode());
            if (!member.equals(books.owners.get(partition))) {
                Long lost = books.lostAt(partition, member);
                if (lost == null || actor.host().process().lastLook() > lost) {
                    broken(member + " hands out " + partition + ", which " + books.owners.get(partition) + " owns");
                }
            }
            for (HostActor host : hosts.values()) {
                for (MemberActor other : host.members()) {
                    if (other != actor
                            && !host.process().hasEnded()
                            && other.memberId() != null
                            && books.hosts.containsKey(other.memberId())
                            && other.inHand().contains(place)) {
                        broken(partition + " is handed out by " + member + " while " + other.memberId()
                                + ", who is in the group, works on it");
                    }
                }
            }
        });
    }

    void processed(long number, long offset) {
        Origin origin = origins.get((int) number);
        BitSet done = shelf(origin.topic().toString(), origin.partition()).processed;
        if (done.get((int) offset)) {
            duplicates++;
        }
        done.set((int) offset);
    }

    // What the books tell

    @Override
    public void broken(String why) {
        sim.fail(new AssertionError(why));
    }

    @Override
    public void committed(String member, String partition, long before, long offset) {
        committedAt.put(member + " " + partition + " " + offset, version);
        if (offset < before) {
            broken(member + " commits " + partition + " at " + offset + ", it was at " + before);
        }
        int colon = partition.indexOf(':');
        String topic = books.topics.get(partition.substring(0, colon));
        Shelf shelf = shelf(topic, Integer.parseInt(partition.substring(colon + 1)));
        for (int i = shelf.produced.nextSetBit((int) before);
                i >= 0 && i < offset;
                i = shelf.produced.nextSetBit(i + 1)) {
            if (!shelf.processed.get(i)) {
                broken(member + " commits " + partition + " at " + offset + ", but nobody processed record " + i);
            }
        }
        checkEnd(partition, TopicId.parse(topic), Integer.parseInt(partition.substring(colon + 1)), offset);
    }

    private void checkEnd(String partition, TopicId topic, int number, long offset) {
        if (comparing) {
            return; // the log may not be open again
        }
        try {
            long end = store.log(topic, number).endOffset();
            // Who may not write and came before the first writer looks for its page only once a second.
            if (offset > end && offset > endNow(topic, number)) {
                broken(partition + " is committed at " + offset + " and ends at " + end);
            }
        } catch (TopicNotFoundException | TopicDeletedException e) {
            // Then there is nothing to compare with; the group will learn it too.
            return;
        }
    }

    private long endNow(TopicId topic, int number) {
        try (FileStore fresh = lookOn()) {
            return fresh.log(topic, number).endOffset();
        }
    }

    @Override
    public void left(String member, String host, String cause) {
        HostActor actor = hosts.get(host);
        if (cause.equals("PROCESS_DIED") && !actor.isGone()) {
            broken(member + " is out because its process died, but " + actor.process() + " lives");
        }
        if (cause.equals("SESSION_EXPIRED") && !actor.wasSilent(SESSION.toNanos() - SLACK_NANOS, OBSERVER_LATE_NANOS)) {
            broken(member + " is out because its session expired, but " + actor.process() + " gave signs of life");
        }
    }

    @Override
    public void rebalanced(long generation, long atVersion) {
        String line = lines.get(atVersion);
        generations.put(generation, line);
        String before = actedOn.get(generation);
        if (before != null && !before.equals(line)) {
            broken("generation " + generation + " comes a second time");
        }
    }

    // Liveness

    void checkNobodyIsHeldUp() {
        for (HostActor host : hosts.values()) {
            if (host.process().hasEnded() || host.process().isStopped()) {
                continue;
            }
            for (MemberActor member : host.members()) {
                long since = Math.max(member.callSince(), host.process().lastContinued());
                if (member.callSince() > 0 && sim.now() - since > STALL_MAX_NANOS) {
                    broken(member + " is held up for " + (sim.now() - since) / 1_000_000 + " ms in " + member.call());
                }
            }
        }
    }

    long commits() {
        return commits;
    }

    /** Records that were processed more than once. */
    long duplicates() {
        return duplicates;
    }

    Books books() {
        return books;
    }

    void checkAllProcessed(String topic) {
        shelves.forEach((place, shelf) -> {
            if (place.startsWith(topic + ":")) {
                for (int i = shelf.produced.nextSetBit(0); i >= 0; i = shelf.produced.nextSetBit(i + 1)) {
                    if (!shelf.processed.get(i)) {
                        broken("record " + i + " of " + place + " was acknowledged and is processed by nobody");
                    }
                }
            }
        });
    }
}
