package dev.muster.testkit;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;

/** A store that keeps the contract and no more passes the tests of log stores. */
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
