package dev.muster.store.file.trouble;

/** A few seeds, for every build. */
class JournalPowerCutTest extends JournalPowerCuts {
    JournalPowerCutTest() {
        super(Integer.getInteger("muster.seeds", 25));
    }
}
