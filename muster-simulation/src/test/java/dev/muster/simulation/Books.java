package dev.muster.simulation;

import dev.muster.core.group.Group;
import dev.muster.core.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The referee's own state of a group, built from the lines of the journal. It shares no code with the rules that wrote
 * them. Partitions are named {@code topic:number}.
 */
final class Books {
    final Map<String, String> hosts = new TreeMap<>();
    final Map<String, String> owners = new TreeMap<>();
    final Map<String, Long> offsets = new TreeMap<>();
    final Map<String, String> topics = new TreeMap<>();
    /** The partitions with an offset set by hand that are not released yet. */
    final Set<String> recalled = new TreeSet<>();

    long generation;
    /** The time of the present generation. */
    long generationAt;

    /** The members by the classic rules. */
    private final Set<String> classic = new TreeSet<>();
    /** The classic members that wait at the barrier. */
    private final Set<String> atBarrier = new TreeSet<>();
    /**
     * The classic members that were present when the barrier last opened. Absent static members keep their place too.
     */
    private final Set<String> present = new TreeSet<>();
    /** The classic members that were modern members and have joined no barrier since. */
    private final Set<String> resumed = new TreeSet<>();
    /**
     * The last member that got each partition by the classic rules. A classic assignment names topics, not their ids:
     * after a topic is created again it is valid in the new topic too.
     */
    private final Map<String, String> assignees = new HashMap<>();
    /** The time since which all members must join the barrier; null if they need not, or if it is unknown. */
    private Long callsSince;

    /** The time at which a member last lost a partition, by partition and member. */
    private final Map<String, Long> lostAt = new HashMap<>();
    /** The entries of {@code lostAt} that were releases by the member itself. */
    private final Set<String> lostByRelease = new HashSet<>();

    /** The time at which a member last left or was expelled. */
    private final Map<String, Long> outAt = new HashMap<>();

    /** The time at which the owner released a partition after its offset was set by hand. */
    private final Map<String, Long> recallOver = new HashMap<>();

    private final Map<String, Grant> grants = new HashMap<>();
    private final Map<String, Committer> committers = new HashMap<>();
    /** The highest offset that the last committer has committed since the present owner got the partition. */
    private final Map<String, Long> reached = new HashMap<>();

    /** The grant of a partition to its owner. */
    record Grant(long version, long generation, long at) {}

    /** The last committer of a partition, and its grant. */
    private record Committer(String member, Grant grant) {}

    private final Rules rules;

    /** The events that the referee handles. */
    interface Rules {
        void broken(Invariant invariant, String how);

        void committed(String member, String partition, long before, long offset);

        void left(String member, String host, String cause);

        void away(String member, String host, String cause);

        void released(String member, String partition);

        void rebalanced(long generation, long version);

        void joined(String member);

        /** A leader of a classic group assigned a partition to a member. */
        void assigned(String member, String partition);

        /** The group became modern. */
        void becameModern();

        void becameClassic();

        /** An offset was set by hand. */
        void reset(String partition, long before, long offset);

        /** The group was deleted. */
        void deleted();
    }

    Books(Rules rules) {
        this.rules = rules;
    }

    /** The books of a group that was created again. They keep the losses of the old group. */
    Books after() {
        Books books = new Books(rules);
        books.lostAt.putAll(lostAt);
        books.lostByRelease.addAll(lostByRelease);
        books.outAt.putAll(outAt);
        books.recallOver.putAll(recallOver);
        return books;
    }

    /** The books at a snapshot. */
    static Books of(Group group, Rules rules) {
        Books books = new Books(rules);
        group.members()
                .forEach((id, member) ->
                        books.hosts.put(id.value(), member.spec().host().value()));
        group.classic().members().forEach((id, member) -> {
            books.hosts.put(id.value(), member.spec().host().value());
            books.classic.add(id.value());
            if (member.waiting()) {
                books.atBarrier.add(id.value());
            }
            if (member.resumed()) {
                books.resumed.add(id.value());
            }
            member.assignedPartitions()
                    .ifPresent(given ->
                            given.forEach(tp -> books.assignees.put(tp.topic() + ":" + tp.partition(), id.value())));
        });
        group.owners().forEach((tp, owner) -> {
            String name = tp.topic() + ":" + tp.partition();
            books.owners.put(name, owner.member().value());
            books.grants.put(name, new Grant(0, owner.since(), 0));
        });
        group.offsets()
                .forEach((tp, commit) -> books.offsets.put(
                        tp.topic() + ":" + tp.partition(), commit.offset().offset()));
        group.topics()
                .forEach((topic, shape) ->
                        books.topics.put(topic.value(), shape.id().toString()));
        group.members()
                .forEach((id, member) ->
                        member.recalled().forEach(tp -> books.recalled.add(tp.topic() + ":" + tp.partition())));
        books.generation = group.generation();
        return books;
    }

    boolean saysTheSame(Books other) {
        return hosts.equals(other.hosts)
                && owners.equals(other.owners)
                && offsets.equals(other.offsets)
                && topics.equals(other.topics)
                && recalled.equals(other.recalled)
                && classic.equals(other.classic)
                && atBarrier.equals(other.atBarrier)
                && resumed.equals(other.resumed)
                && generation == other.generation;
    }

    /** True if since this time the owner had to release the partition because its offset was set by hand. */
    boolean wasRecalledSince(String partition, long since) {
        Long over = recallOver.get(partition);
        return recalled.contains(partition) || over != null && over >= since;
    }

    Long lostAt(String partition, String member) {
        return lostAt.get(partition + " " + member);
    }

    /** True if the member's last loss of a partition was a release by itself, by the journal. */
    boolean lostByRelease(String partition, String member) {
        return lostByRelease.contains(partition + " " + member);
    }

    /** True if a member must still release a partition whose offset was set by hand. */
    boolean owesAReset(String member) {
        return recalled.stream().anyMatch(tp -> member.equals(owners.get(tp)));
    }

    /** The time at which a member last left or was expelled; null if never. */
    Long outAt(String member) {
        return outAt.get(member);
    }

    /** The grant of a partition to its owner. */
    Grant grant(String partition) {
        return grants.get(partition);
    }

    /** True if the group is classic. */
    boolean isClassic() {
        return !classic.isEmpty();
    }

    /** True if the member has the classic rules. */
    boolean isClassic(String member) {
        return classic.contains(member);
    }

    /** True if the last assignment of the classic rules gives this partition to this member, in whatever topic. */
    boolean isAssignee(String partition, String member) {
        return member.equals(assignees.get(partition));
    }

    /** True if a member may know only an older generation, because the modern rules do not report every one to it. */
    boolean mayNameOlder(String member) {
        return resumed.contains(member);
    }

    /** The time since which all classic members must join the barrier; null if they need not. */
    Long callsSince() {
        return callsSince;
    }

    /** The members that were present when the barrier last opened. */
    Set<String> present() {
        return present;
    }

    /** The last committer of a partition during the present ownership; null if there is none. */
    String lastCommitter(String partition) {
        Committer last = committers.get(partition);
        boolean ofPresentOwner =
                last != null && last.grant() != null && last.grant().equals(grants.get(partition));
        return ofPresentOwner ? last.member() : null;
    }

    /**
     * The highest offset that the last committer has committed during the present ownership. A late commit of the same
     * member does not lower it.
     *
     * @return the offset; 0 if there is no commit since
     */
    long reached(String partition) {
        return lastCommitter(partition) == null ? 0 : reached.getOrDefault(partition, 0L);
    }

    @SuppressWarnings("unchecked")
    void apply(long version, String line, long now) {
        Map<String, Object> entry = (Map<String, Object>) Json.parse(line);
        for (Object one : (List<Object>) entry.get("events")) {
            event(version, (Map<String, Object>) one, now);
        }
    }

    @SuppressWarnings("unchecked")
    private void event(long version, Map<String, Object> event, long now) {
        switch ((String) event.get("event")) {
            case "joined" -> joined((Map<String, Object>) event.get("member"));
            case "returned" -> {
                String old = (String) event.get("old");
                Map<String, Object> spec = (Map<String, Object>) event.get("member");
                hosts.remove(old);
                joined(spec);
                if (!old.equals(spec.get("id"))) {
                    outAt.put(old, now);
                    inherit(old, (String) spec.get("id"), version, now);
                }
            }
            case "away" -> {
                String member = mustBeThere(event);
                rules.away(member, hosts.get(member), (String) event.get("cause"));
            }
            case "subscribed" -> mustBeThere(event);
            case "left" -> left(event, now);
            case "false-alarm" -> falseAlarm((String) event.get("member"));
            case "topics" -> topics((Map<String, Object>) event.get("topics"), now);
            case "rebalanced" -> generation(event, version, now);
            case "released" -> released(event, now);
            case "granted" -> granted(event, version, now);
            case "committed" -> committed(event);
            case "reset" ->
                offsets((Map<String, Object>) event.get("offsets")).forEach((tp, offset) -> {
                    Long before = offsets.put(tp, offset);
                    reached.remove(tp);
                    rules.reset(tp, before == null ? 0 : before, offset);
                });
            case "rewound" -> {
                generation(event, version, now);
                offsets((Map<String, Object>) event.get("offsets")).forEach((tp, offset) -> {
                    Long before = offsets.put(tp, offset);
                    reached.remove(tp);
                    rules.reset(tp, before == null ? 0 : before, offset);
                    if (owners.containsKey(tp)) {
                        recalled.add(tp);
                    }
                });
            }
            case "expected", "forming", "formed" -> {}
            case "forgotten" ->
                partitions(event).forEach(tp -> {
                    offsets.remove(tp);
                    reached.remove(tp);
                });
            case "deleted" -> {
                if (!hosts.isEmpty()) {
                    rules.broken(Invariant.ONE_OWNER, "the group is deleted, with its members " + hosts.keySet());
                }
                topics.clear();
                owners.clear();
                offsets.clear();
                reached.clear();
                rules.deleted();
            }
            case "became-modern" -> becameModern(version, event, now);
            case "became-classic" -> becameClassic(now);
            case String kind when kind.startsWith("classic-") -> classicEvent(kind, version, event, now);
            default -> rules.broken(Invariant.ONE_TRUTH, "an event that nobody knows: " + event);
        }
    }

    private void released(Map<String, Object> event, long now) {
        String member = mustBeThere(event);
        for (String tp : partitions(event)) {
            if (!member.equals(owners.get(tp))) {
                rules.broken(Invariant.ONE_OWNER, member + " releases " + tp + ", which " + owners.get(tp) + " owns");
            }
            free(tp, now);
            lostByRelease.add(tp + " " + member);
            rules.released(member, tp);
        }
    }

    private void granted(Map<String, Object> event, long version, long now) {
        String member = mustBeThere(event);
        for (String tp : partitions(event)) {
            grants.put(tp, new Grant(version, generation, now));
            String owner = owners.put(tp, member);
            if (owner != null) {
                rules.broken(Invariant.ONE_OWNER, tp + " is granted to " + member + " while " + owner + " owns it");
            }
        }
    }

    @SuppressWarnings("unchecked")
    private void committed(Map<String, Object> event) {
        String member = (String) event.get("member");
        offsets((Map<String, Object>) event.get("offsets")).forEach((tp, offset) -> {
            if (!member.equals(owners.get(tp))) {
                rules.broken(
                        Invariant.FENCED_COMMIT, member + " commits " + tp + ", which " + owners.get(tp) + " owns");
            }
            if (recalled.contains(tp)) {
                rules.broken(
                        Invariant.FENCED_COMMIT,
                        member + " commits " + tp + ", which was set by hand since it was given to it");
            }
            committed(member, tp, offset);
        });
    }

    private void committed(String member, String tp, long offset) {
        Long before = offsets.put(tp, offset);
        rules.committed(member, tp, before == null ? 0 : before, offset);
        long reachedBefore = member.equals(lastCommitter(tp)) ? reached.getOrDefault(tp, 0L) : 0;
        reached.put(tp, Math.max(reachedBefore, offset));
        committers.put(tp, new Committer(member, grants.get(tp)));
    }

    // From one set of rules to the other

    @SuppressWarnings("unchecked")
    private void becameModern(long version, Map<String, Object> event, long now) {
        Map<String, String> hands = new TreeMap<>();
        ((Map<String, Object>) event.get("hands")).forEach((member, partitions) -> {
            for (String tp : ranges((Map<String, Object>) partitions)) {
                String other = hands.put(tp, member);
                if (other != null) {
                    rules.broken(Invariant.ONE_OWNER, tp + " is in the hands of " + member + " and of " + other);
                }
            }
        });
        own(hands, version, now);
        rules.becameModern();
        classic.clear();
        atBarrier.clear();
        present.clear();
        resumed.clear();
        assignees.clear();
        callsSince = null;
    }

    private void becameClassic(long now) {
        classic.addAll(hosts.keySet());
        resumed.addAll(hosts.keySet());
        assignees.putAll(owners);
        recalled.clear();
        callsSince = now;
        rules.becameClassic();
    }

    /** Sets the owners of all partitions. */
    private void own(Map<String, String> next, long version, long now) {
        for (String tp : List.copyOf(owners.keySet())) {
            if (!owners.get(tp).equals(next.get(tp))) {
                free(tp, now);
            }
        }
        next.forEach((tp, member) -> {
            if (owners.put(tp, member) == null) {
                grants.put(tp, new Grant(version, generation, now));
            }
        });
    }

    // By the classic rules

    @SuppressWarnings("unchecked")
    private void classicEvent(String kind, long version, Map<String, Object> event, long now) {
        switch (kind) {
            case "classic-id", "classic-id-dropped", "classic-extended" -> {}
            case "classic-joined" -> classicJoined((Map<String, Object>) event.get("member"));
            case "classic-rejoined" -> {
                atBarrier.add(mustBeThere(event));
                if (event.get("spec") instanceof Map<?, ?> spec) {
                    hosts.put((String) spec.get("id"), (String) spec.get("host"));
                }
                rules.joined((String) event.get("member"));
            }
            case "classic-replaced" -> classicReplaced(event, version, now);
            case "classic-rebalance" -> callsSince = now;
            case "classic-generation" -> {
                generation(event, version, now);
                present.clear();
                present.addAll(atBarrier);
                atBarrier.clear();
                callsSince = null;
            }
            case "classic-assigned" -> classicAssigned(event, version, now);
            case "classic-synced" -> mustBeThere(event);
            case "classic-left" -> {
                left(event, now);
                classicOut((String) event.get("member"));
            }
            case "classic-away" -> {
                String member = mustBeThere(event);
                rules.away(member, hosts.get(member), (String) event.get("cause"));
            }
            case "classic-adopted" -> {
                String member = mustBeThere(event);
                hosts.put(member, (String) event.get("host"));
                rules.joined(member);
            }
            case "classic-committed" -> classicCommitted(event);
            default -> rules.broken(Invariant.ONE_TRUTH, "an event that nobody knows: " + event);
        }
    }

    private void classicJoined(Map<String, Object> spec) {
        joined(spec);
        classic.add((String) spec.get("id"));
        atBarrier.add((String) spec.get("id"));
    }

    private void classicOut(String member) {
        classic.remove(member);
        atBarrier.remove(member);
        present.remove(member);
        resumed.remove(member);
        assignees.values().removeIf(member::equals);
    }

    @SuppressWarnings("unchecked")
    private void classicReplaced(Map<String, Object> event, long version, long now) {
        String old = (String) event.get("old");
        String heir = (String) ((Map<String, Object>) event.get("member")).get("id");
        boolean wasResumed = resumed.contains(old);
        assignees.replaceAll((tp, member) -> member.equals(old) ? heir : member);
        hosts.remove(old);
        outAt.put(old, now);
        classicOut(old);
        joined((Map<String, Object>) event.get("member"));
        classic.add(heir);
        if (Boolean.TRUE.equals(event.get("waiting"))) {
            atBarrier.add(heir);
        }
        if (wasResumed) {
            resumed.add(heir);
        }
        inherit(old, heir, version, now);
    }

    /** Notes the leader's assignment; the members themselves follow it. */
    @SuppressWarnings("unchecked")
    private void classicAssigned(Map<String, Object> event, long version, long now) {
        Map<String, String> next = new TreeMap<>();
        ((Map<String, Object>) event.get("partitions"))
                .forEach((member, partitions) -> ranges((Map<String, Object>) partitions)
                        .forEach(tp -> {
                            String other = next.put(tp, member);
                            if (other != null) {
                                rules.broken(Invariant.ONE_OWNER, tp + " is given to " + member + " and to " + other);
                            }
                        }));
        Map<String, String> before = Map.copyOf(owners);
        own(next, version, now);
        assignees.clear();
        assignees.putAll(next);
        resumed.clear();
        next.forEach((tp, member) -> {
            if (!member.equals(before.get(tp))) {
                rules.assigned(member, tp);
            }
        });
    }

    /** Checks a classic commit: any member may commit every partition. */
    @SuppressWarnings("unchecked")
    private void classicCommitted(Map<String, Object> event) {
        String member = event.containsKey("member") ? mustBeThere(event) : "nobody";
        if (!event.containsKey("member") && !hosts.isEmpty()) {
            rules.broken(Invariant.FENCED_COMMIT, "somebody who is no member commits: " + event);
        }
        offsets((Map<String, Object>) event.get("offsets")).forEach((tp, offset) -> committed(member, tp, offset));
    }

    // Pieces

    private void generation(Map<String, Object> event, long version, long now) {
        long next = ((Number) event.get("generation")).longValue();
        generationAt = now;
        if (next <= generation) {
            rules.broken(Invariant.GENERATION_ONCE, "generation " + next + " follows " + generation);
        }
        generation = next;
        rules.rebalanced(next, version);
    }

    private void falseAlarm(String member) {
        if (!outAt.containsKey(member)) {
            rules.broken(Invariant.ONE_TRUTH, "found alive, and never out: " + member);
        }
    }

    private void left(Map<String, Object> event, long now) {
        String member = mustBeThere(event);
        outAt.put(member, now);
        rules.left(member, hosts.remove(member), (String) event.get("cause"));
        for (String tp : List.copyOf(owners.keySet())) {
            if (owners.get(tp).equals(member)) {
                free(tp, now);
            }
        }
    }

    private void inherit(String old, String heir, long version, long now) {
        owners.replaceAll((tp, owner) -> {
            if (!owner.equals(old)) {
                return owner;
            }
            lostAt.put(tp + " " + old, now);
            lostByRelease.remove(tp + " " + old);
            grants.put(tp, new Grant(version, grants.get(tp).generation(), now));
            return heir;
        });
    }

    private void joined(Map<String, Object> spec) {
        hosts.put((String) spec.get("id"), (String) spec.get("host"));
        rules.joined((String) spec.get("id"));
    }

    private String mustBeThere(Map<String, Object> event) {
        String member = (String) event.get("member");
        if (!hosts.containsKey(member)) {
            rules.broken(Invariant.FENCED_COMMIT, "an event of " + member + ", who is not in the group: " + event);
        }
        return member;
    }

    private void free(String tp, long now) {
        String owner = owners.remove(tp);
        if (recalled.remove(tp)) {
            recallOver.put(tp, now);
        }
        lostAt.put(tp + " " + owner, now);
        lostByRelease.remove(tp + " " + owner);
    }

    @SuppressWarnings("unchecked")
    private void topics(Map<String, Object> now, long time) {
        Map<String, String> ids = new TreeMap<>();
        now.forEach((topic, shape) -> ids.put(topic, (String) ((Map<String, Object>) shape).get("id")));
        topics.forEach((topic, id) -> {
            if (!id.equals(ids.get(topic))) {
                for (String tp : List.copyOf(owners.keySet())) {
                    if (tp.startsWith(topic + ":")) {
                        free(tp, time);
                    }
                }
                offsets.keySet().removeIf(tp -> tp.startsWith(topic + ":"));
                reached.keySet().removeIf(tp -> tp.startsWith(topic + ":"));
            }
        });
        topics.clear();
        topics.putAll(ids);
    }

    @SuppressWarnings("unchecked")
    private static List<String> partitions(Map<String, Object> event) {
        return ranges((Map<String, Object>) event.get("partitions"));
    }

    private static List<String> ranges(Map<String, Object> topics) {
        List<String> all = new ArrayList<>();
        topics.forEach((topic, ranges) -> {
            for (String range : ((String) ranges).split(",", -1)) {
                int dash = range.indexOf('-');
                int from = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
                int to = dash < 0 ? from : Integer.parseInt(range.substring(dash + 1));
                for (int i = from; i <= to; i++) {
                    all.add(topic + ":" + i);
                }
            }
        });
        return all;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Long> offsets(Map<String, Object> topics) {
        Map<String, Long> all = new TreeMap<>();
        topics.forEach((topic, partitions) -> ((Map<String, Object>) partitions).forEach((partition, offset) -> {
            Object number = offset instanceof List<?> parts ? parts.getFirst() : offset;
            all.put(topic + ":" + partition, ((Number) number).longValue());
        }));
        return all;
    }
}
