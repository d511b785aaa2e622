package dev.muster.cli.group;

import dev.muster.cli.text.Partitions;
import dev.muster.cli.text.Spans;
import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.FalseAlarm;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.Ownership;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The changes of a group between two states of it, in plain words, one line for each. Frequent calls show each change;
 * rare calls show the sum. For one thread: it remembers the names of members that left.
 */
public final class GroupChanges {
    /**
     * @param at wall time in milliseconds
     * @param event a word for programs
     * @param member the member it is about; empty if it is about several or none
     */
    public record Change(
            long at,
            String event,
            long generation,
            Optional<MemberId> member,
            List<TopicPartition> partitions,
            String text) {
        /** The object of {@code -o jsonl}. */
        public Map<String, Object> object() {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("at", at);
            object.put("event", event);
            object.put("generation", generation);
            object.put("member", member.map(MemberId::value).orElse(null));
            object.put("partitions", Partitions.objects(partitions));
            object.put("text", text);
            return object;
        }
    }

    private final Names names = new Names(List.of());
    private final boolean withCommits;
    private final Set<MemberId> toldDead = new HashSet<>();
    private Group before;

    /** @param withCommits true if commits of members are changes too */
    public GroupChanges(Group now, boolean withCommits) {
        this.before = now;
        this.withCommits = withCommits;
        names.add(now.members().values());
    }

    /** The changes since the last call, in the order of events. */
    public List<Change> since(Group now, long atMs) {
        names.add(now.members().values());
        List<Change> changes = new ArrayList<>();
        falseAlarms(now, changes);
        members(now, atMs, changes);
        generations(now, changes);
        owners(now, atMs, changes);
        offsets(now, atMs, changes);
        if (now.deleted() && !before.deleted()) {
            changes.add(new Change(
                    atMs, "deleted", now.generation(), Optional.empty(), List.of(), "the group was deleted"));
        }
        before = now;
        return changes;
    }

    /**
     * Members whose processes died while no other process was left to record it, each once. A living member would
     * record it, and {@link #since} would show it.
     *
     * @param dead ids of members whose processes are dead although the group does not know it yet
     */
    public List<Change> died(Group now, Set<String> dead, long atMs) {
        List<Change> changes = new ArrayList<>();
        if (GroupPhase.of(now, dead) == GroupPhase.MEMBERS_DIED) {
            for (String id : dead) {
                MemberId member = new MemberId(id);
                if (toldDead.add(member)) {
                    changes.add(change(
                            atMs,
                            "died",
                            now,
                            member,
                            owned(now, member),
                            names.of(member)
                                    + " is dead and no member is left; the next member that joins takes over"));
                }
            }
        }
        return changes;
    }

    private static List<TopicPartition> owned(Group group, MemberId member) {
        return group.owners().entrySet().stream()
                .filter(owner -> owner.getValue().member().equals(member))
                .map(Map.Entry::getKey)
                .toList();
    }

    private void falseAlarms(Group now, List<Change> changes) {
        List<FalseAlarm> remembered = now.falseAlarms().last();
        long more = now.falseAlarms().count() - before.falseAlarms().count();
        int from = (int) Math.max(0, remembered.size() - more);
        for (FalseAlarm alarm : remembered.subList(from, remembered.size())) {
            changes.add(change(
                    alarm.at(),
                    "falseAlarm",
                    now,
                    alarm.member(),
                    List.of(),
                    Alarms.who(alarm) + " was expelled after a broken connection, though alive"));
        }
    }

    private void members(Group now, long atMs, List<Change> changes) {
        // The journal has no time of a departure, but the generation that followed came at once.
        long outAt = now.history().stream()
                .filter(generation -> generation.number() > before.generation())
                .mapToLong(Generation::at)
                .findFirst()
                .orElse(atMs);
        before.members().forEach((id, member) -> {
            if (!now.members().containsKey(id) && replacement(member, now).isEmpty()) {
                changes.add(change(outAt, "left", now, id, member.owned(), names.of(id) + " left the group"));
            }
        });
        now.members().forEach((id, member) -> {
            Member old = before.members().get(id);
            if (old == null) {
                boolean returned = replacement(member, before).isPresent();
                changes.add(change(
                        member.joinedAt(),
                        returned ? "returned" : "joined",
                        now,
                        id,
                        List.of(),
                        names.of(id) + (returned ? " came back" : " joined") + process(member)));
            } else if (old.away().isEmpty() && member.away().isPresent()) {
                String patience = Spans.show(member.spec().timing().session());
                changes.add(change(
                        atMs,
                        "away",
                        now,
                        id,
                        member.owned(),
                        names.of(id) + " is away; it may come back within " + patience));
            }
        });
    }

    /** The same static member under another id. */
    private static Optional<Member> replacement(Member member, Group other) {
        return member.spec()
                .instance()
                .flatMap(instance -> other.members().values().stream()
                        .filter(candidate -> candidate
                                .spec()
                                .instance()
                                .filter(instance::equals)
                                .isPresent())
                        .findFirst());
    }

    private static String process(Member member) {
        OptionalLong pid = Names.pid(member.spec().host());
        return pid.isPresent() ? " (process " + pid.getAsLong() + ")" : "";
    }

    private void generations(Group now, List<Change> changes) {
        for (Generation generation : now.history()) {
            if (generation.number() > before.generation()) {
                changes.add(new Change(
                        generation.at(),
                        "generation",
                        generation.number(),
                        Optional.empty(),
                        List.copyOf(generation.moves().keySet()),
                        "generation " + generation.number() + ": " + Names.printable(generation.cause()) + "; "
                                + moved(generation)));
            }
        }
    }

    private static String moved(Generation generation) {
        int moved = generation.moves().size();
        if (moved > 0 && generation.moves().values().stream().allMatch(Moves::isAnew)) {
            return moved == 1 ? "1 partition starts at another offset" : moved + " partitions start at another offset";
        }
        return moved == 0 ? "nothing moves" : moved == 1 ? "1 partition moves" : moved + " partitions move";
    }

    /** The old and the new owner, for all partitions that moved between these two. */
    private record Way(Optional<MemberId> from, Optional<MemberId> to) {}

    private void owners(Group now, long atMs, List<Change> changes) {
        TreeSet<TopicPartition> all = new TreeSet<>(before.owners().keySet());
        all.addAll(now.owners().keySet());
        Map<Way, List<TopicPartition>> ways = new LinkedHashMap<>();
        for (TopicPartition partition : all) {
            Way way = new Way(owner(before, partition), owner(now, partition));
            if (!way.from().equals(way.to()) && !isReturn(way, now)) {
                ways.computeIfAbsent(way, same -> new ArrayList<>()).add(partition);
            }
        }
        ways.forEach((way, partitions) -> changes.add(moved(now, atMs, way, partitions)));
    }

    /** True for a static member that came back and kept its partitions: nothing moved. */
    private boolean isReturn(Way way, Group now) {
        Optional<Member> old = way.from().map(id -> before.members().get(id));
        Optional<Member> present = way.to().map(id -> now.members().get(id));
        return old.isPresent()
                && present.isPresent()
                && old.get().spec().instance().isPresent()
                && old.get().spec().instance().equals(present.get().spec().instance());
    }

    private static Optional<MemberId> owner(Group group, TopicPartition partition) {
        return Optional.ofNullable(group.owners().get(partition)).map(Ownership::member);
    }

    private Change moved(Group now, long atMs, Way way, List<TopicPartition> partitions) {
        String which = Partitions.show(partitions);
        if (way.to().isEmpty()) {
            String who = way.from().map(names::of).orElse("no member");
            return change(atMs, "freed", now, way.from().orElse(null), partitions, which + ": free, was " + who + "'s");
        }
        long at = partitions.stream()
                .mapToLong(partition -> now.owners().get(partition).at())
                .max()
                .orElse(atMs);
        String from = way.from().map(member -> names.of(member) + " -> ").orElse("");
        return change(
                at,
                "owned",
                now,
                way.to().get(),
                partitions,
                which + ": " + from + names.of(way.to().get()) + unowned(now, partitions));
    }

    private static String unowned(Group now, List<TopicPartition> partitions) {
        OptionalLong longest = partitions.stream()
                .flatMap(partition -> now.lastMove(partition).stream())
                .map(last -> Moves.unownedMs(last.move()))
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .max();
        return longest.isEmpty() ? "" : Moves.unowned(longest.getAsLong(), partitions.size());
    }

    private void offsets(Group now, long atMs, List<Change> changes) {
        Map<String, List<TopicPartition>> byWhom = new TreeMap<>();
        Map<String, StringBuilder> texts = new TreeMap<>();
        now.offsets().forEach((partition, commit) -> {
            if (isNews(before.offsets().get(partition), commit)) {
                String who = commit.by().map(names::of).orElse("");
                byWhom.computeIfAbsent(who, same -> new ArrayList<>()).add(partition);
                StringBuilder text = texts.computeIfAbsent(who, same -> new StringBuilder());
                text.append(text.isEmpty() ? "" : ", ")
                        .append(partition)
                        .append(" at ")
                        .append(commit.offset().offset());
            }
        });
        byWhom.forEach((who, partitions) -> {
            Commit commit = now.offsets().get(partitions.getFirst());
            String text = who.isEmpty() ? "set by hand: " + texts.get(who) : who + " committed " + texts.get(who);
            changes.add(change(
                    commit.at(),
                    who.isEmpty() ? "reset" : "committed",
                    now,
                    commit.by().orElse(null),
                    partitions,
                    text));
        });
        List<TopicPartition> forgotten = before.offsets().keySet().stream()
                .filter(partition -> !now.offsets().containsKey(partition))
                .toList();
        if (!forgotten.isEmpty()) {
            changes.add(change(
                    atMs, "forgotten", now, null, forgotten, "offsets forgotten: " + Partitions.show(forgotten)));
        }
    }

    private boolean isNews(Commit old, Commit commit) {
        return !Objects.equals(old, commit) && (withCommits || commit.by().isEmpty());
    }

    private static Change change(
            long at,
            String event,
            Group now,
            MemberId member,
            java.util.Collection<TopicPartition> partitions,
            String text) {
        return new Change(at, event, now.generation(), Optional.ofNullable(member), List.copyOf(partitions), text);
    }
}
