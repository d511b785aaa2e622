package dev.muster.store.file.check;

import dev.muster.store.file.finding.Finding;
import java.util.List;

/** What a check saw. */
public record CheckReport(
        List<Finding> findings, int topics, int partitions, int groups, long batches, long records, long bytes) {
    /** Whether there is no damage, or none that was not repaired. Notes do not count. */
    public boolean clean() {
        return findings.stream().noneMatch(finding -> finding.severity() == Finding.Severity.DAMAGE);
    }
}
