package dev.muster.testkit;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;

/** Runs the tests of log stores on a store that does only what the contract promises. */
class UnpleasantLogStoreTest implements LogStoreContract {
    @Override
    public LogStore open() {
        return new UnpleasantStore(new MemoryStore(), Trouble.withoutFailures(1), new Writers(), "p1");
    }

    @Override
    public boolean durable() {
        return false;
    }
}
