package dev.muster.bench.measure;

import java.util.List;

/** The result of one comparison. */
public record Outcome(Figures figures, List<Target> targets) {
    public boolean met() {
        return targets.stream().allMatch(Target::met);
    }
}
