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
 * Several processes append to the journal of one group, each at its expected next version. Versions are dense, and each
 * process has the right result for every line of its own, even if it was stopped or killed.
 */
@Tag("figures")
class GroupJournalIT {
    private static final int WRITERS = 4;
    private static final GroupName GROUP = new GroupName("workers");
    private static final long GAP_MAX_MS = 1000;
    private static final long RUN_MS = 1500;
    /** The number of lines after which a writer waits for a sync. */
    private static final int LINES_A_SYNC = 50;
    /** Enough lines to include syncs. */
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
        List<OutputLines> words = new ArrayList<>();
        List<List<String>> said = new ArrayList<>();
        try {
            for (int i = 0; i < WRITERS; i++) {
                writers.add(Child.start(Writer.class, directory, i));
            }
            for (Child writer : writers) {
                assertThat(writer.readLine()).isEqualTo("ready");
            }
            for (Child writer : writers) {
                words.add(OutputLines.of(writer));
                writer.tell("go");
            }
            if (harming) {
                stopAndContinue(writers.get(0), words.subList(2, WRITERS));
                writers.get(1).kill();
                awaitProgress(words.subList(2, WRITERS));
            }
            Rounds.letTimePass(RUN_MS);
            // Even on a slow machine every writer has written, and at least one append was too late.
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

    /** Stops one writer, and checks that the others continue meanwhile. */
    private static void stopAndContinue(Child victim, List<OutputLines> others)
            throws IOException, InterruptedException {
        Random random = Rounds.random("GroupJournalIT");
        for (int i = 0; i < 8; i++) {
            victim.stop();
            awaitProgress(others);
            Rounds.letTimePass(50 + random.nextInt(350));
            victim.cont();
            Rounds.letTimePass(10 + random.nextInt(40));
        }
    }

    /** Waits for lines that were begun after this call. Earlier lines that arrive late do not count. */
    private static void awaitProgress(List<OutputLines> all) throws InterruptedException {
        long since = System.nanoTime();
        List<Integer> from = all.stream().map(OutputLines::count).toList();
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
            // A killed writer may have written one more line than it printed.
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
     * Appends numbered lines until the test ends it or is gone. Prints the begin and the version of each accepted line.
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
                EndSignal end = EndSignal.await();
                long last = System.nanoTime();
                for (int line = 0; !end.isGiven(); ) {
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
