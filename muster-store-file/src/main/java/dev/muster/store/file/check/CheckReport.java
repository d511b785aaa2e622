package dev.muster.store.file.check;

import dev.muster.store.file.finding.Finding;
import java.util.List;

/** The result of a check. */
public record CheckReport(
        List<Finding> findings, int topics, int partitions, int groups, long batches, long records, long bytes) {
    /** True if there is no damage, or all damage was repaired. Notes do not count. */
    public boolean clean() {
        return findings.stream().noneMatch(finding -> finding.severity() == Finding.Severity.DAMAGE);
    }
}
