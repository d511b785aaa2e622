package dev.muster.store.file.trouble;

/** Some places, for every build. */
class StoppedJournalWriterTest extends StoppedJournalWriters {
    StoppedJournalWriterTest() {
        super(4);
    }
}
