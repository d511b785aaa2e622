package dev.muster.core.group.classic;

import dev.muster.core.MemberId;
import dev.muster.core.TopicName;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicCommand.Caller;
import dev.muster.core.group.classic.ClassicCommand.Leaver;
import dev.muster.core.group.command.Command;
import dev.muster.core.group.command.Decision;
import dev.muster.core.group.command.GroupTimer;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.HostId;
import dev.muster.core.group.model.LeaveCause;
import dev.muster.core.group.model.MemberSpec;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import dev.muster.core.group.model.Subscription;
import dev.muster.core.group.model.Timing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Text in, text out. A line at the margin is a command; below it stand what happened ({@code +}), the answer
 * ({@code =}) and answers to requests that had waited ({@code >}). Lines that begin with {@code #} are for people.
 *
 * <pre>
 * join A [as A] [i=instance] [p=range,sticky] [m=metadata] [type=consumer] [v=0|4|9] [max=n] [settle=0] [host=h1] [why=words]
 * sync A 1 [A=a B=b] [i=instance] [p=range]     heartbeat A 1 [i=instance]     commit A 1 [i=instance]     commit -
 * leave A B i=instance                          silent A [host=h1]             expire settle|barrier|sync|id A|away A
 * died h1                                       adopt h2 h1                    state
 * </pre>
 */
final class ClassicScript {
    final ClassicGroupFixture fixture = new ClassicGroupFixture();
    private final StringBuilder out = new StringBuilder();

    static String transcript(String script) {
        return new ClassicScript().run(script);
    }

    String run(String script) {
        for (String line : script.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                out.append(line).append('\n');
            } else if (!line.startsWith(" ")) {
                out.append(line).append('\n');
                play(line.split(" "));
            }
        }
        return out.toString();
    }

    private void play(String[] words) {
        if (words[0].equals("state")) {
            say("=", state());
            return;
        }
        if (words[0].equals("modern")) {
            playModern(words);
            return;
        }
        ClassicGroupFixture.Outcome outcome = fixture.ask(command(words));
        outcome.events().forEach(event -> say("+", ClassicScriptText.of(event)));
        outcome.modern().forEach(event -> say("+", ClassicScriptText.of(event)));
        say("=", ClassicScriptText.of(outcome.reply()));
        outcome.late().forEach(late -> say(">", late.member() + " " + ClassicScriptText.of(late.answer())));
    }

    /** Commands of members of the modern rules: {@code modern join M}, {@code release}, {@code settle}. */
    private void playModern(String[] words) {
        Command command = switch (words[1]) {
            case "join" -> new Command.Join(modern(words[2], new Options(words).find("i")), fixture.topics);
            case "leave" -> new Command.Leave(new MemberId(words[2]), LeaveCause.LEFT, false);
            case "away" -> new Command.Leave(new MemberId(words[2]), LeaveCause.LEFT, true);
            case "release" -> new Command.Release(new MemberId(words[2]), partitions(words[3]));
            case "died" -> new Command.HostDied(new HostId(words[2]));
            case "settle" -> new Command.Settle(settleToken());
            case "rewind" ->
                new Command.Rewind(
                        new TreeMap<>(
                                Map.of(partitions(words[2]).getFirst(), new CommittedOffset(Long.parseLong(words[3])))),
                        fixture.topics,
                        "alice",
                        "a bad deploy");
            default -> throw new IllegalArgumentException(String.join(" ", words));
        };
        Decision decision = fixture.decide(command);
        decision.events().forEach(event -> say("+", ClassicScriptText.of(event)));
        say("=", ClassicScriptText.of(decision.reply()));
        List<ClassicGroupFixture.Late> late = new ArrayList<>();
        fixture.answer(late);
        late.forEach(one -> say(">", one.member() + " " + ClassicScriptText.of(one.answer())));
    }

    private long settleToken() {
        return fixture.group.timers().stream()
                .filter(GroupTimer.Settle.class::isInstance)
                .map(timer -> ((GroupTimer.Settle) timer).token())
                .findFirst()
                .orElse(0L);
    }

    static MemberSpec modern(String id, Optional<String> instance) {
        return new MemberSpec(
                new MemberId(id),
                instance,
                id,
                new HostId("h9"),
                Optional.empty(),
                new Subscription(new TreeSet<>(List.of(new TopicName("orders"))), Optional.empty()),
                Timing.DEFAULT,
                "sticky");
    }

    private void say(String sign, String words) {
        out.append("  ").append(sign).append(' ').append(words).append('\n');
    }

    private String state() {
        ClassicGroup group = fixture.group.classic();
        return group.state() + " at " + fixture.group.generation() + " members "
                + group.members().keySet() + " leader "
                + group.leader().map(MemberId::value).orElse("-");
    }

    private ClassicCommand command(String[] words) {
        Options options = new Options(words);
        return switch (words[0]) {
            case "join" -> join(words[1], options);
            case "sync" -> sync(options);
            case "heartbeat" -> new ClassicCommand.Heartbeat(caller(options));
            case "commit" -> commit(options);
            case "leave" -> leave(options);
            case "silent" ->
                new ClassicCommand.SessionExpired(
                        new MemberId(words[1]), new HostId(options.get("host", "h1")), LeaveCause.SESSION_EXPIRED);
            case "hangup" ->
                new ClassicCommand.SessionExpired(
                        new MemberId(words[1]), new HostId(options.get("host", "h1")), LeaveCause.CONNECTION_LOST);
            case "expire" -> new ClassicCommand.Expire(timer(words));
            case "died" -> new ClassicCommand.HostDied(new HostId(words[1]));
            case "adopt" -> new ClassicCommand.Adopt(new HostId(words[1]), java.util.Set.of(new HostId(words[2])));
            default -> throw new IllegalArgumentException(String.join(" ", words));
        };
    }

    private static ClassicCommand join(String name, Options options) {
        int version = Integer.parseInt(options.get("v", "9"));
        Optional<MemberId> known =
                options.plain.size() > 1 ? Optional.of(new MemberId(options.plain.get(1))) : Optional.empty();
        List<Protocol> protocols = new ArrayList<>();
        for (String protocol : options.get("p", "range").split(",")) {
            protocols.add(new Protocol(
                    protocol,
                    ClassicGroupFixture.bytes(
                            options.get("m", name.toLowerCase(java.util.Locale.ROOT)) + "@" + protocol)));
        }
        ClassicSpec spec = new ClassicSpec(
                known.orElse(new MemberId(name)),
                options.find("i"),
                name,
                "/127.0.0.1",
                new HostId(options.get("host", "h1")),
                Duration.ofSeconds(Long.parseLong(options.get("session", "45"))),
                Duration.ofSeconds(Long.parseLong(options.get("rebalance", "300"))),
                options.get("type", ClassicGroup.CONSUMER),
                protocols,
                reading(options));
        return new ClassicCommand.Join(
                known,
                spec,
                version >= 4,
                version >= 9,
                options.get("why", "").replace('_', ' '),
                new ClassicCommand.Limits(
                        Integer.parseInt(options.get("max", "1000")),
                        Duration.ofMillis(50),
                        Duration.ofSeconds(Long.parseLong(options.get("settle", "3")))));
    }

    /**
     * The metadata of a joining member. {@code own=012}: it has partitions 0, 1 and 2 in hand; {@code unread=x}: its
     * metadata cannot be read.
     */
    private static Optional<ConsumerMetadata> reading(Options options) {
        return options.find("unread").isPresent()
                ? Optional.empty()
                : Optional.of(new ConsumerMetadata(
                        new TreeSet<>(List.of(new TopicName("orders"))), partitions(options.get("own", ""))));
    }

    private static SortedSet<TopicPartition> partitions(String digits) {
        SortedSet<TopicPartition> those = new TreeSet<>();
        digits.chars().filter(Character::isDigit).forEach(c -> those.add(ClassicGroupFixture.orders(c - '0')));
        return those;
    }

    private static Caller caller(Options options) {
        return new Caller(
                new MemberId(options.plain.get(0)),
                options.find("i"),
                Long.parseLong(options.plain.get(1)),
                new HostId(options.get("host", "h1")));
    }

    private static ClassicCommand sync(Options options) {
        Map<MemberId, Opaque> assignment = new HashMap<>();
        Map<MemberId, SortedSet<TopicPartition>> partitions = new HashMap<>();
        options.named.forEach((name, value) -> {
            if (Character.isUpperCase(name.charAt(0))) {
                assignment.put(new MemberId(name), ClassicGroupFixture.bytes(value));
                partitions.put(new MemberId(name), partitions(value));
            }
        });
        return new ClassicCommand.Sync(
                caller(options),
                new ClassicCommand.SyncContent(
                        options.find("type"),
                        options.find("p"),
                        assignment,
                        partitions,
                        options.find("secret").isEmpty()));
    }

    private static ClassicCommand commit(Options options) {
        SortedMap<TopicPartition, CommittedOffset> offsets = new TreeMap<>();
        offsets.put(
                ClassicGroupFixture.orders(Integer.parseInt(options.get("p", "0"))),
                new CommittedOffset(7, 2, "by night"));
        return new ClassicCommand.Commit(
                options.plain.get(0).equals("-") ? Optional.empty() : Optional.of(caller(options)), offsets);
    }

    private static ClassicCommand leave(Options options) {
        List<Leaver> leavers = new ArrayList<>();
        for (String who : options.plain) {
            // A/east is member A with the instance id east; /east is the member with that instance id.
            String[] parts = who.split("/", 2);
            leavers.add(new Leaver(
                    parts[0].isEmpty() ? Optional.empty() : Optional.of(new MemberId(parts[0])),
                    parts.length > 1 ? Optional.of(parts[1]) : Optional.empty(),
                    options.get("why", "")));
        }
        return new ClassicCommand.Leave(leavers);
    }

    /** The timer of this kind that the state asks for, or a void one if it asks for none. */
    private ClassicTimer timer(String[] words) {
        for (ClassicTimer timer : fixture.group.classic().timers()) {
            boolean meant = switch (timer) {
                case ClassicTimer.Settle _ -> words[1].equals("settle");
                case ClassicTimer.Barrier _ -> words[1].equals("barrier");
                case ClassicTimer.Sync _ -> words[1].equals("sync");
                case ClassicTimer.Id id ->
                    words[1].equals("id") && id.member().value().equals(words[2]);
                case ClassicTimer.Away away ->
                    words[1].equals("away") && away.member().value().equals(words[2]);
            };
            if (meant) {
                return timer;
            }
        }
        return new ClassicTimer.Barrier(-1, Duration.ZERO);
    }

    /** The words of a line after the first: {@code name=value} and others. */
    private static final class Options {
        private final List<String> plain = new ArrayList<>();
        private final Map<String, String> named = new HashMap<>();

        Options(String[] words) {
            for (int i = 1; i < words.length; i++) {
                String[] parts = words[i].split("=", 2);
                if (parts.length == 2) {
                    named.put(parts[0], parts[1]);
                } else {
                    plain.add(words[i]);
                }
            }
        }

        Optional<String> find(String name) {
            return Optional.ofNullable(named.get(name));
        }

        String get(String name, String otherwise) {
            return named.getOrDefault(name, otherwise);
        }
    }
}
