package dev.muster.core.group.explain;

import dev.muster.core.Counts;
import dev.muster.core.Durations;
import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicMember;
import dev.muster.core.group.classic.ClassicState;
import dev.muster.core.group.model.Change;
import dev.muster.core.group.model.FalseAlarm;
import dev.muster.core.group.model.Generation;
import dev.muster.core.group.model.LastMove;
import dev.muster.core.group.model.Member;
import dev.muster.core.group.model.Ownership;
import dev.muster.core.group.model.TopicShape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The reason why a partition has its present owner, in plain words, from the state of the group alone.
 *
 * @param lines sentences, with the answer first
 */
public record Explanation(TopicPartition partition, List<String> lines) {
    public Explanation {
        lines = List.copyOf(lines);
    }

    public static Explanation of(Group group, TopicPartition partition) {
        return of(group, partition, Map.of());
    }

    /**
     * An explanation for a group in which members died that the journal still has.
     *
     * @param dead members whose processes are dead, with their last sign of life if it is known
     */
    public static Explanation of(Group group, TopicPartition partition, Map<MemberId, Optional<Instant>> dead) {
        List<String> lines = new ArrayList<>(new Lines(group, partition).lines());
        Ownership owner = group.owners().get(partition);
        if (owner != null && dead.containsKey(owner.member())) {
            lines.addAll(0, new Lines(group, partition).dead(owner.member(), dead));
        }
        return new Explanation(partition, lines);
    }

    /** The lines, one below the other. */
    public String text() {
        return String.join("\n", lines);
    }

    private static final class Lines {
        private final Group group;
        private final TopicPartition partition;
        private final List<String> lines = new ArrayList<>();

        Lines(Group group, TopicPartition partition) {
            this.group = group;
            this.partition = partition;
        }

        List<String> lines() {
            Optional<Member> target = group.members().values().stream()
                    .filter(member -> member.target().contains(partition))
                    .findFirst();
            Ownership owner = group.owners().get(partition);
            if (owner == null) {
                unowned(target);
            } else if (group.classic().member(owner.member()).isPresent()) {
                owned(owner, group.classic().member(owner.member()).get());
            } else {
                owned(owner, target);
            }
            group.lastMove(partition).ifPresent(last -> lastMove(last, owner));
            group.forming()
                    .ifPresent(forming -> say("The group is forming: "
                            + forming.count(group.members().size())
                            + " have joined; it begins when all have, when it is completed by hand, or at "
                            + forming.completesAt()));
            if (group.settling() && group.forming().isEmpty()) {
                say("A new generation is about to be made, because "
                        + Change.text(group.pending().changes()));
            }
            if (!group.classic().changes().isEmpty()) {
                say("A new generation is about to be made, because "
                        + Change.text(group.classic().changes()));
            }
            return lines;
        }

        /** The dead owner comes first: no member reads the partition, whatever the journal says. */
        List<String> dead(MemberId owner, Map<MemberId, Optional<Instant>> dead) {
            boolean served = group.classic().member(owner).isPresent()
                    || group.members().get(owner).spec().remote();
            say((served ? "The server of " : "The process of ") + name(owner) + " is dead, so no member commits "
                    + partition);
            dead.get(owner).ifPresent(sign -> say("Its last sign of life came at " + sign));
            boolean lives = group.members().entrySet().stream()
                            .anyMatch(member -> lives(
                                    member.getKey(), member.getValue().away().isPresent(), dead))
                    || group.classic().members().entrySet().stream()
                            .anyMatch(member -> lives(
                                    member.getKey(), member.getValue().away().isPresent(), dead));
            say(
                    lives
                            ? "The journal does not have its death yet: a living member is about to write it"
                            : "No living member is left to write its death into the journal: the next member that joins"
                                    + " takes over");
            return lines;
        }

        private static boolean lives(MemberId member, boolean away, Map<MemberId, Optional<Instant>> dead) {
            return !away && !dead.containsKey(member);
        }

        private void say(String sentence) {
            lines.add(sentence + ".");
        }

        // The owner

        private void owned(Ownership owner, Optional<Member> target) {
            Member member = group.members().get(owner.member());
            say(name(member) + " owns " + partition + " since generation " + owner.since() + ", " + time(owner.at()));
            if (member.away().isPresent()) {
                say("The member is away");
                say("It keeps its place for "
                        + Durations.text(member.spec().timing().session()) + ", counted from the moment it went away");
            }
            if (member.recalled().contains(partition)) {
                say("Its offset was set by hand: the member must release the partition since generation "
                        + group.revokingSince(partition) + ", within "
                        + Durations.text(member.spec().timing().revoke()) + "; "
                        + target.map(to -> name(to) + " begins at the new offset then")
                                .orElse("then it has no owner"));
                return;
            }
            if (member.target().contains(partition)) {
                return;
            }
            moveToOwner();
            long since = group.revokingSince(partition);
            String next = target.map(to -> name(to) + " gets it then")
                    .orElse("then it has no owner, because no member subscribes to its topic");
            say("The member must release the partition since generation " + since + ", within "
                    + Durations.text(member.spec().timing().revoke()) + "; " + next);
        }

        private void owned(Ownership owner, ClassicMember member) {
            say(name(owner.member()) + " owns " + partition + " since generation " + owner.since() + ", "
                    + time(owner.at()));
            if (member.away().isPresent()) {
                say("The process that served the member is gone; the member keeps its place for "
                        + Durations.text(member.spec().session()) + ", so that another process can take it over");
            }
            if (group.classic().state() != ClassicState.STABLE) {
                say("The group is in state " + group.classic().state()
                        + ": the member may have released the partition already");
            }
        }

        /**
         * Adds the move by which the present owner got the partition, if it is still remembered. The last move only has
         * the next owner.
         */
        private void moveToOwner() {
            for (Generation generation : group.history().reversed()) {
                Generation.Move move = generation.moves().get(partition);
                if (move != null && move.takenAt() > 0) {
                    say("The member got it in generation " + generation.number() + ": " + generation.cause());
                    return;
                }
            }
        }

        private void unowned(Optional<Member> target) {
            say("No member owns " + partition
                    + group.freeSince(partition)
                            .map(since -> " since " + time(since))
                            .orElse(""));
            TopicShape shape = group.topics().get(partition.topic());
            if (target.isPresent()) {
                say(name(target.get()) + " is about to get it");
            } else if (group.deleted()) {
                say("The group was deleted");
            } else if (shape != null && partition.partition() >= shape.partitions()) {
                say("Topic " + partition.topic() + " has " + Counts.of(shape.partitions(), "partition")
                        + ", numbered from 0");
            } else if (group.classic().inUse()) {
                say(
                        group.classic().state() == ClassicState.STABLE
                                ? "The leader of the generation gave it to no member"
                                : "The group is in state " + group.classic().state());
            } else if (group.members().isEmpty()) {
                say("The group has no members");
            } else if (shape == null) {
                say("The group knows of no topic " + partition.topic()
                        + ": no member subscribes to it, or it does not exist");
            } else if (group.members().values().stream()
                    .noneMatch(member -> member.spec().subscription().includes(partition.topic()))) {
                say("No member subscribes to topic " + partition.topic());
            }
        }

        // The last move

        private void lastMove(LastMove last, Ownership owner) {
            Generation.Move move = last.move();
            String to = move.to().map(this::name).orElse("no member");
            boolean again = move.to().isPresent() && move.to().equals(move.from());
            say("Generation " + last.generation() + ", " + time(last.at())
                    + (again
                            ? ", made " + to + " begin it again"
                            : ", assigned it to " + to
                                    + move.from()
                                            .map(from -> "; before, it was assigned to " + name(from))
                                            .orElse("; no member had it before")));
            say("Cause of generation " + last.generation() + ": " + last.cause());
            for (FalseAlarm alarm : group.falseAlarms().before(last.generation())) {
                say("That was a false alarm: "
                        + name(alarm.label(), alarm.member().value())
                        + " was alive and sent a request " + time(alarm.at())
                        + "; from then on it gets more time to come back");
            }
            // The reasons of built-in assignors begin with their names. A group without members asks no assignor.
            boolean asked = !last.assignor().equals("none");
            boolean named = !asked || last.reason().startsWith(last.assignor() + ": ");
            say((asked ? "Reason of the assignor: " : "Reason: ")
                    + (named ? "" : last.assignor() + ": ")
                    + last.reason());
            gap(last);
            if (owner != null
                    && move.to().isPresent()
                    && !group.members().containsKey(move.to().get())
                    && group.classic().member(move.to().get()).isEmpty()) {
                say(move.to().get() + " has come back as " + owner.member() + " and kept its place");
            }
            if (group.generation() > last.generation()) {
                long since = group.generation() - last.generation();
                say(
                        since == 1
                                ? "Generation " + group.generation() + " did not move it"
                                : "The " + since + " generations since then, up to " + group.generation()
                                        + ", did not move it");
            }
        }

        private void gap(LastMove last) {
            Generation.Move move = last.move();
            if (move.to().isEmpty() || move.from().isEmpty()) {
                return;
            }
            if (move.takenAt() == 0) {
                say(
                        move.freedAt() == 0
                                ? "It still waits for its owner to release it"
                                : "It has no owner since " + time(move.freedAt()));
            } else if (move.freedAt() == move.takenAt() && move.takenAt() == last.at()) {
                say("It was granted in the same entry in which it was released");
            } else {
                say("It was without an owner for " + Math.max(0, move.takenAt() - move.freedAt()) + " ms");
            }
        }

        // Names and times

        private String name(MemberId id) {
            Member member = group.members().get(id);
            if (member != null) {
                return name(member);
            }
            return group.classic()
                    .member(id)
                    .map(classic -> name(classic.spec().label(), id.value()))
                    .orElse(id.value());
        }

        private static String name(Member member) {
            return name(member.spec().label(), member.spec().id().value());
        }

        private static String name(String label, String id) {
            return label.equals(id) ? id : label + " (" + id + ")";
        }

        private static String time(long at) {
            return Instant.ofEpochMilli(at).toString();
        }
    }
}
