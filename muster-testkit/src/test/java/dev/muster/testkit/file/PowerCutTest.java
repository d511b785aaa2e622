package dev.muster.testkit.file;

/** A few seeds, for every build. */
class PowerCutTest extends PowerCuts {
    PowerCutTest() {
        super(Integer.getInteger("muster.seeds", 25));
    }
}
