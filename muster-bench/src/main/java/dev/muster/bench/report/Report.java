package dev.muster.bench.report;

import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.MachineInfo;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Target;

/** Receives results as they come. */
public interface Report {
    void begin(MachineInfo machine, Options options);

    void figures(Figures figures);

    void target(Target target);

    /** A case failed: its targets are neither met nor missed. */
    void failure(String caseName, Exception reason);

    void end();
}
