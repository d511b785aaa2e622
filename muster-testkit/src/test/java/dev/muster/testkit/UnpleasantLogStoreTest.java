package dev.muster.testkit;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;

/** Runs the tests of log stores on a store that does only what the contract promises. */
class UnpleasantLogStoreTest implements LogStoreContract {
    private static final long SEED = Long.getLong("muster.seed", 1);

    @Override
    public LogStore open() {
        return new UnpleasantStore(new MemoryStore(), Trouble.withoutFailures(SEED), new Writers(), "p1");
    }

    @Override
    public boolean durable() {
        return false;
    }
}
