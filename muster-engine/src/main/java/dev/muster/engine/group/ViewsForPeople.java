package dev.muster.engine.group;

import dev.muster.core.TopicPartition;
import dev.muster.core.group.Commit;
import dev.muster.core.group.Entry;
import dev.muster.core.group.Event;
import dev.muster.core.group.Group;
import dev.muster.core.group.Member;
import dev.muster.core.group.MemberId;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.json.Json;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.View;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The files that let people follow a group with {@code ls}, {@code cat} and {@code tail}. Written by the process that
 * wrote the entries, some time after them, and many entries at once. Nobody here reads them. For all threads.
 */
final class ViewsForPeople {
    /** Long enough for a rebalance to be one write. */
    private static final long MEMBERSHIP_DELAY_NANOS = 20_000_000;

    private static final long OFFSETS_INTERVAL_NANOS = 1_000_000_000;
    /** Who published so lately may have done so over what another process published of a newer state. */
    private static final long OVERLAP_NANOS = 2_000_000_000;

    private static final int NAME_LENGTH_MAX = 120;

    private final GroupJournal journal;
    private final Surroundings world;

    private Seen newest;
    private boolean membershipChanged;
    private long membershipDue;
    private long offsetsDue;
    private Set<MemberId> members = new HashSet<>();
    private Set<TopicPartition> offsets = new HashSet<>();
    private StringBuilder timeline = new StringBuilder();
    private Set<MemberId> lastMembers = Set.of();
    private long lastMembership;
    private boolean everPublished;

    ViewsForPeople(GroupJournal journal, Surroundings world) {
        this.journal = journal;
        this.world = world;
        this.offsetsDue = world.nanoTime();
    }

    synchronized void wrote(Entry entry, Seen before, Seen after) {
        newest = after;
        for (Event event : entry.events()) {
            note(event, before.group(), after.group());
            if (!isCommit(event)) {
                timeline.append(TimelineLine.of(before.version(), entry, event)).append('\n');
                if (!membershipChanged) {
                    membershipChanged = true;
                    membershipDue = world.nanoTime() + MEMBERSHIP_DELAY_NANOS;
                }
            }
        }
    }

    /**
     * Others wrote something, and publish it. When we published just now, maybe after them and of an older state, we do
     * so again: the last one to write a file must not be the one who knows least.
     */
    synchronized void saw(Seen state) {
        if (newest == null || state.version() <= newest.version()) {
            return;
        }
        newest = state;
        long now = world.nanoTime();
        if (everPublished && !membershipChanged && now - lastMembership < OVERLAP_NANOS) {
            members.addAll(lastMembers);
            membershipChanged = true;
            membershipDue = now + MEMBERSHIP_DELAY_NANOS;
        }
    }

    /** Commits are many: only the offsets tell of them. */
    private static boolean isCommit(Event event) {
        return event instanceof Event.Committed
                || event instanceof Event.Classic(var classic) && classic instanceof ClassicEvent.Committed;
    }

    private void note(Event event, Group before, Group after) {
        switch (event) {
            case Event.MemberJoined(var member) -> members.add(member.id());
            case Event.MemberReturned(var old, var now) -> members.addAll(List.of(old, now.id()));
            case Event.MemberAway away -> members.add(away.member());
            case Event.MemberLeft left -> members.add(left.member());
            case Event.MemberSubscribed subscribed -> members.add(subscribed.member());
            case Event.Committed committed -> offsets.addAll(committed.offsets().keySet());
            case Event.OffsetsReset(var reset) -> offsets.addAll(reset.keySet());
            case Event.Rewound rewound -> offsets.addAll(rewound.offsets().keySet());
            case Event.OffsetsForgotten(var forgotten) -> offsets.addAll(forgotten);
            case Event.TopicsChanged _ ->
                before.offsets().keySet().stream()
                        .filter(partition -> !after.offsets().containsKey(partition))
                        .forEach(offsets::add);
            case Event.BecameModern _ ->
                members.addAll(before.classic().members().keySet());
            case Event.BecameClassic _ ->
                members.addAll(after.classic().members().keySet());
            case Event.Classic(var classic) -> note(classic);
            case Event.Rebalanced _,
                    Event.Released _,
                    Event.Granted _,
                    Event.MembersExpected _,
                    Event.FormingBegan _,
                    Event.Formed _,
                    Event.FalseAlarm _,
                    Event.GroupDeleted _ -> {}
        }
    }

    private void note(ClassicEvent event) {
        switch (event) {
            case ClassicEvent.Joined joined -> members.add(joined.member().id());
            case ClassicEvent.Rejoined rejoined -> members.add(rejoined.member());
            case ClassicEvent.Replaced replaced ->
                members.addAll(List.of(replaced.old(), replaced.now().id()));
            case ClassicEvent.Left left -> members.add(left.member());
            case ClassicEvent.Away(var member, var _) -> members.add(member);
            case ClassicEvent.Adopted adopted -> members.add(adopted.member());
            case ClassicEvent.Committed committed ->
                offsets.addAll(committed.offsets().keySet());
            case ClassicEvent.IdGiven _,
                    ClassicEvent.IdDropped _,
                    ClassicEvent.RebalanceBegan _,
                    ClassicEvent.RebalanceExtended _,
                    ClassicEvent.GenerationFormed _,
                    ClassicEvent.Assigned _,
                    ClassicEvent.Synced _ -> {}
        }
    }

    /** Whether anything waits to be published. */
    synchronized boolean pending() {
        return membershipChanged || !offsets.isEmpty();
    }

    /** When there is something to be published; {@code otherwise} when there is nothing. */
    synchronized long due(long otherwise) {
        long due = membershipChanged ? Deadline.earlier(membershipDue, otherwise) : otherwise;
        return offsets.isEmpty() ? due : Deadline.earlier(offsetsDue, due);
    }

    /** Writes what has changed. */
    void publish() {
        List<View> views = take();
        if (!views.isEmpty()) {
            journal.publish(views);
        }
    }

    private synchronized List<View> take() {
        List<View> views = new ArrayList<>();
        if (newest == null || newest.group().deleted()) {
            return views;
        }
        Group group = newest.group();
        if (membershipChanged) {
            views.add(new View("assignments.json", assignments(newest)));
            views.add(new View("generation.txt", group.generation() + "\n"));
            if (!timeline.isEmpty()) {
                views.add(View.append("timeline.jsonl", timeline.toString()));
            }
            lastMembers = members;
            lastMembership = world.nanoTime();
            everPublished = true;
            members.forEach(
                    member -> views.add(new View("members/" + fileName(member) + ".json", member(group, member))));
        }
        offsets.forEach(partition -> views.add(new View(
                "offsets/" + partition.topic() + "/partition-" + partition.partition() + ".offset",
                offset(newest.version() - 1, group.offsets().get(partition)))));
        membershipChanged = false;
        members = new HashSet<>();
        offsets = new HashSet<>();
        timeline = new StringBuilder();
        offsetsDue = world.nanoTime() + OFFSETS_INTERVAL_NANOS;
        return views;
    }

    private String assignments(Seen seen) {
        Group group = seen.group();
        Map<String, Object> owned = new TreeMap<>();
        Map<String, Object> revoking = new TreeMap<>();
        group.members().forEach((id, member) -> {
            owned.put(id.value(), names(member.owned()));
            if (!member.toRelease().isEmpty()) {
                revoking.put(id.value(), names(member.toRelease()));
            }
        });
        ClassicGroup classic = group.classic();
        classic.members().keySet().forEach(id -> owned.put(id.value(), names(owned(group, id))));
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("version", seen.version() - 1);
        view.put("generation", group.generation());
        view.put("timestamp", time(world.wallMillis()));
        view.put("assignor", classic.inUse() ? classic.protocol().orElse("") : group.assignor());
        if (classic.inUse()) {
            view.put("state", classic.state().toString());
        }
        view.put("settling", group.settling());
        view.put("assignments", owned);
        view.put("revoking", revoking);
        return Json.write(view) + "\n";
    }

    private static List<TopicPartition> owned(Group group, MemberId member) {
        return group.owners().entrySet().stream()
                .filter(owner -> owner.getValue().member().equals(member))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Null: it is not there, so neither is its file. */
    private static String member(Group group, MemberId id) {
        return group.classic()
                .member(id)
                .map(ViewsForPeople::member)
                .orElseGet(() -> member(group.members().get(id)));
    }

    private static String member(ClassicMember member) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("member", member.spec().id().value());
        view.put("client", member.spec().client());
        member.spec().instance().ifPresent(instance -> view.put("instance", instance));
        view.put("address", member.spec().address());
        view.put("host", member.spec().host().value());
        view.put("joined_at", time(member.joinedAt()));
        view.put("away", member.away().isPresent());
        view.put("session_ms", member.spec().session().toMillis());
        view.put("rebalance_ms", member.spec().rebalance().toMillis());
        view.put("protocol_type", member.spec().protocolType());
        view.put(
                "protocols",
                member.spec().protocols().stream()
                        .map(protocol -> (Object) protocol.name())
                        .toList());
        return Json.write(view) + "\n";
    }

    private static String member(Member member) {
        if (member == null) {
            return null;
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("member", member.spec().id().value());
        view.put("client", member.spec().client());
        member.spec().instance().ifPresent(instance -> view.put("instance", instance));
        view.put("host", member.spec().host().value());
        view.put("joined_at", time(member.joinedAt()));
        view.put("away", member.away().isPresent());
        view.put("session_ms", member.spec().timing().session().toMillis());
        view.put("assignor", member.spec().assignor());
        view.put(
                "topics",
                member.spec().subscription().topics().stream()
                        .map(topic -> (Object) topic.value())
                        .toList());
        member.spec().subscription().pattern().ifPresent(pattern -> view.put("pattern", pattern));
        return Json.write(view) + "\n";
    }

    private static String offset(long version, Commit commit) {
        if (commit == null) {
            return null;
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("offset", commit.offset().offset());
        view.put("version", version);
        view.put("leader_epoch", (long) commit.offset().leaderEpoch());
        view.put("metadata", commit.offset().metadata());
        view.put("committed_at", time(commit.at()));
        commit.by().ifPresent(member -> view.put("member", member.value()));
        return Json.write(view) + "\n";
    }

    static List<Object> names(Collection<TopicPartition> partitions) {
        return partitions.stream()
                .map(partition -> (Object) partition.toString())
                .toList();
    }

    static String time(long millis) {
        return Instant.ofEpochMilli(millis).toString();
    }

    /** A member is named by whoever runs it, so its name can be anything; a file's cannot. */
    static String fileName(MemberId member) {
        StringBuilder name = new StringBuilder();
        for (byte b : member.value().getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            boolean plain = c >= 'a' && c <= 'z'
                    || c >= 'A' && c <= 'Z'
                    || c >= '0' && c <= '9'
                    || c == '-'
                    || c == '_'
                    || c == '.' && !name.isEmpty();
            name.append(plain ? Character.toString(c) : "%%%02X".formatted((int) c));
        }
        if (name.length() <= NAME_LENGTH_MAX) {
            return name.toString();
        }
        // The end tells members apart: that is where the fresh part of an id stands.
        return name.substring(0, NAME_LENGTH_MAX / 2) + "~" + name.substring(name.length() - NAME_LENGTH_MAX / 2);
    }
}
