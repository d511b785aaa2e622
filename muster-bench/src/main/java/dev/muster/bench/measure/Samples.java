package dev.muster.bench.measure;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** One value for each repetition, in order. */
public record Samples(double... values) {
    public Samples {
        if (values.length == 0) {
            throw new IllegalArgumentException("no repetitions");
        }
    }

    public double median() {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    public double min() {
        return DoubleStream.of(values).min().orElseThrow();
    }

    public double max() {
        return DoubleStream.of(values).max().orElseThrow();
    }

    /** The ratios, repetition by repetition: a slowdown of both in one repetition cancels out. */
    public Samples over(Samples base) {
        if (base.values.length != values.length) {
            throw new IllegalArgumentException(values.length + " repetitions against " + base.values.length);
        }
        return new Samples(IntStream.range(0, values.length)
                .mapToDouble(i -> values[i] / base.values[i])
                .toArray());
    }
}
