package dev.muster.bench.measure;

import java.util.List;

/** What one comparison has shown. */
public record Outcome(Figures figures, List<Target> targets) {
    public boolean met() {
        return targets.stream().allMatch(Target::met);
    }
}
