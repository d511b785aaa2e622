package dev.muster.store.file.host;

import dev.muster.disk.Disk;
import dev.muster.store.file.finding.Finding.Severity;
import dev.muster.store.file.finding.Findings;
import dev.muster.store.file.layout.Layout;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Checks the files that make processes known to each other. */
public final class HostsCheck {
    private static final String LOCK = ".lock";
    private static final String HEARTBEAT = ".beat";

    private final Disk disk;
    private final Path folder;
    private final HostFiles files;
    private final Findings findings;
    private final Set<String> living = new HashSet<>();

    public HostsCheck(Disk disk, Layout layout, ProcessIdentity self, Clock clock, Findings findings) {
        this.disk = disk;
        this.folder = layout.hosts();
        // Sweeping needs no room, so it needs no policy for a full disk.
        this.files = new HostFiles(disk, layout, self, clock, null);
        this.findings = findings;
    }

    /** True if a living process has the directory open for writing. */
    public static boolean isAnyRunning(Disk disk, Path folder) throws IOException {
        for (String name : disk.list(folder)) {
            if (name.endsWith(LOCK) && isLocked(disk, folder.resolve(name))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLocked(Disk disk, Path lock) throws IOException {
        try {
            return disk.isLocked(lock);
        } catch (NoSuchFileException e) {
            // Its process has closed the store since.
            return false;
        }
    }

    public void run() throws IOException {
        SortedSet<String> stems = new TreeSet<>();
        for (String name : disk.list(folder)) {
            if (name.endsWith(LOCK) || name.endsWith(".bell")) {
                stems.add(name.substring(0, name.lastIndexOf('.')));
            }
        }
        for (String stem : stems) {
            check(stem);
        }
    }

    private void check(String stem) throws IOException {
        Path lock = folder.resolve(stem + LOCK);
        Path heartbeat = folder.resolve(stem + HEARTBEAT);
        if (disk.exists(lock) && isLocked(disk, lock)) {
            living.add(stem);
            if (!disk.exists(heartbeat) || disk.size(heartbeat) < HostFiles.PAGE_SIZE) {
                findings.note(
                        heartbeat,
                        "",
                        "the heartbeat of a living process is missing or too short; restart that process");
            }
            return;
        }
        Path bell = folder.resolve(stem + ".bell");
        if (!disk.exists(lock) && !disk.exists(bell)) {
            // The last heartbeat of a process is kept for a while after its end.
            return;
        }
        findings.repairable(
                Severity.NOTE,
                disk.exists(lock) ? lock : bell,
                "",
                "left by a dead process",
                "delete it",
                files::deleteDead);
    }

    /** True if the draft of this name belongs to a living process. */
    public boolean isOfLiving(String draft) {
        return living.stream().anyMatch(draft::startsWith);
    }
}
