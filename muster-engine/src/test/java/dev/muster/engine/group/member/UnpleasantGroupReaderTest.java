package dev.muster.engine.group.member;

import dev.muster.engine.group.SimulatedWorld;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** The same tests on a store with stale reads, short lines and no views. */
class UnpleasantGroupReaderTest extends GroupReaderTest {
    @Override
    SimulatedWorld newWorld() {
        return SimulatedWorld.unpleasant(1);
    }

    @Disabled("other processes learn of it with their next renewal, later than the test allows")
    @Override
    @Test
    void aPartitionReassignedBeforeItsReleaseIsProcessedFurther() {}
}
