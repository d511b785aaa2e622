package dev.muster.cli.group;

import dev.muster.cli.text.Moments;
import dev.muster.cli.text.Partitions;
import dev.muster.cli.text.Spans;
import dev.muster.cli.text.Table;
import dev.muster.cli.text.Table.Column;
import dev.muster.cli.text.Table.Shown;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Ownership;
import dev.muster.embedded.admin.Groups.Lag;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Groups, members and partitions as rows. The titles and their order are those of Kafka's tools, followed by more
 * columns. The keys are the documented schema of {@code -o json} and never change their meaning.
 */
final class GroupTables {
    private GroupTables() {}

    static Table groups() {
        return new Table(
                Column.of("GROUP", "group"),
                Column.of("STATE", "state"),
                Column.of("GENERATION", "generation"),
                Column.of("MEMBERS", "memberCount"),
                Column.of("PARTITIONS", "partitionCount"),
                Column.of("UNOWNED", "unownedCount"),
                Column.of("LAG", "lag"),
                Column.of("BEHIND", "behindMs"),
                Column.wide("DEAD", "deadCount"),
                Column.wide("NO-COMMIT", "withoutCommitCount"),
                Column.wide("ASSIGNOR", "assignor"),
                Column.wide("TOPICS", "topics"));
    }

    /** @param dead ids of members whose processes are dead although the group does not know it yet */
    static void row(Table table, String name, Group group, Set<String> dead, List<Lag> lags) {
        LagTotal total = LagTotal.of(lags);
        List<String> topics =
                group.topics().keySet().stream().map(Object::toString).toList();
        table.row(
                name,
                GroupPhase.of(group, dead).toString(),
                group.generation(),
                memberCount(group),
                partitionCount(group),
                unownedCount(group),
                total.shownRecords(),
                total.shownBehind(),
                dead.size(),
                total.unknown(),
                assignor(group)
                        .map(known -> new Shown(known, Names.printable(known)))
                        .orElse(Shown.NONE),
                new Shown(topics, topics.isEmpty() ? "-" : String.join(",", topics)));
    }

    /** The row of a group whose state cannot be read. */
    static void damagedRow(Table table, String name) {
        table.row(
                name,
                "Damaged",
                Shown.NONE,
                Shown.NONE,
                Shown.NONE,
                Shown.NONE,
                Shown.NONE,
                Shown.NONE,
                Shown.NONE,
                Shown.NONE,
                Shown.NONE,
                Shown.NONE);
    }

    static int memberCount(Group group) {
        return group.members().size() + group.classic().members().size();
    }

    /** The group's assignor, or the protocol that classic members chose. */
    static Optional<String> assignor(Group group) {
        return group.members().isEmpty() ? group.classic().protocol() : Optional.of(group.assignor());
    }

    static int partitionCount(Group group) {
        return group.topics().values().stream()
                .mapToInt(topic -> topic.partitions())
                .sum();
    }

    /** The number of partitions that should have an owner and have none at the moment. */
    static long unownedCount(Group group) {
        return group.members().values().stream()
                .flatMap(member -> member.target().stream())
                .filter(partition -> !group.owners().containsKey(partition))
                .count();
    }

    /**
     * Kafka's {@code --describe}.
     *
     * @param dead ids of members whose processes are dead although the group does not know it yet
     */
    static Table partitions(String name, Group group, Set<String> dead, List<Lag> lags, ZoneId zone) {
        Table table = new Table(
                Column.of("GROUP", "group"),
                Column.of("TOPIC", "topic"),
                Column.of("PARTITION", "partition"),
                Column.of("CURRENT-OFFSET", "committedOffset"),
                Column.of("LOG-END-OFFSET", "endOffset"),
                Column.of("LAG", "lag"),
                Column.of("CONSUMER-ID", "memberId"),
                Column.of("HOST", "host"),
                Column.of("CLIENT-ID", "clientId"),
                Column.of("BEHIND", "behindMs"),
                Column.wide("LOG-START-OFFSET", "startOffset"),
                Column.wide("COMMITTED-AT", "committedAt"),
                Column.wide("OWNED-SINCE", "ownedSince"),
                Column.wide("OWNED-AT", "ownedAt"));
        for (Lag lag : lags) {
            Optional<Ownership> owner = Optional.ofNullable(group.owners().get(lag.partition()));
            Optional<MemberSpec> member =
                    owner.map(known -> group.members().get(known.member())).map(Member::spec);
            Optional<ClassicSpec> classic = owner.flatMap(
                            known -> group.classic().member(known.member()))
                    .map(ClassicMember::spec);
            Optional<Commit> commit = Optional.ofNullable(group.offsets().get(lag.partition()));
            table.row(
                    name,
                    lag.partition().topic().value(),
                    lag.partition().partition(),
                    number(lag.committed()),
                    lag.end(),
                    number(lag.lag()),
                    text(owner.map(known -> known.member().value())),
                    host(member, classic, dead),
                    text(member.map(MemberSpec::client).or(() -> classic.map(ClassicSpec::client))),
                    lag.behind()
                            .map(span -> new Shown(span.toMillis(), Spans.show(span)))
                            .orElse(Shown.NONE),
                    lag.start(),
                    commit.map(known -> time(known.at(), zone)).orElse(Shown.NONE),
                    owner.map(known -> new Shown(known.since(), Long.toString(known.since())))
                            .orElse(Shown.NONE),
                    owner.map(known -> time(known.at(), zone)).orElse(Shown.NONE));
        }
        return table;
    }

    private static Shown host(Optional<MemberSpec> member, Optional<ClassicSpec> classic, Set<String> dead) {
        Optional<String> host =
                member.map(known -> Names.host(known.host())).or(() -> classic.map(ClassicSpec::address));
        boolean isDead = member.map(MemberSpec::id)
                .or(() -> classic.map(ClassicSpec::id))
                .filter(id -> dead.contains(id.value()))
                .isPresent();
        return host.map(known -> new Shown(known, Names.printable(known) + (isDead ? " (dead)" : "")))
                .orElse(Shown.NONE);
    }

    /**
     * Kafka's {@code --describe --members --verbose}.
     *
     * @param dead ids of members whose processes are dead although the group does not know it yet
     */
    static Table members(String name, Group group, Set<String> dead, ZoneId zone) {
        Table table = new Table(
                Column.of("GROUP", "group"),
                Column.of("CONSUMER-ID", "memberId"),
                Column.of("HOST", "host"),
                Column.of("CLIENT-ID", "clientId"),
                Column.of("#PARTITIONS", "partitionCount"),
                Column.of("ASSIGNMENT", "partitions"),
                Column.of("TO-LET-GO", "toLetGo"),
                Column.of("STATE", "state"),
                Column.of("JOINED", "joinedAt"),
                Column.of("SESSION", "sessionMs"),
                Column.wide("TO-GET", "toGet"),
                Column.wide("PID", "pid"),
                Column.wide("INSTANCE-ID", "instanceId"),
                Column.wide("ASSIGNOR", "assignor"),
                Column.wide("TOPICS", "topics"),
                Column.wide("PATTERN", "pattern"),
                Column.wide("REVOKE", "revokeMs"));
        for (Member member : group.members().values()) {
            MemberSpec spec = member.spec();
            List<TopicPartition> toGet = member.target().stream()
                    .filter(partition -> !member.owned().contains(partition))
                    .toList();
            List<String> topics =
                    spec.subscription().topics().stream().map(Object::toString).toList();
            table.row(
                    name,
                    text(Optional.of(spec.id().value())),
                    Names.host(spec.host()),
                    text(Optional.of(spec.client())),
                    member.owned().size(),
                    partitions(member.owned()),
                    partitions(member.toRelease()),
                    dead.contains(spec.id().value()) ? "dead" : member.away().isPresent() ? "away" : "present",
                    time(member.joinedAt(), zone),
                    new Shown(
                            spec.timing().session().toMillis(),
                            Spans.show(spec.timing().session())),
                    partitions(toGet),
                    number(Names.pid(spec.host())),
                    text(spec.instance()),
                    spec.assignor(),
                    new Shown(topics, topics.isEmpty() ? "-" : String.join(",", topics)),
                    text(spec.subscription().pattern()),
                    new Shown(
                            spec.timing().revoke().toMillis(),
                            Spans.show(spec.timing().revoke())));
        }
        group.classic()
                .members()
                .values()
                .forEach(member -> classicRow(
                        table,
                        name,
                        group,
                        member,
                        dead.contains(member.spec().id().value()),
                        zone));
        return table.namedBy("memberId");
    }

    private static void classicRow(
            Table table, String name, Group group, ClassicMember member, boolean dead, ZoneId zone) {
        ClassicSpec spec = member.spec();
        List<TopicPartition> owned = group.owners().entrySet().stream()
                .filter(owner -> owner.getValue().member().equals(spec.id()))
                .map(Map.Entry::getKey)
                .toList();
        List<String> topics = spec.topics().stream()
                .flatMap(known -> known.stream().map(Object::toString))
                .toList();
        table.row(
                name,
                text(Optional.of(spec.id().value())),
                text(Optional.of(spec.address())),
                text(Optional.of(spec.client())),
                owned.size(),
                partitions(owned),
                partitions(List.of()),
                dead ? "dead" : member.away().isPresent() ? "away" : "present",
                time(member.joinedAt(), zone),
                new Shown(spec.session().toMillis(), Spans.show(spec.session())),
                partitions(List.of()),
                Shown.NONE,
                text(spec.instance()),
                text(group.classic().protocol()),
                new Shown(topics, topics.isEmpty() ? "-" : String.join(",", topics)),
                Shown.NONE,
                new Shown(spec.rebalance().toMillis(), Spans.show(spec.rebalance())));
    }

    static Shown partitions(java.util.Collection<TopicPartition> partitions) {
        return new Shown(Partitions.objects(partitions), Partitions.show(partitions));
    }

    static Shown number(OptionalLong number) {
        return number.isPresent() ? new Shown(number.getAsLong(), Long.toString(number.getAsLong())) : Shown.NONE;
    }

    private static Shown text(Optional<String> text) {
        return text.map(known -> new Shown(known, Names.printable(known))).orElse(Shown.NONE);
    }

    static Shown time(long millis, ZoneId zone) {
        return new Shown(millis, Moments.show(millis, zone));
    }
}
