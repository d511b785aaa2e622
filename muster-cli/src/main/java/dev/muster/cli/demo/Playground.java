package dev.muster.cli.demo;

import dev.muster.cli.command.Folders;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.Session;
import dev.muster.cli.text.Rate;
import dev.muster.embedded.Codec;
import dev.muster.embedded.MusterOptions;
import dev.muster.embedded.Producer;
import dev.muster.embedded.internal.GroupInspection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The folder, topic, producer and member processes of a demo, in two groups. All are gone once this is closed. For one
 * thread.
 */
final class Playground implements AutoCloseable {
    static final String TOPIC = "orders";
    static final List<String> GROUPS = List.of("billing", "shipping");

    private final Class<?> memberMain;
    private final Path folder;
    private final Opener.Opened opened;
    private final Producer<String, String> producer;
    private final Thread sender;
    private final AtomicLong sent = new AtomicLong();
    private final List<MemberProcess> members = new ArrayList<>();
    private final Map<String, Integer> lastNumbers = new HashMap<>();
    private volatile boolean closing;

    /** @param memberMain the class that a member process runs */
    Playground(Session session, Class<?> memberMain, int partitions, Rate rate) throws IOException {
        this.memberMain = memberMain;
        folder = Files.createTempDirectory("muster-demo-");
        // A playground need not survive a power cut, so any file system will do.
        MusterOptions options = MusterOptions.DEFAULT.withAllowAnyFileSystem(true);
        opened = session.opener().open(folder.resolve("data"), options);
        opened.muster().topics().ensure(TOPIC, topic -> topic.partitions(partitions));
        producer = opened.muster().producer(TOPIC, Codec.STRING, Codec.STRING);
        sender = Thread.ofPlatform().daemon().name("demo-producer").start(() -> send(rate));
    }

    private void send(Rate rate) {
        long startNanos = System.nanoTime();
        for (long number = 0; !closing; number++) {
            long waitNanos = rate.dueNanos(number) - (System.nanoTime() - startNanos);
            if (waitNanos > 0) {
                LockSupport.parkNanos(waitNanos);
            }
            if (!closing) {
                producer.send("customer-" + number % 97, "order " + number).thenRun(sent::incrementAndGet);
            }
        }
    }

    Path folder() {
        return folder;
    }

    long sent() {
        return sent.get();
    }

    GroupInspection groups() {
        return opened.groups();
    }

    List<MemberProcess> members() {
        return List.copyOf(members);
    }

    boolean isMember(MemberProcess process) {
        return groups().state(process.group())
                .filter(group -> group.members().values().stream()
                        .anyMatch(member -> member.spec().client().equals(process.name())))
                .isPresent();
    }

    MemberProcess add(String group) {
        String name = group + "-" + lastNumbers.merge(group, 1, Integer::sum);
        try {
            MemberProcess member = MemberProcess.start(memberMain, folder, TOPIC, group, name);
            members.add(member);
            return member;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(sender);
        try {
            sender.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        members.forEach(MemberProcess::end);
        members.forEach(MemberProcess::close);
        producer.close();
        opened.close();
        try {
            Folders.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
