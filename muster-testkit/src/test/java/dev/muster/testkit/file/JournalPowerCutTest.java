package dev.muster.testkit.file;

/** A few seeds, for every build. */
class JournalPowerCutTest extends JournalPowerCuts {
    JournalPowerCutTest() {
        super(Integer.getInteger("muster.seeds", 25));
    }
}
