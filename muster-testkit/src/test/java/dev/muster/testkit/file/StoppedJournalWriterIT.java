package dev.muster.testkit.file;

/** Every place. */
class StoppedJournalWriterIT extends StoppedJournalWriters {
    StoppedJournalWriterIT() {
        super(1);
    }
}
