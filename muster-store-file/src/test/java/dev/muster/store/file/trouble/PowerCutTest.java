package dev.muster.store.file.trouble;

/** Runs a few seeds in every build. */
class PowerCutTest extends PowerCuts {
    PowerCutTest() {
        super(Integer.getInteger("muster.seeds", 25));
    }
}
