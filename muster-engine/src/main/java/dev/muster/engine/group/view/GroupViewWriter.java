package dev.muster.engine.group.view;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.classic.ClassicEvent;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.runtime.Deadline;
import dev.muster.engine.runtime.GroupRuntime;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.View;
import dev.muster.store.group.GroupViews;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the files by which people follow a group with {@code ls}, {@code cat} and {@code tail}. The process that wrote
 * entries also writes their views, after a delay and for many entries at once. A process that dies may leave old views.
 * So a process compares all views with the state after its first entry, and after each death that it wrote. No rule
 * reads the views. Safe for many threads.
 */
public final class GroupViewWriter {
    /** Long enough to write the views once for a whole rebalance. */
    private static final long MEMBERSHIP_DELAY_NANOS = 20_000_000;

    private static final long OFFSETS_INTERVAL_NANOS = 1_000_000_000;
    /** A process that published this recently may have overwritten a view of a newer state by another process. */
    private static final long OVERLAP_NANOS = 2_000_000_000;

    /** A publication that took this long may have overwritten a view that another process published meanwhile. */
    private static final long SLOW_NANOS = 500_000_000;

    private static final long AGAIN_NANOS = 100_000_000;

    /** Empty if the store keeps no views: then nothing is ever due. */
    private final Optional<GroupViews> store;

    private final GroupRuntime runtime;
    private final String machine;
    private final Timeline timeline;

    private final ReentrantLock publishing = new ReentrantLock();

    private VersionedGroup newest;
    private boolean membershipChanged;
    private long membershipDue;
    private long offsetsDue;
    private Set<MemberId> members = new HashSet<>();
    private Set<TopicPartition> offsets = new HashSet<>();
    /**
     * True if all views must be compared with the state, because another process may have died before it wrote its
     * views.
     */
    private boolean reviewWanted;

    private long reviewDue;
    private boolean everWrote;
    private Set<MemberId> lastMembers = Set.of();
    private long lastMembership;
    private boolean everPublished;

    /** @param machine name of this machine; empty if unknown */
    public GroupViewWriter(GroupJournal journal, GroupRuntime runtime, String machine) {
        this.store = journal.views();
        this.runtime = runtime;
        this.machine = machine;
        this.timeline = new Timeline(journal);
        this.offsetsDue = runtime.nanoTime();
    }

    public synchronized void wrote(Entry entry, VersionedGroup before, VersionedGroup after) {
        if (store.isEmpty()) {
            return;
        }
        newest = after;
        if (!everWrote) {
            everWrote = true;
            review(OFFSETS_INTERVAL_NANOS);
        }
        for (Event event : entry.events()) {
            note(event, before.group(), after.group());
            if (!isCommit(event)) {
                changeMembership(MEMBERSHIP_DELAY_NANOS);
            }
            if (isDeath(event)) {
                review(MEMBERSHIP_DELAY_NANOS);
            }
        }
    }

    private void changeMembership(long delayNanos) {
        if (!membershipChanged) {
            membershipChanged = true;
            membershipDue = runtime.nanoTime() + delayNanos;
        }
    }

    private void review(long delayNanos) {
        long due = runtime.nanoTime() + delayNanos;
        reviewDue = reviewWanted ? Deadline.earlier(due, reviewDue) : due;
        reviewWanted = true;
    }

    /** True if the event is the death of a process, which may have written entries without their views. */
    private static boolean isDeath(Event event) {
        return switch (event) {
            case Event.MemberLeft left -> isDeath(left.cause());
            case Event.MemberAway away -> isDeath(away.cause());
            case Event.Classic(ClassicEvent.Left left) -> isDeath(left.cause());
            case Event.Classic(ClassicEvent.Away away) -> isDeath(away.cause());
            default -> false;
        };
    }

    private static boolean isDeath(LeaveCause cause) {
        return cause == LeaveCause.PROCESS_DIED || cause == LeaveCause.SESSION_EXPIRED;
    }

    /**
     * Notes an entry of another process, which publishes it. If this process published an older state just now, it may
     * have overwritten that view. Then it publishes again.
     */
    public synchronized void saw(VersionedGroup state) {
        if (store.isEmpty() || newest == null || state.version() <= newest.version()) {
            return;
        }
        newest = state;
        long now = runtime.nanoTime();
        if (everPublished && !membershipChanged && now - lastMembership < OVERLAP_NANOS) {
            members.addAll(lastMembers);
            changeMembership(MEMBERSHIP_DELAY_NANOS);
        }
    }

    /** True if the event is a commit. Commits are frequent, so only the offset views contain them. */
    static boolean isCommit(Event event) {
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

    /** True if a view waits to be published. */
    public synchronized boolean pending() {
        return membershipChanged || reviewWanted || !offsets.isEmpty();
    }

    /** The time of the next publication; {@code otherwise} if none is due. */
    public synchronized long due(long otherwise) {
        long due = membershipChanged ? Deadline.earlier(membershipDue, otherwise) : otherwise;
        due = reviewWanted ? Deadline.earlier(reviewDue, due) : due;
        return offsets.isEmpty() ? due : Deadline.earlier(offsetsDue, due);
    }

    /**
     * Writes the changed views. Only one call at a time writes, or two calls could write a file in the wrong order.
     *
     * @param all True to write all waiting views, due or not, because this process may end
     */
    public void publish(boolean all) {
        publishing.lock();
        try {
            long begun = runtime.nanoTime();
            Work work = take(all);
            if (work == null || store.isEmpty()) {
                return;
            }
            GroupViews views = store.get();
            views.publish(work.views());
            if (work.review()) {
                views.publish(differing(views, work.texts()));
            }
            if (work.timeline()) {
                publishedMembership(timeline.extend(views, work.texts().seen().version()));
            }
            if (runtime.nanoTime() - begun > SLOW_NANOS) {
                wasSlow();
            }
        } finally {
            publishing.unlock();
        }
    }

    private synchronized void publishedMembership(boolean timelineDone) {
        lastMembership = runtime.nanoTime();
        if (!timelineDone) {
            changeMembership(AGAIN_NANOS);
        }
    }

    private synchronized void wasSlow() {
        review(MEMBERSHIP_DELAY_NANOS);
    }

    /** The views whose files differ from the state. */
    private List<View> differing(GroupViews views, GroupViewTexts texts) {
        Map<String, View> wanted = texts.all();
        List<View> there = new ArrayList<>();
        for (String part : List.of(
                GroupViewTexts.ASSIGNMENTS,
                GroupViewTexts.GENERATION,
                GroupViewTexts.MEMBERS,
                GroupViewTexts.OFFSETS)) {
            there.addAll(views.read(part));
        }
        List<View> differing = new ArrayList<>();
        for (View view : there) {
            View right = wanted.remove(view.path());
            if (right == null) {
                differing.add(texts.none(view.path()));
            } else if (!GroupViewTexts.same(view.text(), right.text())) {
                differing.add(right);
            }
        }
        differing.addAll(wanted.values());
        return differing;
    }

    /**
     * The work of one call of {@link #publish}.
     *
     * @param review True if all views are compared with the state
     * @param timeline True if the timeline lacks lines
     */
    private record Work(GroupViewTexts texts, List<View> views, boolean review, boolean timeline) {}

    /** Takes the work that is due; null if there is none. */
    private synchronized Work take(boolean all) {
        if (newest == null || newest.group().deleted() || !pending()) {
            return null;
        }
        GroupViewTexts texts = new GroupViewTexts(newest, runtime.wallMillis(), machine);
        List<View> views = new ArrayList<>();
        boolean changed = membershipChanged;
        if (changed) {
            views.add(texts.assignments());
            views.add(texts.generation());
            lastMembers = members;
            everPublished = true;
            members.forEach(member -> views.add(texts.member(member)));
        }
        offsets.forEach(partition -> views.add(texts.offset(partition)));
        boolean review = reviewWanted && (all || Deadline.reached(reviewDue, runtime.nanoTime()));
        reviewWanted &= !review;
        membershipChanged = false;
        members = new HashSet<>();
        offsets = new HashSet<>();
        offsetsDue = runtime.nanoTime() + OFFSETS_INTERVAL_NANOS;
        return new Work(texts, views, review, changed || review);
    }
}
