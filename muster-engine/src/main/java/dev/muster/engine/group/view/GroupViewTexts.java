package dev.muster.engine.group.view;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Member;
import dev.muster.core.json.Json;
import dev.muster.core.json.JsonException;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.store.group.GroupJournal.View;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The views of one state of a group. Each names the version of the last journal line that it takes into account.
 *
 * @param seen the state
 * @param wallMillis time of the view, in milliseconds since 1970
 * @param machine name of this machine; empty if unknown
 */
public record GroupViewTexts(VersionedGroup seen, long wallMillis, String machine) {
    static final String MEMBERS = "members";
    static final String OFFSETS = "offsets";
    static final String ASSIGNMENTS = "assignments.json";
    public static final String GENERATION = "generation.txt";

    private static final int NAME_LENGTH_MAX = 120;
    /** The fields that may differ between two views of equal content. */
    private static final Set<String> STAMPS = Set.of("version", "timestamp");

    /** The version of the last line that this state includes. */
    long version() {
        return seen.version() - 1;
    }

    private Group group() {
        return seen.group();
    }

    /** All views of this state, by path. */
    SortedMap<String, View> all() {
        SortedMap<String, View> all = new TreeMap<>();
        put(all, assignments());
        put(all, generation());
        Set<MemberId> members = new TreeSet<>(group().members().keySet());
        members.addAll(group().classic().members().keySet());
        members.forEach(member -> put(all, member(member)));
        group().offsets().keySet().forEach(partition -> put(all, offset(partition)));
        return all;
    }

    private static void put(Map<String, View> all, View view) {
        all.put(view.path(), view);
    }

    /** True if two texts of a view differ only in version and time. */
    static boolean same(String one, String other) {
        return one.equals(other) || content(one).equals(content(other));
    }

    private static Object content(String text) {
        try {
            if (Json.parse(text) instanceof Map<?, ?> object) {
                Map<Object, Object> content = new LinkedHashMap<>(object);
                content.keySet().removeAll(STAMPS);
                return content;
            }
        } catch (JsonException e) {
            // This view is not JSON: the first line is the generation's number.
            return text.lines().findFirst().orElse("");
        }
        return text;
    }

    View generation() {
        return view(GENERATION, group().generation() + "\nversion " + version() + "\n");
    }

    View member(MemberId member) {
        return view(MEMBERS + "/" + fileName(member) + ".json", memberText(member));
    }

    View offset(TopicPartition partition) {
        return view(
                OFFSETS + "/" + partition.topic() + "/partition-" + partition.partition() + ".offset",
                offset(group().offsets().get(partition)));
    }

    /** The absence of a view: a file at this path must be deleted. */
    View none(String path) {
        return view(path, null);
    }

    private View view(String path, String text) {
        return new View(path, text, version());
    }

    View assignments() {
        Group group = group();
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
        view.put("version", version());
        view.put("generation", group.generation());
        view.put("timestamp", time(wallMillis));
        view.put("assignor", classic.inUse() ? classic.protocol().orElse("") : group.assignor());
        if (classic.inUse()) {
            view.put("state", classic.state().toString());
        }
        view.put("settling", group.settling());
        view.put("assignments", owned);
        view.put("revoking", revoking);
        return view(ASSIGNMENTS, Json.write(view) + "\n");
    }

    private static List<TopicPartition> owned(Group group, MemberId member) {
        return group.owners().entrySet().stream()
                .filter(owner -> owner.getValue().member().equals(member))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The text of a member's view; null if the member is not in the group. */
    private String memberText(MemberId id) {
        Member member = group().members().get(id);
        return group().classic()
                .member(id)
                .map(this::memberText)
                .orElseGet(() -> member == null ? null : memberText(member));
    }

    private String memberText(ClassicMember member) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("version", version());
        view.put("member", member.spec().id().value());
        view.put("client", member.spec().client());
        member.spec().instance().ifPresent(instance -> view.put("instance", instance));
        view.put("address", member.spec().address());
        process(view, member.spec().host());
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

    private String memberText(Member member) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("version", version());
        view.put("member", member.spec().id().value());
        view.put("client", member.spec().client());
        member.spec().instance().ifPresent(instance -> view.put("instance", instance));
        process(view, member.spec().host());
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

    /**
     * Adds the process that runs or serves the member, and its machine. All processes of a directory are on one
     * machine.
     */
    private void process(Map<String, Object> view, HostId host) {
        host.pid().ifPresent(pid -> view.put("pid", pid));
        if (!machine.isEmpty()) {
            view.put("hostname", machine);
        }
        view.put("host", host.value());
    }

    private String offset(Commit commit) {
        if (commit == null) {
            return null;
        }
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("offset", commit.offset().offset());
        view.put("version", version());
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

    /** A valid file name for a member, whose id may have any characters. */
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
        // The end of the id is kept, because its unique part is there.
        return name.substring(0, NAME_LENGTH_MAX / 2) + "~" + name.substring(name.length() - NAME_LENGTH_MAX / 2);
    }
}
