package dev.muster.it;

import static dev.muster.it.GroupMemberMain.GROUP;

import dev.muster.embedded.Muster;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Eight processes join, leave, die and freeze at random on one group while numbered records are written. */
class TortureIT {
    private static final int SLOTS = 8;
    private static final Torture.Size SIZE = new Torture.Size(12, 8, 100, 3500, 10);

    @TempDir
    Path directory;

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES)
    void randomMemberFailuresLoseNoRecordsOrCommits() throws Exception {
        try (Muster muster = Muster.open(directory);
                Torture torture = new Torture("TortureIT", directory, SIZE);
                CommitsNeverGoBack commits = new CommitsNeverGoBack(directory, GROUP)) {
            for (int i = 0; i < SLOTS; i++) {
                torture.place(torture::embedded);
            }
            torture.createTopic(muster);
            Thread producer = torture.produceEmbedded(muster, any -> true);
            try {
                torture.joinAll();
                torture.awaitOwners();
                // Even on a slow machine one member is stopped until it is expelled, and one owner dies.
                torture.places().getFirst().freezeUntil(2 * Torture.SESSION_MS, name -> isOut(name, commits));
                torture.places().getLast().kill();
                torture.torment(() -> {});
            } finally {
                torture.stopProducing();
                producer.join();
            }
            torture.drain(muster);
            torture.judge(commits, "");
        }
    }

    private static boolean isOut(String name, CommitsNeverGoBack journal) {
        return journal.group().members().values().stream()
                .noneMatch(member -> member.spec().client().equals(name));
    }
}
