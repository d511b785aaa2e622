package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.TopicSettings;
import dev.muster.core.group.classic.ClassicCommand;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.classic.ClassicReply.JoinAnswer;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.core.group.model.Opaque;
import dev.muster.core.group.model.Protocol;
import dev.muster.engine.admin.GroupStatus;
import dev.muster.engine.admin.ServedGroups;
import dev.muster.engine.group.remote.ClassicProtocol;
import dev.muster.engine.group.service.GroupThread;
import dev.muster.engine.group.session.ClassicConfig;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.engine.group.session.ClassicRequest.Identity;
import dev.muster.engine.runtime.SystemGroupRuntime;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server of classic members is killed, and the next one continues, on a real directory. */
class ClassicServerIT {
    private static final String GROUP = "billing";
    private static final TopicPartition ORDERS_0 = TopicPartition.of("orders", 0);

    @TempDir
    Path directory;

    /** One server, in this process or in a process that will be killed. */
    private static final class Server implements AutoCloseable {
        private final FileStore store;
        private final GroupThread thread;
        final ClassicProtocol groups;
        final ServedGroups served;

        Server(Path directory) {
            store = FileStore.open(directory, FileStoreOptions.defaults());
            if (store.find(ORDERS_0.topic()).isEmpty()) {
                store.create(ORDERS_0.topic(), 4, TopicSettings.DEFAULT);
            }
            thread = new GroupThread(store, new SystemGroupRuntime());
            groups = new ClassicProtocol(thread.service(), ClassicConfig.DEFAULT);
            served = new ServedGroups(thread.service());
            groups.adoptOrphans();
        }

        CompletableFuture<JoinAnswer> join(String member, boolean idRequired) {
            return groups.join(
                    GROUP,
                    new ClassicRequest.Join(
                            member,
                            Optional.empty(),
                            "app",
                            "/127.0.0.1",
                            Duration.ofMinutes(5),
                            Duration.ofMinutes(5),
                            "consumer",
                            List.of(new Protocol("range", Opaque.EMPTY)),
                            Optional.empty(),
                            idRequired,
                            true,
                            "",
                            1));
        }

        ClassicReply.Assigned sync(Identity who, Map<MemberId, Opaque> assignment) {
            return (ClassicReply.Assigned) soon(groups.sync(
                    GROUP,
                    new ClassicRequest.Sync(
                            who,
                            new ClassicCommand.SyncContent(
                                    Optional.empty(), Optional.empty(), assignment, Map.of(), true))));
        }

        @Override
        public void close() {
            groups.close();
            thread.close();
            store.close();
        }
    }

    private static <T> T soon(CompletableFuture<T> answer) {
        return answer.orTimeout(3, TimeUnit.MINUTES).join();
    }

    private static Identity identity(String line) {
        String[] words = line.split(" ");
        return new Identity(words[0], Optional.empty(), Long.parseLong(words[1]));
    }

    /** Two members join, get their assignments and commit; a third one gets an id and waits. */
    static final class Doomed {
        private Doomed() {}

        public static void main(String[] args) throws Exception {
            Server server = new Server(Path.of(args[0]));
            // The members join one after the other, so the result does not depend on the settle time.
            String first = ((ClassicReply.Joined) soon(server.join("", false)))
                    .member()
                    .value();
            CompletableFuture<JoinAnswer> second = server.join("", false);
            awaitRebalance(server);
            List<CompletableFuture<JoinAnswer>> joins = List.of(server.join(first, true), second);
            List<ClassicReply.Joined> members = new ArrayList<>();
            joins.forEach(join -> members.add((ClassicReply.Joined) soon(join)));
            members.sort((one, other) ->
                    Integer.compare(other.members().size(), one.members().size()));
            Map<MemberId, Opaque> assignment = new HashMap<>();
            members.forEach(member -> assignment.put(member.member(), bytes("for " + member.member())));
            for (ClassicReply.Joined member : members) {
                Identity who = new Identity(member.member().value(), Optional.empty(), member.generation());
                server.sync(who, assignment);
                var offsets = new TreeMap<>(Map.of(ORDERS_0, new CommittedOffset(42, 0, "so far")));
                soon(server.groups.commit(GROUP, who, offsets));
            }
            String third = "";
            if (args[1].equals("rebalancing")) {
                var required = (ClassicReply.MemberIdRequired) soon(server.join("", true));
                third = required.member().value();
                CompletableFuture<JoinAnswer> waits = server.join(third, true);
                awaitRebalance(server);
                if (waits.isDone()) {
                    throw new IllegalStateException("nobody else has come back: " + waits.join());
                }
            }
            members.forEach(member -> System.out.println(member.member() + " " + member.generation()));
            System.out.println("third " + third);
            System.in.read();
        }

        /** Waits until a join waits for the existing members. */
        private static void awaitRebalance(Server server) {
            while (server.served.describe(GROUP).orElseThrow().state() != GroupStatus.JOINING) {
                Rounds.letTimePass(1);
            }
        }
    }

    private static Opaque bytes(String text) {
        return Opaque.of(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void membersOfAKilledServerKeepTheirGenerationAndOffsets() throws Exception {
        List<Identity> members = new ArrayList<>();
        try (Child child = Child.start(Doomed.class, directory, "stable")) {
            members.add(identity(child.readLine()));
            members.add(identity(child.readLine()));
            child.kill();
        }
        try (Server next = new Server(directory)) {
            for (Identity who : members) {
                assertThat(soon(next.groups.heartbeat(GROUP, who, 1))).isEqualTo(new ClassicReply.Done());
                assertThat(next.sync(who, Map.of()).assignment()).isEqualTo(bytes("for " + who.member()));
            }
            assertThat(members)
                    .extracting(Identity::generation)
                    .containsOnly(members.getFirst().generation());
            assertThat(soon(next.served.offsets(GROUP)).get(ORDERS_0).offset())
                    .isEqualTo(new CommittedOffset(42, 0, "so far"));
            var more = new TreeMap<>(Map.of(ORDERS_0, new CommittedOffset(43)));
            assertThat(soon(next.groups.commit(GROUP, members.getFirst(), more)))
                    .isEqualTo(new ClassicReply.Done());
            assertThat(next.served.describe(GROUP).orElseThrow().members()).hasSize(2);
        }
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aRebalanceOfAKilledServerIsCompleted() throws Exception {
        List<String> members = new ArrayList<>();
        long generation;
        try (Child child = Child.start(Doomed.class, directory, "rebalancing")) {
            Identity first = identity(child.readLine());
            generation = first.generation();
            members.add(first.member());
            members.add(identity(child.readLine()).member());
            members.add(child.readLine().split(" ")[1]);
            child.kill();
        }
        try (Server next = new Server(directory)) {
            List<CompletableFuture<JoinAnswer>> joins =
                    members.stream().map(member -> next.join(member, true)).toList();
            List<ClassicReply.Joined> answers =
                    joins.stream().map(join -> (ClassicReply.Joined) soon(join)).toList();
            assertThat(answers).allMatch(answer -> answer.generation() == generation + 1);
            assertThat(answers)
                    .filteredOn(answer -> answer.leader().equals(answer.member()))
                    .singleElement()
                    .satisfies(leader -> assertThat(leader.members()).hasSize(3));
        }
    }
}
