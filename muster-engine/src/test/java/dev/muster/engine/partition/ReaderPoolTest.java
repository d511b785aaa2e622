package dev.muster.engine.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.engine.runtime.EngineRuntime;
import dev.muster.store.PartitionLog;
import dev.muster.store.read.LogReader;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReaderPoolTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ReaderPool pool = new ReaderPool(1 << 20, EngineRuntime.system());
    private final Set<Object> closed = new HashSet<>();
    private final PartitionLog log = stub(PartitionLog.class);

    /** A stub of a log whose readers are all at offset 5, or of such a reader. */
    private <T> T stub(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    case "toString" -> type.getSimpleName();
                    case "reader" -> stub(LogReader.class);
                    case "position" -> 5L;
                    case "memoryBytes" -> 100L;
                    case "close" -> {
                        closed.add(proxy);
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                }));
    }

    @Test
    void aReaderIsKeptAtThePositionOfItsClient() {
        LogReader reader = pool.take(log, 0);
        long now = System.nanoTime();
        pool.giveBack(log, reader);
        pool.closeForgotten(now);
        assertThat(pool.take(log, 5)).isSameAs(reader);
        assertThat(closed).isEmpty();
    }

    @Test
    void anIdleReaderIsClosed() {
        LogReader reader = pool.take(log, 0);
        pool.giveBack(log, reader);
        pool.closeForgotten(System.nanoTime() + SECOND);
        assertThat(closed).containsExactly(reader);
        assertThat(pool.take(log, 5)).isNotSameAs(reader);
    }

    @Test
    void ofTwoReadersAtOnePositionTheLaterIsKept() {
        LogReader first = pool.take(log, 0);
        LogReader second = pool.take(log, 0);
        pool.giveBack(log, first);
        pool.giveBack(log, second);
        assertThat(closed).containsExactly(first);
        assertThat(pool.take(log, 5)).isSameAs(second);
    }
}
