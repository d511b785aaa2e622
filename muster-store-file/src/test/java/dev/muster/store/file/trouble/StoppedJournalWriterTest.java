package dev.muster.store.file.trouble;

/** Stops the writer at some places in every build. */
class StoppedJournalWriterTest extends StoppedJournalWriters {
    StoppedJournalWriterTest() {
        super(4);
    }
}
