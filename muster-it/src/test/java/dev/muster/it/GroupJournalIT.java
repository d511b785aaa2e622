package dev.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.model.GroupName;
import dev.muster.store.file.FileStore;
import dev.muster.store.file.FileStoreOptions;
import dev.muster.store.group.GroupJournal;
import dev.muster.store.group.GroupJournal.Line;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several processes append to the journal of one group, each at the version it believes to be the next: versions are
 * dense, and a process was told the truth about every line of its own, however it was stopped or killed.
 */
@Tag("figures")
class GroupJournalIT {
    private static final int WRITERS = 4;
    private static final GroupName GROUP = new GroupName("workers");
    private static final long GAP_MAX_MS = 1000;
    private static final long RUN_MS = 1500;
    /** Every so often a writer waits for the disk. */
    private static final int LINES_A_SYNC = 50;
    /** So many lines that syncs are among them. */
    private static final int PROGRESS = 4 * LINES_A_SYNC;

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void fourProcessesNeverWriteTheSameVersion() throws Exception {
        run(false);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void suspendedAndKilledWritersDoNotHarmOthers() throws Exception {
        run(true);
    }

    private void run(boolean harming) throws Exception {
        List<Child> writers = new ArrayList<>();
        List<Words> words = new ArrayList<>();
        List<List<String>> said = new ArrayList<>();
        try {
            for (int i = 0; i < WRITERS; i++) {
                writers.add(Child.start(Writer.class, directory, i));
            }
            for (Child writer : writers) {
                assertThat(writer.readLine()).isEqualTo("ready");
            }
            for (Child writer : writers) {
                words.add(Words.of(writer));
                writer.tell("go");
            }
            if (harming) {
                stopAndContinue(writers.get(0), words.subList(2, WRITERS));
                writers.get(1).kill();
                awaitProgress(words.subList(2, WRITERS));
            }
            Rounds.letTimePass(RUN_MS);
            // However slow the machine is: everybody has written, and somebody came too late.
            awaitProgress(harming ? words.subList(2, WRITERS) : words);
            assertThat(words.getLast().awaitMore(0, "-"::equals, 1))
                    .as("the last writer came too late once")
                    .isTrue();
            for (int i = 0; i < WRITERS; i++) {
                if (writers.get(i).isAlive()) {
                    writers.get(i).tell("enough");
                }
                said.add(words.get(i).awaitEnd());
                writers.get(i).await();
            }
        } finally {
            for (Child writer : writers) {
                writer.close();
            }
        }
        verify(said, harming);
    }

    /** The others go on while one is stopped, for however long that is. */
    private static void stopAndContinue(Child victim, List<Words> others) throws IOException, InterruptedException {
        Random random = Rounds.random("GroupJournalIT");
        for (int i = 0; i < 8; i++) {
            victim.stop();
            awaitProgress(others);
            Rounds.letTimePass(50 + random.nextInt(350));
            victim.cont();
            Rounds.letTimePass(10 + random.nextInt(40));
        }
    }

    /** Waits for lines whose writing began after this call did: what was on its way to us before does not count. */
    private static void awaitProgress(List<Words> all) throws InterruptedException {
        long since = System.nanoTime();
        List<Integer> from = all.stream().map(Words::count).toList();
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).awaitMore(from.get(i), line -> isBegunAfter(since, line), PROGRESS))
                    .as("a writer that was not told to end goes on")
                    .isTrue();
        }
    }

    /** The clock is the same for all processes. */
    private static boolean isBegunAfter(long since, String line) {
        return line.startsWith("+ ") && Long.parseLong(line.split(" ", 3)[1]) - since > 0;
    }

    private void verify(List<List<String>> said, boolean harming) throws Exception {
        List<Line> lines = new ArrayList<>();
        try (FileStore store = FileStore.open(directory, FileStoreOptions.defaults())) {
            GroupJournal journal = store.groups().find(GROUP).orElseThrow();
            for (List<Line> read = journal.read(0); !read.isEmpty(); read = journal.read(lines.size())) {
                lines.addAll(read);
            }
        }
        for (int i = 0; i < lines.size(); i++) {
            assertThat(lines.get(i).version()).isEqualTo(i);
        }
        int accepted = 0;
        int refused = 0;
        for (int writer = 0; writer < WRITERS; writer++) {
            String prefix = "{\"writer\":" + writer + ",";
            List<String> own = lines.stream()
                    .filter(line -> line.text().startsWith(prefix))
                    .map(line -> line.version() + " " + line.text())
                    .toList();
            List<String> acknowledged = said.get(writer).stream()
                    .filter(word -> word.startsWith("+ "))
                    .map(word -> word.split(" ", 3)[2])
                    .toList();
            boolean killed = harming && writer == 1;
            // Who was killed may have one line more than it lived to say.
            assertThat(own.size() - acknowledged.size())
                    .as("lines of %d not told", writer)
                    .isBetween(0, killed ? 1 : 0);
            assertThat(own.subList(0, acknowledged.size())).isEqualTo(acknowledged);
            accepted += acknowledged.size();
            String end = said.get(writer).isEmpty() ? "" : said.get(writer).getLast();
            if (end.startsWith("end ")) {
                refused += Integer.parseInt(end.split(" ")[1]);
                long gap = Long.parseLong(end.split(" ")[2]);
                System.out.printf("journal writer %d: longest gap %d ms%n", writer, gap);
                if (harming && writer > 1) {
                    Figures.assertBelow("longest gap of a writer never stopped, in ms", (double) gap, GAP_MAX_MS);
                }
            }
        }
        System.out.printf(
                "journal: %d processes, %d lines accepted, %d attempts refused, stops and a kill: %s%n",
                WRITERS, accepted, refused, harming);
        assertThat(refused)
                .as("attempts that came too late, or this test is blind")
                .isPositive();
    }

    /**
     * Appends numbered lines until it is told to end or the test is gone; says of each line that was taken when it
     * began with it and which version it has.
     */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws Exception {
            int id = Integer.parseInt(args[1]);
            int refused = 0;
            long longest = 0;
            try (FileStore store = FileStore.open(Path.of(args[0]), FileStoreOptions.defaults())) {
                GroupJournal journal = store.groups().open(GROUP);
                System.out.println("ready");
                for (int next = System.in.read(); next != '\n'; next = System.in.read()) {
                    if (next < 0) {
                        return;
                    }
                }
                LastWord end = LastWord.await();
                long last = System.nanoTime();
                for (int line = 0; !end.isHeard(); ) {
                    long begun = System.nanoTime();
                    String text = "{\"writer\":" + id + ",\"line\":" + line + "}";
                    long version = journal.endVersion();
                    if (journal.append(version, text)) {
                        if (line % LINES_A_SYNC == 0) {
                            journal.awaitDurable(version + 1);
                        }
                        System.out.println("+ " + begun + " " + version + " " + text);
                        line++;
                        longest = Math.max(longest, System.nanoTime() - last);
                        last = System.nanoTime();
                    } else if (refused++ == 0) {
                        System.out.println("-");
                    }
                }
            }
            System.out.println("end " + refused + " " + TimeUnit.NANOSECONDS.toMillis(longest));
        }
    }
}
