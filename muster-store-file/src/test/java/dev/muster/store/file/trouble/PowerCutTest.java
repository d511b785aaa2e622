package dev.muster.store.file.trouble;

/** A few seeds, for every build. */
class PowerCutTest extends PowerCuts {
    PowerCutTest() {
        super(Integer.getInteger("muster.seeds", 25));
    }
}
