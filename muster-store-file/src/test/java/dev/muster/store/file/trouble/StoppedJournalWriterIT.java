package dev.muster.store.file.trouble;

/** Every place. */
class StoppedJournalWriterIT extends StoppedJournalWriters {
    StoppedJournalWriterIT() {
        super(1);
    }
}
