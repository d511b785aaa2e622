package dev.muster.bench.report;

import dev.muster.bench.measure.Figures;
import dev.muster.bench.measure.MachineInfo;
import dev.muster.bench.measure.Options;
import dev.muster.bench.measure.Samples;
import dev.muster.bench.measure.Target;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reports a table of medians after each case, and all targets at the end. */
public final class TableReport implements Report {
    private static final int NAME_WIDTH = 34;

    private final PrintStream out;
    private final List<Target> targets = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    public TableReport(PrintStream out) {
        this.out = out;
    }

    @Override
    public void begin(MachineInfo machine, Options options) {
        out.println("Muster beside its peers: medians of " + options.repetitions()
                + (options.repetitions() == 1 ? " turn" : " turns") + " each, seed " + options.seed()
                + (options.quick() ? ", quick (small amounts: expect noise)" : ""));
        out.println(machine);
    }

    @Override
    public void figures(Figures figures) {
        List<String> names = figures.names();
        out.println();
        out.print(pad(figures.title(), NAME_WIDTH));
        if (figures.title().length() >= NAME_WIDTH) {
            out.print("\n" + pad("", NAME_WIDTH));
        }
        names.forEach(name -> out.print("  " + padLeft(header(name), width(name))));
        out.println();
        for (String contestant : figures.contestants()) {
            out.print(pad("  " + contestant, NAME_WIDTH));
            for (String name : names) {
                String cell = figures.has(contestant, name)
                        ? number(figures.of(contestant, name).median())
                        : "";
                out.print("  " + padLeft(cell, width(name)));
            }
            out.println();
        }
        out.flush();
    }

    @Override
    public void target(Target target) {
        targets.add(target);
    }

    @Override
    public void failure(String caseName, Exception reason) {
        failures.add(caseName + ": " + reason.getMessage());
        out.println("\n" + caseName + " FAILED: " + reason.getMessage());
        out.flush();
    }

    @Override
    public void end() {
        int width = targets.stream().mapToInt(it -> it.name().length()).max().orElse(0);
        out.println();
        out.println(pad("target", width) + "    measured      wanted          range");
        for (Target target : targets) {
            out.println(pad(target.name(), width)
                    + "  " + padLeft(number(target.measured()) + " " + target.unit(), 10)
                    + "  " + padLeft(target.relation().sign() + " " + number(target.bound()) + " " + target.unit(), 10)
                    + "  " + padLeft(range(target.spread()), 15)
                    + "  " + (target.met() ? "met" : "MISSED"));
        }
        failures.forEach(failure -> out.println("FAILED  " + failure));
        out.flush();
    }

    private static String range(Samples samples) {
        return number(samples.min()) + "…" + number(samples.max());
    }

    /** The title of a figure: the names are those of the JSON lines. */
    private static String header(String name) {
        return name.replace("_mb_", "_MB_")
                .replace("_mib", " MiB")
                .replace("_kafka", " Kafka")
                .replace("disk_bytes_per_record", "disk B")
                .replace("_per_", "/")
                .replace("_us", " µs")
                .replace('_', ' ');
    }

    private static int width(String name) {
        return Math.max(10, header(name).length());
    }

    private static String number(double value) {
        return String.format(
                Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static String padLeft(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }
}
