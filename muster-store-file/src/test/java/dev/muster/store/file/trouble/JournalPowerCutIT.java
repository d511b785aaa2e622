package dev.muster.store.file.trouble;

/** Runs many seeds. */
class JournalPowerCutIT extends JournalPowerCuts {
    JournalPowerCutIT() {
        super(Integer.getInteger("muster.seeds", Boolean.getBoolean("muster.soak") ? 5_000 : 100));
    }
}
