package dev.muster.store.file.trouble;

/** Runs a few seeds in every build. */
class JournalPowerCutTest extends JournalPowerCuts {
    JournalPowerCutTest() {
        super(Integer.getInteger("muster.seeds", 25));
    }
}
