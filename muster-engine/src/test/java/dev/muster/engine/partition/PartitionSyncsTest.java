package dev.muster.engine.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.store.PartitionLog;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class PartitionSyncsTest {
    /** The exceptions of the next syncs; later syncs succeed. */
    private final Deque<Throwable> troubles = new ArrayDeque<>();

    private final PartitionLog log = (PartitionLog) Proxy.newProxyInstance(
            PartitionLog.class.getClassLoader(),
            new Class<?>[] {PartitionLog.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "hashCode" -> 1;
                case "equals" -> proxy == arguments[0];
                case "awaitDurable" -> sync();
                default -> throw new UnsupportedOperationException(method.getName());
            });

    private Object sync() throws Throwable {
        synchronized (troubles) {
            if (!troubles.isEmpty()) {
                throw troubles.removeFirst();
            }
            return null;
        }
    }

    @Test
    void aFailedSyncFailsItsRequestAndServesTheNext() throws Exception {
        Error trouble = new StackOverflowError();
        troubles.add(trouble);
        PartitionSyncs syncs = new PartitionSyncs();
        CompletableFuture<Void> first = syncs.sync(log, 1);
        assertThatThrownBy(first::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isSameAs(trouble);
        assertThat(syncs.sync(log, 2).get()).isNull();
    }

    @Test
    void withoutAThreadTheCallerSyncs() throws Exception {
        PartitionSyncs syncs = new PartitionSyncs(_ -> {
            throw new RejectedExecutionException("no thread");
        });
        for (int end = 1; end <= 2; end++) {
            CompletableFuture<Void> durable = syncs.sync(log, end);
            assertThat(durable).isDone();
            assertThat(durable.get()).isNull();
        }
    }
}
