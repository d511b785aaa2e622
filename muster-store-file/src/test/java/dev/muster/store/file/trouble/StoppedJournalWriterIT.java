package dev.muster.store.file.trouble;

/** Stops the writer at every place. */
class StoppedJournalWriterIT extends StoppedJournalWriters {
    StoppedJournalWriterIT() {
        super(1);
    }
}
