package dev.muster.core.group;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.StickyAssignor;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.PartitionSets;
import dev.muster.core.group.model.Protocol;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import dev.muster.core.group.model.TopicShape;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** Converts members that use the classic protocol between the two sets of rules. */
final class Conversion {
    private Conversion() {}

    /**
     * The existing partitions that each classic member may have in hand. Empty if the metadata of a member cannot be
     * read, so that the group cannot become modern.
     */
    static Optional<SortedMap<MemberId, SortedSet<TopicPartition>>> inHand(GroupBuilder builder) {
        return builder.classic.inHand().map(hands -> {
            SortedMap<MemberId, SortedSet<TopicPartition>> there = new TreeMap<>();
            hands.forEach((id, those) -> there.put(id, PartitionSets.filter(those, partition -> {
                TopicShape shape = builder.topics.get(partition.topic());
                return shape != null && partition.partition() < shape.partitions();
            })));
            return there;
        });
    }

    /** The modern form of a member that uses the classic protocol. Its metadata must have been read. */
    static MemberSpec modern(ClassicSpec spec) {
        ConsumerMetadata reading = spec.consumerMetadata().orElseThrow();
        return new MemberSpec(
                spec.id(),
                spec.instance(),
                spec.client(),
                spec.host(),
                Optional.of(spec.address()),
                new Subscription(reading.topics(), Optional.empty()),
                // Old clients have no separate timeout for rebalances.
                new Timing(spec.session(), spec.rebalance().isPositive() ? spec.rebalance() : spec.session()),
                StickyAssignor.NAME,
                spec.protocols());
    }

    static Member modern(ClassicMember member, SortedSet<TopicPartition> owned) {
        Member now = new Member(modern(member.spec()), member.joinedAt())
                .with(owned, owned, PartitionSets.NONE, OptionalLong.empty());
        return member.away().isPresent() ? now.goneAway(member.away().getAsLong()) : now;
    }

    /** The classic form of members, in the order in which they joined. */
    static SequencedMap<MemberId, ClassicMember> classic(Collection<Member> members) {
        List<Member> oldestFirst = members.stream()
                .sorted(Comparator.comparingLong(Member::joinedAt))
                .toList();
        SequencedMap<MemberId, ClassicMember> classic = new LinkedHashMap<>();
        for (Member member : oldestFirst) {
            classic.put(
                    member.spec().id(),
                    ClassicMember.resumed(
                            classic(member.spec(), member.owned()), member.joinedAt(), member.owned(), member.away()));
        }
        return classic;
    }

    private static ClassicSpec classic(MemberSpec spec, SortedSet<TopicPartition> owned) {
        return new ClassicSpec(
                spec.id(),
                spec.instance(),
                spec.client(),
                spec.address().orElse(""),
                spec.host(),
                spec.timing().session(),
                spec.timing().revoke(),
                ClassicGroup.CONSUMER,
                spec.protocols(),
                Optional.of(new ConsumerMetadata(spec.subscription().topics(), owned)));
    }

    /** True if one of these protocols is known to all classic members, so that they could follow the classic rules. */
    static boolean haveInCommon(Collection<Member> members, List<Protocol> protocols) {
        return protocols.stream()
                .map(Protocol::name)
                .anyMatch(name -> members.stream()
                        .map(Member::spec)
                        .filter(MemberSpec::classic)
                        .allMatch(spec -> spec.protocols().stream()
                                .anyMatch(one -> one.name().equals(name))));
    }

    /** True if all members use the classic protocol, so that they could follow the classic rules. */
    static boolean onlyClassic(Collection<Member> members) {
        return !members.isEmpty()
                && members.stream().allMatch(member -> member.spec().classic());
    }

    /** The names of the members under the classic rules, for people. */
    static String names(ClassicGroup classic) {
        List<String> names = classic.members().values().stream()
                .limit(3)
                .map(member -> member.spec().label())
                .toList();
        return names.isEmpty()
                ? "about to join"
                : Change.list(names, classic.members().size() - names.size());
    }

    static SortedSet<TopicPartition> ownedBy(ClassicSpec spec) {
        return spec.consumerMetadata().map(ConsumerMetadata::owned).orElse(Collections.emptySortedSet());
    }
}
