package dev.muster.engine.group.remote;

import dev.muster.engine.group.SimulatedWorld;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** The same tests on a store with stale reads, short lines and no views. */
class UnpleasantClassicProtocolTest extends ClassicProtocolTest {
    @Override
    SimulatedWorld newWorld() {
        return SimulatedWorld.unpleasant(1);
    }

    @Disabled("a topic that is created again is known with the next renewal")
    @Override
    @Test
    void offsetsOfARecreatedTopicAreGone() {}
}
