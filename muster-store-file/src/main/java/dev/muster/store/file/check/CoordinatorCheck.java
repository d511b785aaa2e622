package dev.muster.store.file.check;

import dev.muster.core.MusterException;
import dev.muster.disk.Disk;
import dev.muster.disk.DiskFile;
import dev.muster.store.StoreNotFoundException;
import dev.muster.store.file.finding.Finding.Severity;
import dev.muster.store.file.finding.Findings;
import dev.muster.store.file.host.HostsCheck;
import dev.muster.store.file.host.ProcessIdentity;
import dev.muster.store.file.layout.Layout;
import dev.muster.store.file.layout.StoreFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;

/** Checks {@code muster.json} and the files in {@code .coordinator} and {@code .trash}. */
public final class CoordinatorCheck {
    private static final int PAGE_SIZE = 4096;
    private static final int IDS_PER_BYTE = 64;
    /** The largest size up to which a repair claims ids: this directory has not given a larger id. */
    private static final long CLAIMS_MAX = 16 << 20;

    private final Disk disk;
    private final Layout layout;
    private final ProcessIdentity self;
    private final Clock clock;
    private final Findings findings;

    public CoordinatorCheck(Disk disk, Layout layout, ProcessIdentity self, Clock clock, Findings findings) {
        this.disk = disk;
        this.layout = layout;
        this.self = self;
        this.clock = clock;
        this.findings = findings;
    }

    /** @throws StoreNotFoundException if the directory holds no store */
    public void run() throws IOException {
        checkMusterJson();
        checkPage(layout.wakePage(self.bootId()));
        checkPage(layout.housekeepingPage(self.bootId()));
        HostsCheck hosts = new HostsCheck(disk, layout, self, clock, findings);
        hosts.run();
        for (String name : disk.list(layout.drafts()).stream().sorted().toList()) {
            checkDraft(layout.drafts().resolve(name), name, hosts);
        }
        for (String name : disk.list(layout.trash()).stream().sorted().toList()) {
            Path left = layout.trash().resolve(name);
            findings.repairableAtRest(
                    Severity.NOTE, left, "", "deleted, but not yet gone", "delete it", () -> disk.deleteTree(left));
        }
    }

    private void checkMusterJson() throws IOException {
        Path file = layout.musterJson();
        Path copy = layout.musterJsonCopy();
        boolean there = disk.exists(file);
        if (!there
                && !disk.exists(copy)
                && disk.list(layout.topics()).isEmpty()
                && disk.list(layout.logs()).isEmpty()) {
            throw new StoreNotFoundException(layout.root().toString());
        }
        String problem = there ? problem(file) : "the file is missing";
        String problemOfCopy = disk.exists(copy) ? problem(copy) : "there is no copy of muster.json";
        if (problem == null && problemOfCopy == null) {
            boolean same = StoreFormat.read(disk, file).equals(StoreFormat.read(disk, copy));
            problemOfCopy = same ? null : "the copy differs from muster.json";
        }
        if (problem != null && problemOfCopy == null) {
            findings.repairable(
                    Severity.DAMAGE,
                    file,
                    "",
                    problem,
                    "restore it from " + layout.root().relativize(copy),
                    () -> StoreFormat.read(disk, copy).writeTo(disk, layout, file));
        } else if (problem != null) {
            findings.damage(file, "", problem + "; restore it from a backup");
        } else if (problemOfCopy != null) {
            findings.repairable(
                    Severity.NOTE,
                    copy,
                    "",
                    problemOfCopy,
                    "copy muster.json",
                    () -> StoreFormat.read(disk, file).writeTo(disk, layout, copy));
        }
    }

    private String problem(Path file) throws IOException {
        try {
            StoreFormat.read(disk, file).check(file, true);
            return null;
        } catch (MusterException e) {
            return e.getMessage();
        }
    }

    private void checkPage(Path file) throws IOException {
        if (disk.exists(file) && disk.size(file) < PAGE_SIZE) {
            findings.repairableAtRest(
                    Severity.NOTE,
                    file,
                    "",
                    "the page is too short",
                    "delete it; it is created again",
                    () -> disk.delete(file));
        }
    }

    private void checkDraft(Path draft, String name, HostsCheck hosts) {
        if (name.endsWith(".taken-topic") || name.endsWith(".taken-group")) {
            findings.note(draft, "", "a topic or group that was moved away; the next process that writes restores it");
        } else if (!hosts.isOfLiving(name)) {
            findings.repairableAtRest(
                    Severity.NOTE, draft, "", "left by a dead process", "delete it", () -> disk.deleteTree(draft));
        }
    }

    /**
     * Checks that the file claims all producer ids in the records, because an id must never be given twice.
     *
     * @param highest the highest producer id of any record; -1 if there is none
     */
    public void checkProducerIds(long highest) throws IOException {
        Path file = layout.producerIds();
        long claimed = disk.exists(file) ? disk.size(file) : 0;
        long needed = highest / IDS_PER_BYTE;
        if (highest < 0 || claimed >= needed || needed > CLAIMS_MAX) {
            return;
        }
        findings.repairable(
                Severity.DAMAGE,
                file,
                "",
                "the file claims " + claimed * IDS_PER_BYTE + " producer ids, and records have id " + highest
                        + ": ids would be given twice",
                "claim them",
                () -> claim(file, Math.toIntExact(needed - claimed)));
    }

    private void claim(Path file, int bytes) throws IOException {
        try (DiskFile claims = disk.openForAppend(file)) {
            claims.append(new byte[bytes], 0, bytes);
            claims.sync();
        }
        disk.syncFolder(file.getParent());
    }

    /** True if a process has the directory open for writing. */
    public static boolean inUse(Disk disk, Layout layout) throws IOException {
        return HostsCheck.isAnyRunning(disk, layout.hosts());
    }
}
