package dev.muster.testkit.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RecordingDiskTest implements DiskContract {
    private static final Path ROOT = Path.of("/data");

    private final FaultyDisk faulty = new FaultyDisk(new MemoryDisk().process());
    private final RecordingDisk disk = new RecordingDisk(faulty, ROOT);

    @Override
    public Disk disk() {
        return disk;
    }

    @Override
    public Path folder() {
        return Path.of("/");
    }

    @Test
    void theTranscriptHasAllChangesInOrderAndIsRepeatable() throws IOException {
        UUID boot = UUID.randomUUID();
        disk.show(Pattern.compile(boot.toString()), "<boot>");
        disk.createFolders(ROOT);
        disk.heading("make a log");
        Path folder = ROOT.resolve("logs/" + UUID.randomUUID() + "/p0");
        disk.createFolders(folder);
        disk.createFolders(folder);
        disk.page(folder.resolve("control-" + boot), new byte[8]).close();
        Path log = folder.resolve("0.log");
        try (DiskFile open = disk.openForAppend(log)) {
            open.append(new byte[118], 0, 118);
            open.append(new byte[10], 0, 7);
            open.sync();
        }
        disk.openForAppend(log).close();
        disk.syncFolder(folder);
        disk.heading("drop it");
        disk.link(log, folder.resolve("1.log"));
        disk.rename(folder.resolve("1.log"), ROOT.resolve("2.log"));
        disk.delete(log);
        disk.delete(log);
        faulty.arm(DiskFault.at(DiskCall.Kind.SYNC_FOLDER));
        assertThatThrownBy(() -> disk.syncFolder(ROOT)).isInstanceOf(IOException.class);
        disk.syncFolder(ROOT);
        assertThat(disk.transcript()).isEqualTo("""
              mkdir  .
            make a log
              mkdir  logs/<id>/p0
              page   logs/<id>/p0/control-<boot>
              create logs/<id>/p0/0.log
              write  logs/<id>/p0/0.log 0..118
              write  logs/<id>/p0/0.log 118..125
              sync   logs/<id>/p0/0.log
              sync   logs/<id>/p0
            drop it
              link   logs/<id>/p0/0.log -> logs/<id>/p0/1.log
              rename logs/<id>/p0/1.log -> 2.log
              delete logs/<id>/p0/0.log
              sync   .
            """);
    }
}
