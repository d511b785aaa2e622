package dev.muster.simulation;

import dev.muster.core.TopicId;
import dev.muster.core.group.Group;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.json.Json;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.store.DamagedLogException;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.group.GroupDeletedException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.runtime.StoreRuntime;
import dev.muster.testkit.sim.Simulation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Checks every line as soon as it is in the journal, every record that is produced, handed out or processed, and every
 * promise. Fails at once when an invariant breaks.
 */
final class Referee implements Books.Rules {
    static final Duration SESSION = Duration.ofMillis(1500);
    static final Duration HEARTBEAT = Duration.ofMillis(500);
    static final Duration REVOKE = Duration.ofSeconds(1);
    private static final long LEASE_NANOS = SESSION.minus(HEARTBEAT).toNanos();
    /** The longest time that a suspended process may delay another one. */
    private static final long STALL_MAX_NANOS = 1_000_000_000;

    private static final long OBSERVER_LATE_NANOS = 15_000_000_000L;
    private static final long SLACK_NANOS = 100_000_000;

    private final Simulation sim;
    private long staleNanos;
    private final GroupName group;
    private final Map<String, Life> lives = new HashMap<>();
    /** The place of each written line, by its text. */
    private final Map<String, Place> written = new HashMap<>();

    private final Map<String, HostActor> hosts = new HashMap<>();
    private final Map<String, Shelf> shelves = new TreeMap<>();
    private final List<Origin> origins = new ArrayList<>();
    private Books books = new Books(this);
    private Group state = Group.empty();
    private FileStore store;
    private GroupJournal journal;
    /** The present group of the name, or the last one. */
    private Life life;

    private long version;
    private boolean comparing;
    /** True if lines are lost that only a snapshot can replace. */
    private boolean blind;

    private WireJudge wire;
    private boolean mayLook;
    /** True if the power was cut since the last check of the group. */
    private boolean cut;

    private long commits;
    private long snapshots;
    private long longestStall;
    private long duplicates;
    private long conversions;

    /** The records of one partition, with their fates. */
    private static final class Shelf {
        private final BitSet produced = new BitSet();
        private final BitSet processed = new BitSet();
    }

    /** The place of a line. */
    private record Place(Life life, long version) {
        void promised() {
            life.promised(version);
        }
    }

    /** The partition that a record was sent to. */
    private record Origin(TopicId topic, int partition) {}

    Referee(Simulation sim, GroupName group) {
        this.sim = sim;
        this.group = group;
    }

    // What it looks at

    void host(HostActor host, String id) {
        hosts.put(id, host);
    }

    /** Adds the judge of wire members. */
    void wire(WireJudge judge) {
        wire = judge;
    }

    /** True if lines are lost: no check is possible until a snapshot replaces them. */
    boolean isBlind() {
        return blind || journal == null;
    }

    /** Notes that the line of this version was acknowledged. */
    void promises(long version) {
        life.promised(version);
    }

    /** Notes that a member's leave was acknowledged. */
    void promisesLeave(String member) {
        Place place = written.get("left " + member);
        if (place != null) {
            place.promised();
        }
    }

    /** Notes that a member joined, so a journal exists. */
    void mayLook() {
        mayLook = true;
    }

    void afterPowerCut() {
        mayLook = false;
        store = null;
        journal = null;
        version = -1;
        cut = true;
        lives.values().forEach(one -> one.states.clear());
    }

    void look() {
        if (!mayLook || sim.failed()) {
            return;
        }
        if (journal != null && life.hasEnded() && !life.id.equals(idOfGroup())) {
            journal = null;
        }
        if (journal == null && !open()) {
            return;
        }
        try {
            while (journal.endVersion() > version && !sim.failed()) {
                readOn();
            }
        } catch (GroupDeletedException e) {
            if (!life.hasEnded()) {
                broken(Invariant.PROMISE_KEPT, "the group is deleted, and its end is written nowhere");
            }
            journal = null;
        }
    }

    private void readOn() {
        try {
            for (GroupJournal.Line line : journal.read(version)) {
                line(line);
            }
        } catch (DamagedLogException e) {
            // A sync failed, and then the power. The snapshot that replaced the lost lines must exist.
            sim.note("lost: " + e.getMessage());
            version = e.nextOffset();
            blind = true;
            state = Group.empty();
            books = books.after();
        }
    }

    /** The id of the present group; null if there is none. */
    private String idOfGroup() {
        Path file = GroupRun.DIRECTORY
                .resolve("consumer-groups")
                .resolve(group.value())
                .resolve("group.json");
        try {
            byte[] json = sim.disk().process().readAll(file);
            return (String) ((Map<?, ?>) Json.parse(new String(json, StandardCharsets.UTF_8))).get("id");
        } catch (IOException e) {
            return null;
        }
    }

    private FileStore lookOn() {
        FileStoreOptions options = new FileStoreOptions(
                sim.disk().process(),
                new ProcessIdentity(sim.bootId(), 1, 1, new UUID(1, sim.bootId().getLeastSignificantBits())),
                StoreRuntime.system(),
                true,
                false,
                true,
                Duration.ofMillis(200),
                Duration.ofDays(1),
                16 << 20);
        return FileStore.open(GroupRun.DIRECTORY, options);
    }

    /** @return True if the group exists */
    private boolean open() {
        String id = idOfGroup();
        boolean mayBeAnother = life == null || life.hasEnded() || cut && life.ackedEnd == 0;
        if (!mayBeAnother && !life.id.equals(id)) {
            broken(
                    Invariant.PROMISE_KEPT,
                    "the group is gone, with " + life.ackedEnd + " versions that were promised; there is " + id);
            return false;
        }
        store = lookOn();
        journal = store.groups().find(group).orElse(null);
        if (id == null || journal == null) {
            // The group was deleted and not created again.
            mayLook = false;
            journal = null;
            return false;
        }
        comparing = lives.containsKey(id);
        life = lives.computeIfAbsent(id, Life::new);
        cut = false;
        blind = false;
        version = journal.startVersion();
        books = books.after();
        state = Group.empty();
        return true;
    }

    private void line(GroupJournal.Line line) {
        if (line.version() != version) {
            broken(Invariant.ONE_TRUTH, "version " + line.version() + " follows " + (version - 1));
        }
        if (comparing) {
            compare(line);
        }
        life.lines.put(version, line.text());
        sim.note(line.version() + " " + line.text());
        sim.mix(line.version());
        sim.mix(line.text().hashCode());
        if (GroupJson.isSnapshot(line.text())) {
            Group said = GroupJson.replay(Group.empty(), line.text());
            Books fresh = Books.of(said, this);
            if (!state.equals(Group.empty()) && !fresh.saysTheSame(books)) {
                broken(Invariant.ONE_TRUTH, "a snapshot says something else than the lines before it");
            }
            if (state.equals(Group.empty())) {
                books = fresh;
            }
            state = said;
            blind = false;
            snapshots++;
        } else if (blind) {
            version++;
            return;
        } else {
            books.apply(version, line.text(), sim.now());
            state = after(line);
        }
        version++;
        life.states.put(version, state);
        Books other = Books.of(state, this);
        if (!books.saysTheSame(other)) {
            broken(Invariant.ONE_TRUTH, "the state is not what its lines say: " + state.owners() + state.offsets());
        }
    }

    private Group after(GroupJournal.Line line) {
        try {
            return GroupJson.replay(state, line.text());
        } catch (RuntimeException e) {
            broken(Invariant.ONE_TRUTH, "version " + line.version() + " does not go with those before it: " + e);
            return state;
        }
    }

    /** Checks after a power cut that acknowledged lines still exist. */
    private void compare(GroupJournal.Line line) {
        String before = life.lines.get(line.version());
        if (!line.text().equals(before)) {
            comparing = false;
            if (line.version() < life.ackedEnd) {
                broken(
                        Invariant.PROMISE_KEPT,
                        "version " + line.version() + " was promised, up to " + life.ackedEnd
                                + ", and another one has its place: " + before);
            }
            life.cutAt(line.version());
        }
    }

    // What members tell

    void acknowledged(String member, String partition, long offset) {
        look();
        commits++;
        isThere("commit of " + member + " for " + partition + " at " + offset, member + " " + partition + " " + offset);
    }

    void resetAcknowledged(TopicId topic, String partition, long offset) {
        look();
        isThere("reset of " + partition + " to " + offset, "reset " + topic + partition + " " + offset);
    }

    private void isThere(String what, String key) {
        Place place = written.get(key);
        if (place == null) {
            broken(Invariant.PROMISE_KEPT, "a " + what + " was acknowledged and is not there");
        } else {
            place.promised();
        }
    }

    /** @param ended the group that was deleted, by {@link #present} */
    void deleteAcknowledged(Life ended) {
        look();
        if (!ended.hasEnded()) {
            broken(Invariant.PROMISE_KEPT, "the group was deleted, and its end is written nowhere");
        } else {
            ended.promised(ended.endVersion);
        }
    }

    /** The present group of the name. */
    Life present() {
        look();
        return life;
    }

    void actsOn(String member, long generation) {
        // After a power cut a member may be in the group, and process records, before its first poll returns.
        mayLook();
        look();
        Life in = lives.values().stream()
                .filter(one -> one.members.contains(member))
                .findFirst()
                .orElse(life);
        String line = in.generations.get(generation);
        if (line == null) {
            broken(
                    Invariant.GENERATION_ONCE,
                    "somebody acts on generation " + generation + ", which is not in the journal");
        } else {
            in.actedOn.put(generation, line);
        }
    }

    void sees(VersionedGroup seen) {
        look();
        Group there = life.states.get(seen.version());
        if (there != null
                && lives.values().stream().noneMatch(one -> seen.group().equals(one.states.get(seen.version())))) {
            broken(Invariant.ONE_TRUTH, "two replicas differ at version " + seen.version());
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

    /** The partition of a record, with the id of its topic: a topic that was created again is another one. */
    String place(long number) {
        Origin origin = origins.get((int) number);
        return origin.topic() + ":" + origin.partition();
    }

    void handsOut(MemberActor actor, Map<String, String> partitions) {
        look();
        String member = actor.memberId();
        long beat = actor.host().lastBeat();
        if (sim.now() - beat > LEASE_NANOS) {
            broken(
                    Invariant.LEASE,
                    member + " hands out records " + (sim.now() - beat) / 1_000_000
                            + " ms after its last sign of life");
        }
        partitions.forEach((partition, place) -> {
            sim.mix(partition.hashCode());
            if (!member.equals(books.owners.get(partition))) {
                Long lost = books.lostAt(partition, member);
                if (lost == null || actor.host().process().lastLook() > lost) {
                    broken(
                            Invariant.ONE_OWNER,
                            member + " hands out " + partition + ", which " + books.owners.get(partition) + " owns");
                }
            }
            checkNobodyElseWorks(member, partition, place);
        });
    }

    void handsOut(WireClient client, Held held) {
        look();
        if (isBlind()) {
            return;
        }
        String owner = books.owners.get(held.name());
        boolean another = !held.topic().toString().equals(books.topics.get(topicOf(held.name())));
        // A topic that was created again has no owners until the next assignment; classic members read it by the last
        // one.
        boolean owns =
                client.memberId().equals(owner) || owner == null && books.isAssignee(held.name(), client.memberId());
        if (!owns && !another && !wire.mayStillWork(client, held.name())) {
            broken(Invariant.ONE_OWNER, client + " hands out " + held + ", which " + owner + " owns");
        }
        if (owns) {
            checkNobodyElseWorks(client.memberId(), held.name(), held.place());
        }
    }

    private static String topicOf(String partition) {
        return partition.substring(0, partition.indexOf(':'));
    }

    private void checkNobodyElseWorks(String member, String partition, String place) {
        for (HostActor host : hosts.values()) {
            for (MemberActor other : host.members()) {
                if (!host.process().hasEnded()
                        && other.memberId() != null
                        && !other.memberId().equals(member)
                        && books.hosts.containsKey(other.memberId())
                        && other.inHand().contains(place)) {
                    broken(
                            Invariant.ONE_OWNER,
                            partition + " is handed out by " + member + " while " + other.memberId()
                                    + ", who is in the group, works on it");
                }
            }
        }
        if (wire != null) {
            wire.checkNobodyElseWorks(member, partition, place);
        }
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
    public void broken(Invariant invariant, String how) {
        sim.fail(new Broken(invariant, how, null));
    }

    @Override
    public void committed(String member, String partition, long before, long offset) {
        written.put(member + " " + partition + " " + offset, new Place(life, version));
        if (offset < before && (wire == null || !wire.isLate(member, books.lastCommitter(partition)))) {
            broken(
                    Invariant.NO_COMMIT_BACK,
                    member + " commits " + partition + " at " + offset + ", it was at " + before);
        }
        int colon = partition.indexOf(':');
        String topic = books.topics.get(partition.substring(0, colon));
        Shelf shelf = shelf(topic, Integer.parseInt(partition.substring(colon + 1)));
        for (int i = shelf.produced.nextSetBit((int) before);
                i >= 0 && i < offset;
                i = shelf.produced.nextSetBit(i + 1)) {
            if (!shelf.processed.get(i)) {
                broken(
                        Invariant.NOTHING_SKIPPED,
                        member + " commits " + partition + " at " + offset + ", but nobody processed record " + i);
            }
        }
        checkEnd(partition, TopicId.parse(topic), Integer.parseInt(partition.substring(colon + 1)), offset);
    }

    private void checkEnd(String partition, TopicId topic, int number, long offset) {
        if (comparing) {
            return; // a deleted log may not be opened again
        }
        try {
            long end = store.log(topic, number).endOffset();
            // A read-only process that opened the log before the first writer checks for the page once a second.
            if (offset > end && offset > endNow(topic, number)) {
                broken(Invariant.NOTHING_SKIPPED, partition + " is committed at " + offset + " and ends at " + end);
            }
        } catch (TopicNotFoundException | TopicDeletedException e) {
            // The topic was deleted, so there is nothing to compare with; the group will notice it.
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
        written.put("left " + member, new Place(life, version));
        if (actor == null) {
            broken(Invariant.ONE_TRUTH, member + " was of a process that never was: " + host);
            return;
        }
        if (wire != null && wire.knows(member)) {
            if (!comparing) {
                wire.left(member, actor, cause);
            }
            return;
        }
        if (cause.equals("PROCESS_DIED") && !actor.isGone()) {
            broken(
                    Invariant.LIVING_STAY,
                    member + " is out because its process died, but " + actor.process() + " lives");
        }
        if (cause.equals("SESSION_EXPIRED") && !actor.wasSilent(SESSION.toNanos() - SLACK_NANOS, OBSERVER_LATE_NANOS)) {
            broken(
                    Invariant.LIVING_STAY,
                    member + " is out because its session expired, but " + actor.process() + " gave signs of life");
        }
    }

    @Override
    public void away(String member, String host, String cause) {
        HostActor actor = hosts.get(host);
        if (cause.equals("PROCESS_DIED") && actor != null && !actor.isGone()) {
            broken(
                    Invariant.LIVING_STAY,
                    member + " is away because its process died, but " + actor.process() + " lives");
        }
        if (wire != null && !comparing) {
            wire.away(member);
        }
    }

    @Override
    public void released(String member, String partition) {
        if (wire != null && !comparing) {
            wire.released(member, partition);
        }
    }

    @Override
    public void rebalanced(long generation, long atVersion) {
        String line = life.lines.get(atVersion);
        life.generations.put(generation, line);
        String before = life.actedOn.get(generation);
        if (before != null && !before.equals(line)) {
            broken(Invariant.GENERATION_ONCE, "generation " + generation + " comes a second time");
        }
    }

    @Override
    public void joined(String member) {
        life.members.add(member);
        if (wire != null && !comparing) {
            wire.joined(member);
        }
    }

    @Override
    public void assigned(String member, String partition) {
        if (wire != null && !comparing) {
            wire.assigned(member, partition);
        }
    }

    @Override
    public void becameModern() {
        conversions++;
        if (wire != null && !comparing) {
            wire.becameModern();
        }
    }

    @Override
    public void becameClassic() {
        conversions++;
    }

    @Override
    public void reset(String partition, long before, long offset) {
        int colon = partition.indexOf(':');
        String topic = books.topics.get(partition.substring(0, colon));
        written.put("reset " + topic + partition + " " + offset, new Place(life, version));
        Shelf shelf = shelf(topic, Integer.parseInt(partition.substring(colon + 1)));
        // Records that were skipped by hand are not missing.
        if (offset > before) {
            shelf.processed.set((int) before, (int) offset);
        }
    }

    @Override
    public void deleted() {
        life.endVersion = version;
    }

    // Liveness

    void checkNobodyIsHeldUp() {
        if (wire != null) {
            wire.checkNobodyIsLeftWaiting();
        }
        for (HostActor host : hosts.values()) {
            if (host.process().hasEnded() || host.process().isStopped()) {
                continue;
            }
            for (MemberActor member : host.members()) {
                long since = Math.max(member.callSince(), host.process().lastContinued());
                if (member.callSince() > 0) {
                    longestStall = Math.max(longestStall, sim.now() - since);
                }
                if (member.callSince() > 0 && sim.now() - since > STALL_MAX_NANOS) {
                    broken(
                            Invariant.NOBODY_HELD_UP,
                            member + " is held up for " + (sim.now() - since) / 1_000_000 + " ms in " + member.call());
                }
            }
        }
    }

    /** The longest wait of a running member for others, in nanoseconds. */
    long longestStall() {
        return longestStall;
    }

    /** The number of snapshots. */
    long snapshots() {
        return snapshots;
    }

    long commits() {
        return commits;
    }

    /** The number of changes of rules. */
    long conversions() {
        return conversions;
    }

    /** The number of records that were processed more than once. */
    long duplicates() {
        return duplicates;
    }

    Books books() {
        return books;
    }

    /** The store shows processes late what other processes appended: at most by so long. */
    void toleratesStale(Duration time) {
        staleNanos = time.toNanos();
    }

    long staleNanos() {
        return staleNanos;
    }

    void checkAllProcessed(String topic) {
        shelves.forEach((place, shelf) -> {
            if (place.startsWith(topic + ":")) {
                for (int i = shelf.produced.nextSetBit(0); i >= 0; i = shelf.produced.nextSetBit(i + 1)) {
                    if (!shelf.processed.get(i)) {
                        broken(
                                Invariant.CALM_AFTERWARDS,
                                "record " + i + " of " + place + " was acknowledged and is processed by nobody");
                    }
                }
            }
        });
    }
}
