package dev.muster.store.file.trouble;

/** Runs many seeds. */
class PowerCutIT extends PowerCuts {
    PowerCutIT() {
        super(Integer.getInteger("muster.seeds", Boolean.getBoolean("muster.soak") ? 5_000 : 75));
    }
}
