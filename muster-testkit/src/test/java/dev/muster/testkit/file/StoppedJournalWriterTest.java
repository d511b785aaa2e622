package dev.muster.testkit.file;

/** Some places, for every build. */
class StoppedJournalWriterTest extends StoppedJournalWriters {
    StoppedJournalWriterTest() {
        super(4);
    }
}
