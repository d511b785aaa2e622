package dev.muster.bench.measure;

/**
 * One promise and how it went.
 *
 * @param measured the median over the repetitions
 * @param spread all repetitions, to see whether the median means something
 */
public record Target(String name, double measured, Samples spread, Relation relation, double bound, String unit) {
    /** On which side of the bound it is good to be. */
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
