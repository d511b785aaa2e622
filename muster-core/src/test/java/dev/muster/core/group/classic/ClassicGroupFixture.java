package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.assign.Assignors;
import dev.muster.core.group.Group;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.Entry;
import dev.muster.core.group.command.Event;
import dev.muster.core.group.command.Reply;
import dev.muster.core.group.json.GroupJson;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.TopicShape;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A classic group under test, together with the server of its members. Commands are decided; entries are written and
 * read back as a journal would do. Waiting requests are answered as soon as the state has the answer. Each entry
 * advances the time by one millisecond.
 */
final class ClassicGroupFixture {
    static final HostId HOST = new HostId("h1");

    final List<String> journal = new ArrayList<>();
    final SortedMap<TopicName, TopicShape> topics = new TreeMap<>();
    Group group = Group.empty();
    long now = 1_000;

    /** The waiting joins, with the instance id of their members. */
    final Map<MemberId, Optional<String>> joins = new LinkedHashMap<>();

    final Map<MemberId, ClassicCommand.Caller> syncs = new LinkedHashMap<>();

    /** An answer to a request that had waited. */
    record Late(MemberId member, ClassicReply answer) {}

    ClassicGroupFixture() {
        topics.put(new TopicName("orders"), new TopicShape(new TopicId(new UUID(0, 1)), 4));
    }

    /** @param modern events of the modern rules */
    record Outcome(List<ClassicEvent> events, List<Event> modern, ClassicReply reply, List<Late> late) {}

    Outcome ask(ClassicCommand command) {
        Decision decision = decide(new Command.Classic(command, topics));
        Reply.Classic reply = (Reply.Classic) decision.reply();
        List<ClassicEvent> events = new ArrayList<>();
        List<Event> modern = new ArrayList<>();
        decision.events().forEach(event -> {
            if (event instanceof Event.Classic(var classic)) {
                events.add(classic);
            } else if (!(event instanceof Event.TopicsChanged)) {
                modern.add(event);
            }
        });
        List<Late> late = new ArrayList<>();
        if (reply.reply() instanceof ClassicReply.JoinParked(var member, var instance)) {
            joins.put(member, instance);
        }
        if (reply.reply() instanceof ClassicReply.SyncParked(var member, var instance)) {
            syncs.put(member, ((ClassicCommand.Sync) command).caller().withInstance(instance));
        }
        answer(late);
        return new Outcome(events, modern, reply.reply(), late);
    }

    Decision decide(Command command) {
        Decision decision = group.decide(command, Assignors.BUILT_IN);
        if (!decision.events().isEmpty()) {
            String line = GroupJson.entry(new Entry(++now, HOST, decision.events()));
            journal.add(line);
            group = GroupJson.replay(group, line);
        }
        return decision;
    }

    /** Answers waiting requests as the engine does: from the state alone. */
    void answer(List<Late> late) {
        joins.entrySet().removeIf(join -> {
            MemberId id = join.getKey();
            Optional<ClassicReply.JoinAnswer> answer = group.joinAnswer(id, join.getValue());
            answer.ifPresent(there -> late.add(new Late(id, there)));
            return answer.isPresent();
        });
        syncs.entrySet().removeIf(sync -> {
            MemberId id = sync.getKey();
            Optional<ClassicReply.SyncAnswer> answer = group.syncAnswer(sync.getValue());
            answer.ifPresent(there -> late.add(new Late(id, there)));
            return answer.isPresent();
        });
    }

    static Opaque bytes(String text) {
        return Opaque.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(Opaque bytes) {
        return new String(bytes.toBytes(), StandardCharsets.UTF_8);
    }

    static TopicPartition orders(int partition) {
        return TopicPartition.of("orders", partition);
    }
}
