package dev.muster.testkit.file;

/** Many seeds. */
class JournalPowerCutIT extends JournalPowerCuts {
    JournalPowerCutIT() {
        super(Integer.getInteger("muster.seeds", Boolean.getBoolean("muster.soak") ? 5_000 : 200));
    }
}
