package dev.muster.core.group;

import dev.muster.core.TopicPartition;
import dev.muster.core.assign.StickyAssignor;
import dev.muster.core.group.classic.ClassicGroup;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.classic.ClassicSpec;
import dev.muster.core.group.classic.ConsumerMetadata;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.MemberId;
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

/** Members that speak the classic protocol, as either set of rules sees them. */
final class Conversion {
    private Conversion() {}

    /**
     * What each classic member may have in hand, of partitions that there are; empty: not all of them can be read, so
     * the group cannot become modern.
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

    /** What a member that speaks the classic protocol is by the modern rules. Its metadata were read. */
    static MemberSpec modern(ClassicSpec spec) {
        ConsumerMetadata reading = spec.consumerMetadata().orElseThrow();
        return new MemberSpec(
                spec.id(),
                spec.instance(),
                spec.client(),
                spec.host(),
                Optional.of(spec.address()),
                new Subscription(reading.topics(), Optional.empty()),
                // Clients of old have no time of their own for rebalances.
                new Timing(spec.session(), spec.rebalance().isPositive() ? spec.rebalance() : spec.session()),
                StickyAssignor.NAME,
                spec.protocols());
    }

    static Member modern(ClassicMember member, SortedSet<TopicPartition> owned) {
        Member now = new Member(modern(member.spec()), member.joinedAt())
                .with(owned, owned, PartitionSets.NONE, OptionalLong.empty());
        return member.away().isPresent() ? now.goneAway(member.away().getAsLong()) : now;
    }

    /** By the classic rules, in the order in which they came. */
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

    /** Whether all classic members know one of these protocols, so that they could live by the classic rules. */
    static boolean haveInCommon(Collection<Member> members, List<Protocol> protocols) {
        return protocols.stream()
                .map(Protocol::name)
                .anyMatch(name -> members.stream()
                        .map(Member::spec)
                        .filter(MemberSpec::classic)
                        .allMatch(spec -> spec.protocols().stream()
                                .anyMatch(one -> one.name().equals(name))));
    }

    /** Whether nobody is left who could not live by the classic rules. */
    static boolean onlyClassic(Collection<Member> members) {
        return !members.isEmpty()
                && members.stream().allMatch(member -> member.spec().classic());
    }

    /** For people: those who live by the classic rules. */
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
