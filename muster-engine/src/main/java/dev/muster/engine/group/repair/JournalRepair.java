package dev.muster.engine.group.repair;

import dev.muster.core.MemberId;
import dev.muster.core.MusterException;
import dev.muster.core.Topic;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.Group;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.Commit;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.GroupName;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.TopicShape;
import dev.muster.core.group.repair.JournalDamage;
import dev.muster.core.group.repair.RebuiltGroup;
import dev.muster.core.group.repair.RepairPlan;
import dev.muster.core.json.Json;
import dev.muster.engine.group.topics.GroupTopics;
import dev.muster.engine.group.view.GroupViewTexts;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.TopicDeletedException;
import dev.muster.store.TopicNotFoundException;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.View;
import dev.muster.store.group.GroupStore;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Rebuilds a group whose journal is damaged and whose state no process knows. The sources are the last good snapshot,
 * the entries before the damage, the commits in entries behind it, and the view files. Members cannot be rebuilt.
 */
public final class JournalRepair {
    private static final System.Logger LOG = System.getLogger(JournalRepair.class.getName());
    private static final String VIEWS = "offsets";
    private static final String VIEW_SUFFIX = ".offset";

    private final LogStore store;
    private final GroupStore groups;
    private final GroupName name;
    private final GroupJournal journal;

    /** A view file of one partition. */
    private record OffsetView(TopicPartition partition, long version, Commit commit) {}

    public JournalRepair(LogStore store, GroupName name, GroupJournal journal) {
        this.store = store;
        this.groups = store.groups();
        this.name = name;
        this.journal = journal;
    }

    /** Reads the journal and the views, and makes a plan. Changes nothing. */
    public RepairPlan plan(long wallMillis) {
        JournalSurvey survey = JournalSurvey.of(journal);
        RebuiltGroup rebuilt = survey.rebuild();
        List<JournalDamage> damages = survey.damages();
        Group before = survey.before();
        Set<TopicPartition> fromViews = damages.isEmpty() ? Set.of() : takeViews(rebuilt, damages);
        return new RepairPlan(
                name,
                groups.nameProblem(name),
                damages,
                survey.snapshot(),
                survey.linesBefore(),
                survey.linesBehind(),
                survey.end(),
                living(survey.writers()),
                before.members().size() + before.classic().members().size(),
                steps(before, rebuilt, fromViews, damages),
                damages.isEmpty() ? before : state(rebuilt, damages, wallMillis));
    }

    private static Group state(RebuiltGroup rebuilt, List<JournalDamage> damages, long wallMillis) {
        long lost = JournalDamage.lost(damages);
        String entries = lost == 1 ? "1 entry is lost" : lost + " entries are lost";
        return rebuilt.group(lost, wallMillis, "the group was repaired; " + entries);
    }

    private Set<HostId> living(Set<HostId> writers) {
        HostId self = store.readOnly() ? null : groups.hosts().self();
        return writers.stream()
                .filter(host -> !host.equals(self) && !groups.hosts().gone(host))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    // The view files

    /** @return the partitions whose offsets now come from a view */
    private Set<TopicPartition> takeViews(RebuiltGroup rebuilt, List<JournalDamage> damages) {
        Set<TopicPartition> taken = new TreeSet<>();
        long knownBefore = damages.getFirst().firstVersion() - 1;
        for (OffsetView view : views()) {
            TopicPartition partition = view.partition();
            long known = rebuilt.version(partition).orElse(knownBefore);
            Commit commit = rebuilt.offsets().get(partition);
            long offset = view.commit().offset().offset();
            boolean newer = view.version() > known
                    && (commit == null || offset > commit.offset().offset());
            Optional<Topic> topic = newer ? topic(rebuilt, partition) : Optional.empty();
            if (topic.isPresent() && offset <= end(topic.get(), partition)) {
                rebuilt.commit(view.version(), partition, view.commit(), GroupTopics.shape(topic.get()));
                taken.add(partition);
            }
        }
        views(GroupViewTexts.GENERATION).forEach(view -> {
            try {
                // The second line of this view has the version of the journal.
                rebuilt.reached(Long.parseLong(
                        view.text().lines().findFirst().orElse("").strip()));
            } catch (NumberFormatException e) {
                LOG.log(Level.DEBUG, "the view {0} of group {1} says {2}", view.path(), name, view.text());
            }
        });
        return taken;
    }

    /** The topic of a partition; empty if it is not the topic that the group knows. */
    private Optional<Topic> topic(RebuiltGroup rebuilt, TopicPartition partition) {
        TopicShape known = rebuilt.topics().get(partition.topic());
        return store.find(partition.topic())
                .filter(topic -> known == null || known.id().equals(topic.id()))
                .filter(topic -> partition.partition() < topic.partitions());
    }

    private List<View> views(String folder) {
        return journal.views().map(there -> there.read(folder)).orElse(List.of());
    }

    private List<OffsetView> views() {
        List<OffsetView> views = new ArrayList<>();
        for (View view : views(VIEWS)) {
            try {
                views.add(parse(view));
            } catch (MusterException
                    | ClassCastException
                    | NullPointerException
                    | IllegalArgumentException
                    | IndexOutOfBoundsException e) {
                LOG.log(Level.DEBUG, "the view {0} of group {1} is skipped: {2}", view.path(), name, e);
            }
        }
        return views;
    }

    /** Parses the view {@code offsets/<topic>/partition-<n>.offset}. */
    private static OffsetView parse(View view) {
        String[] path = view.path().split("/", -1);
        String number = path[2].substring(path[2].indexOf('-') + 1, path[2].length() - VIEW_SUFFIX.length());
        Map<?, ?> fields = (Map<?, ?>) Json.parse(view.text());
        CommittedOffset offset = new CommittedOffset(
                (Long) fields.get("offset"), Math.toIntExact((Long) fields.get("leader_epoch")), (String)
                        fields.get("metadata"));
        Optional<MemberId> by =
                Optional.ofNullable((String) fields.get("member")).map(MemberId::new);
        long at = Instant.parse((String) fields.get("committed_at")).toEpochMilli();
        return new OffsetView(
                TopicPartition.of(path[1], Integer.parseInt(number)),
                (Long) fields.get("version"),
                new Commit(offset, at, by));
    }

    // The partitions

    private List<RepairPlan.Step> steps(
            Group before, RebuiltGroup rebuilt, Set<TopicPartition> fromViews, List<JournalDamage> damages) {
        SortedSet<TopicPartition> all = new TreeSet<>(before.offsets().keySet());
        all.addAll(rebuilt.offsets().keySet());
        rebuilt.topics().forEach((topic, shape) -> {
            for (int i = 0; i < shape.partitions(); i++) {
                all.add(new TopicPartition(topic, i));
            }
        });
        long behindAll =
                damages.stream().mapToLong(JournalDamage::nextVersion).max().orElse(0);
        List<RepairPlan.Step> steps = new ArrayList<>();
        for (TopicPartition partition : all) {
            Optional<CommittedOffset> after = offset(rebuilt.offsets().get(partition));
            OptionalLong version = rebuilt.version(partition);
            boolean certain = damages.isEmpty() || version.isPresent() && version.getAsLong() >= behindAll;
            steps.add(new RepairPlan.Step(
                    partition,
                    offset(before.offsets().get(partition)),
                    after,
                    source(after, version, fromViews.contains(partition)),
                    version,
                    certain ? 0 : again(rebuilt, partition, after)));
        }
        return steps;
    }

    private static RepairPlan.Source source(Optional<CommittedOffset> after, OptionalLong version, boolean fromView) {
        if (after.isEmpty()) {
            return RepairPlan.Source.NONE;
        }
        if (fromView) {
            return RepairPlan.Source.VIEW;
        }
        return version.isPresent() ? RepairPlan.Source.BEHIND : RepairPlan.Source.BEFORE;
    }

    private static Optional<CommittedOffset> offset(Commit commit) {
        return Optional.ofNullable(commit).map(Commit::offset);
    }

    /** The number of records that may be read again because a commit was lost. */
    private long again(RebuiltGroup rebuilt, TopicPartition partition, Optional<CommittedOffset> after) {
        Optional<PartitionLog> log = topic(rebuilt, partition).flatMap(topic -> log(topic, partition));
        if (log.isEmpty()) {
            return 0;
        }
        long start = log.get().startOffset();
        long from = after.map(offset -> Math.max(offset.offset(), start)).orElse(start);
        return Math.max(0, log.get().endOffset() - from);
    }

    private long end(Topic topic, TopicPartition partition) {
        return log(topic, partition).map(PartitionLog::endOffset).orElse(-1L);
    }

    private Optional<PartitionLog> log(Topic topic, TopicPartition partition) {
        try {
            return Optional.of(store.log(topic.id(), partition.partition()));
        } catch (TopicNotFoundException | TopicDeletedException e) {
            // The topic was deleted since it was found.
            return Optional.empty();
        }
    }

    /**
     * Writes the state of a plan behind the damage, and trims the journal to it.
     *
     * @return False if the journal changed since the plan was made: another plan is needed
     */
    public boolean execute(RepairPlan plan, HostId self, long wallMillis) {
        if (plan.damages().isEmpty()) {
            return true;
        }
        journal.beginFile();
        if (!journal.append(plan.end(), GroupJson.snapshot(plan.rebuilt(), wallMillis, self))) {
            return false;
        }
        journal.trim(plan.end());
        journal.awaitDurable(plan.end() + 1);
        return true;
    }
}
