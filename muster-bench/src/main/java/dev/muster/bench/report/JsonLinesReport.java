package dev.muster.bench.report;

import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.MachineInfo;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Samples;
import dev.muster.bench.measure.Target;
import dev.muster.core.json.Json;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reports one JSON object per line; its {@code type} is machine, figure, target or failure. */
public final class JsonLinesReport implements Report {
    private final PrintStream out;

    public JsonLinesReport(PrintStream out) {
        this.out = out;
    }

    @Override
    public void begin(MachineInfo machine, Options options) {
        line(
                "machine",
                "cores",
                machine.cores(),
                "processor",
                machine.processor(),
                "system",
                machine.system(),
                "jdk",
                machine.jdk(),
                "fileSystem",
                machine.fileSystem(),
                "seed",
                options.seed(),
                "repetitions",
                options.repetitions(),
                "quick",
                options.quick());
    }

    @Override
    public void figures(Figures figures) {
        for (String contestant : figures.contestants()) {
            for (String name : figures.names()) {
                if (figures.has(contestant, name)) {
                    Samples samples = figures.of(contestant, name);
                    line(
                            "figure",
                            "of",
                            figures.title(),
                            "contestant",
                            contestant,
                            "name",
                            name,
                            "median",
                            samples.median(),
                            "min",
                            samples.min(),
                            "max",
                            samples.max(),
                            "values",
                            values(samples));
                }
            }
        }
    }

    @Override
    public void target(Target target) {
        line(
                "target",
                "name",
                target.name(),
                "measured",
                target.measured(),
                "relation",
                target.relation().sign(),
                "bound",
                target.bound(),
                "unit",
                target.unit(),
                "met",
                target.met(),
                "values",
                values(target.spread()));
    }

    @Override
    public void failure(String caseName, Exception reason) {
        line("failure", "case", caseName, "reason", reason.toString());
    }

    @Override
    public void end() {
        out.flush();
    }

    private static List<Double> values(Samples samples) {
        return Arrays.stream(samples.values()).boxed().toList();
    }

    private void line(String type, Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("type", type);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        out.println(Json.write(object));
    }
}
