package dev.muster.store.file.finding;

import dev.muster.store.file.finding.Finding.Severity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The findings of one check, in the order in which they were found. If repairs are made, each repairable finding is
 * repaired at once.
 */
public final class Findings {
    /** The repair of one file. */
    public interface Repair {
        void run() throws IOException;
    }

    private final boolean repairing;
    private final boolean inUse;
    private final List<Finding> all = new ArrayList<>();

    /**
     * @param repairing true if repairs are made, and not only reported
     * @param inUse true if a process has the directory open for writing
     */
    public Findings(boolean repairing, boolean inUse) {
        this.repairing = repairing;
        this.inUse = inUse;
    }

    public boolean repairing() {
        return repairing;
    }

    /** True if a process has the directory open for writing. */
    public boolean inUse() {
        return inUse;
    }

    public List<Finding> all() {
        return List.copyOf(all);
    }

    public void add(Finding finding) {
        all.add(finding);
    }

    public void addAll(List<Finding> findings) {
        all.addAll(findings);
    }

    /** @param concerned the topic or group, such as {@code topic orders} or {@code group workers}; may be empty */
    public void damage(Path file, String concerned, String problem) {
        all.add(new Finding(Severity.DAMAGE, file, -1, concerned, -1, problem));
    }

    public void note(Path file, String concerned, String problem) {
        all.add(new Finding(Severity.NOTE, file, -1, concerned, -1, problem));
    }

    /**
     * Adds a finding that a repair can correct.
     *
     * @param how the description of the repair, such as {@code restore it from logs/…}
     */
    public void repairable(Severity severity, Path file, String concerned, String problem, String how, Repair repair) {
        if (!repairing) {
            all.add(new Finding(severity, file, -1, concerned, -1, problem, how));
            return;
        }
        try {
            repair.run();
            all.add(new Finding(Severity.REPAIRED, file, -1, concerned, -1, problem, how));
        } catch (IOException e) {
            String failed = problem + "; the repair failed: " + e.getMessage();
            all.add(new Finding(severity, file, -1, concerned, -1, failed, how));
        }
    }

    /** Adds a finding as {@link #repairable} does. It is repaired only while no process has the directory open. */
    public void repairableAtRest(
            Severity severity, Path file, String concerned, String problem, String how, Repair repair) {
        if (inUse) {
            String later = how + ", once no process has the directory open";
            all.add(new Finding(severity, file, -1, concerned, -1, problem, later));
        } else {
            repairable(severity, file, concerned, problem, how, repair);
        }
    }
}
