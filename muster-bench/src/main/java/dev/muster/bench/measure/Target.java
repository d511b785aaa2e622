package dev.muster.bench.measure;

/**
 * A target and its result.
 *
 * @param measured the median over the repetitions
 * @param spread the values of all repetitions, which show how reliable the median is
 */
public record Target(String name, double measured, Samples spread, Relation relation, double bound, String unit) {
    /** The side of the bound on which the target is met. */
    public enum Relation {
        AT_LEAST("≥"),
        AT_MOST("≤");

        private final String sign;

        Relation(String sign) {
            this.sign = sign;
        }

        public String sign() {
            return sign;
        }
    }

    public static Target atLeast(double bound, String name, Samples ratios) {
        return new Target(name, ratios.median(), ratios, Relation.AT_LEAST, bound, "×");
    }

    public static Target atMost(double bound, String unit, String name, Samples values) {
        return new Target(name, values.median(), values, Relation.AT_MOST, bound, unit);
    }

    public boolean met() {
        return switch (relation) {
            case AT_LEAST -> measured >= bound;
            case AT_MOST -> measured <= bound;
        };
    }
}
