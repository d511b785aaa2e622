package dev.muster.testkit;

import dev.muster.store.LogStore;
import dev.muster.store.memory.MemoryStore;
import dev.muster.testkit.unpleasant.Trouble;
import dev.muster.testkit.unpleasant.UnpleasantStore;
import dev.muster.testkit.unpleasant.Writers;

/** Runs the tests of groups on a store that does only what the contract promises. */
class UnpleasantGroupStoreTest implements GroupStoreContract {
    private static final long SEED = Long.getLong("muster.seed", 1);

    private final Writers writers = new Writers();
    private MemoryStore memory;

    @Override
    public LogStore open() {
        memory = new MemoryStore();
        return new UnpleasantStore(memory, Trouble.withoutFailures(SEED), writers, "p1");
    }

    @Override
    public LogStore openBeside(LogStore first) {
        return new UnpleasantStore(memory.anotherHost(), Trouble.withoutFailures(SEED + 1), writers, "p2");
    }

    @Override
    public boolean durable() {
        return false;
    }
}
