package dev.muster.bench.report;

import dev.muster.bench.Figures;
import dev.muster.bench.Machine;
import dev.muster.bench.Options;
import dev.muster.bench.Target;

/** Takes results as they come. */
public interface Report {
    void begin(Machine machine, Options options);

    void figures(Figures figures);

    void target(Target target);

    /** A case that could not be finished: its targets are neither met nor missed. */
    void failure(String caseName, Exception reason);

    void end();
}
