package dev.muster.embedded.internal;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.embedded.admin.AdminReason;
import dev.muster.embedded.admin.GroupInfo;
import dev.muster.embedded.admin.GroupRefusedException;
import dev.muster.engine.admin.GroupAdministration;
import dev.muster.engine.admin.GroupChangeRefusedException;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.group.service.GroupService;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/** {@link GroupAdministration} with the types and exceptions of the library's API. */
final class LocalGroups implements GroupInspection {
    /** Throws if the queue of this object is closed. */
    private final Supplier<GroupService> service;

    LocalGroups(Supplier<GroupService> service) {
        this.service = service;
    }

    private GroupAdministration admin() {
        return new GroupAdministration(service.get());
    }

    @Override
    public List<String> list() {
        return admin().list().stream().map(GroupName::value).toList();
    }

    @Override
    public Optional<GroupInfo> find(String group) {
        return service.get().look(new GroupName(group)).map(seen -> info(group, seen));
    }

    @Override
    public GroupInfo await(String group, long version, Duration timeout) {
        return info(group, admin().await(new GroupName(group), version, timeout));
    }

    private static GroupInfo info(String name, VersionedGroup seen) {
        Group group = seen.group();
        SortedMap<String, GroupInfo.MemberInfo> members = new TreeMap<>();
        group.members().values().forEach(member -> {
            MemberSpec spec = member.spec();
            members.put(
                    spec.id().value(),
                    new GroupInfo.MemberInfo(
                            spec.id().value(),
                            spec.instance(),
                            spec.client(),
                            spec.host().value(),
                            member.owned()));
        });
        group.classic().members().values().forEach(member -> {
            ClassicSpec spec = member.spec();
            members.put(
                    spec.id().value(),
                    new GroupInfo.MemberInfo(
                            spec.id().value(),
                            spec.instance(),
                            spec.client(),
                            spec.host().value(),
                            Collections.emptySortedSet()));
        });
        SortedMap<TopicPartition, Long> offsets = new TreeMap<>();
        group.offsets()
                .forEach((partition, commit) ->
                        offsets.put(partition, commit.offset().offset()));
        return new GroupInfo(
                name, seen.version(), group.generation(), group.assignor(), List.copyOf(members.values()), offsets);
    }

    @Override
    public Optional<Group> state(String group) {
        return service.get().look(new GroupName(group)).map(VersionedGroup::group);
    }

    @Override
    public Snapshot snapshot(String group) {
        return snapshot(admin().look(new GroupName(group)));
    }

    private static Snapshot snapshot(VersionedGroup seen) {
        return new Snapshot(seen.version(), seen.group());
    }

    @Override
    public Snapshot awaitSnapshot(String group, long version, Duration timeout) {
        return snapshot(admin().await(new GroupName(group), version, timeout));
    }

    @Override
    public Set<String> dead(String group) {
        Set<String> dead = new TreeSet<>();
        admin().dead(new GroupName(group)).forEach(member -> dead.add(member.value()));
        return dead;
    }

    @Override
    public Optional<Instant> lastSign(String group, String member) {
        OptionalLong sign = admin().lastSign(new GroupName(group), new MemberId(member));
        return sign.isPresent() ? Optional.of(Instant.ofEpochMilli(sign.getAsLong())) : Optional.empty();
    }

    @Override
    public List<Lag> lag(String group) {
        return refusing(() -> admin().lag(new GroupName(group))).stream()
                .map(lag -> new Lag(
                        lag.partition(),
                        lag.committed(),
                        lag.start(),
                        lag.end(),
                        lag.records(),
                        lag.behind(),
                        lag.owner().map(MemberId::value)))
                .toList();
    }

    @Override
    public SortedMap<TopicPartition, Long> reset(String group, SortedMap<TopicPartition, Long> offsets) {
        return refusing(() -> admin().reset(new GroupName(group), offsets));
    }

    @Override
    public SortedMap<TopicPartition, Long> resetLive(
            String group, SortedMap<TopicPartition, Long> offsets, AdminReason reason) {
        return refusing(() -> admin().rewind(new GroupName(group), offsets, reason.who(), reason.why()));
    }

    @Override
    public void expect(String group, int members, Duration within) {
        refusing(() -> admin().expect(new GroupName(group), members, within));
    }

    @Override
    public void complete(String group, AdminReason reason) {
        refusing(() -> admin().complete(new GroupName(group), reason.who()));
    }

    @Override
    public void forget(String group, Set<TopicPartition> partitions) {
        refusing(() -> admin().forget(new GroupName(group), partitions));
    }

    @Override
    public void remove(String group, String member) {
        refusing(() -> admin().remove(new GroupName(group), member));
    }

    @Override
    public void delete(String group) {
        refusing(() -> admin().delete(new GroupName(group)));
    }

    @Override
    public Optional<RepairPlan> planRepair(String group) {
        return admin().planRepair(new GroupName(group));
    }

    @Override
    public void repair(RepairPlan plan) {
        refusing(() -> admin().repair(plan));
    }

    private static void refusing(Runnable change) {
        refusing(() -> {
            change.run();
            return null;
        });
    }

    private static <T> T refusing(Supplier<T> question) {
        try {
            return question.get();
        } catch (GroupChangeRefusedException e) {
            throw new GroupRefusedException(e.getMessage(), e.hint().orElse(null), e);
        }
    }
}
