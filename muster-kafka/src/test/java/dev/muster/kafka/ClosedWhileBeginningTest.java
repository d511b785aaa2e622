package dev.muster.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.TopicName;
import dev.muster.core.TopicSettings;
import dev.muster.kafka.api.BrokerIdentity;
import dev.muster.kafka.api.Client;
import dev.muster.kafka.config.HostAndPort;
import dev.muster.kafka.config.ServerConfig;
import dev.muster.kafka.sasl.Authenticator;
import dev.muster.kafka.sasl.SaslConfig;
import dev.muster.store.LogStore;
import dev.muster.store.PartitionLog;
import dev.muster.store.memory.MemoryStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that another thread closes while a request is being begun. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClosedWhileBeginningTest {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final List<Thread> made = new CopyOnWriteArrayList<>();

    @Test
    void noSenderIsStartedAfterTheClose() throws Exception {
        ThreadFactory threads = work -> {
            Thread thread = Thread.ofPlatform().daemon().unstarted(work);
            made.add(thread);
            return thread;
        };
        try (MemoryStore store = new MemoryStore();
                ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel served = listener.accept()) {
            store.create(new TopicName("orders"), 1, TopicSettings.DEFAULT);
            InetSocketAddress address = (InetSocketAddress) served.getLocalAddress();
            HostAndPort advertised = new HostAndPort("127.0.0.1", address.getPort());
            Services services = new Services(
                    slow(store), ServerConfig.DEFAULT, BrokerIdentity.of(1, advertised, store), Clock.systemUTC());
            try {
                Client known = new Client(
                        1,
                        (InetSocketAddress) served.getRemoteAddress(),
                        address,
                        Authenticator.of(SaslConfig.OFF).login());
                Connection connection = new Connection(served, known, services, threads, _ -> {});
                connection.start();
                client.write(ByteBuffer.wrap(WireClient.frame(1, parkedFetch(), 12)));
                begun.await();
                connection.close();
                goOn.countDown();
                for (Thread thread : made) {
                    assertThat(thread.join(Duration.ofMinutes(2))).isTrue();
                }
                assertThat(made).as("only the thread that reads requests").hasSize(1);
            } finally {
                made.forEach(Thread::interrupt);
                services.close();
            }
        }
    }

    private static FetchRequestData parkedFetch() {
        FetchTopic topic = new FetchTopic().setTopic("orders");
        topic.partitions().add(new FetchPartition().setPartition(0).setPartitionMaxBytes(1_000));
        FetchRequestData fetch = new FetchRequestData().setMaxWaitMs(60_000).setMinBytes(1);
        fetch.topics().add(topic);
        return fetch;
    }

    /** The store, except that the first question for the end of a log blocks, interrupted or not. */
    private LogStore slow(LogStore store) {
        return proxy(LogStore.class, store, (method, result) -> {
            return method.getName().equals("log") ? slow((PartitionLog) result) : result;
        });
    }

    private PartitionLog slow(PartitionLog log) {
        return proxy(PartitionLog.class, log, (method, result) -> {
            if (method.getName().equals("endOffset")) {
                begun.countDown();
                awaitUninterrupted(goOn);
            }
            return result;
        });
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Replaces the result of a call. */
    private interface Change {
        Object of(Method method, Object result);
    }

    private static <T> T proxy(Class<T> type, T real, Change change) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    method.setAccessible(true);
                    try {
                        return change.of(method, method.invoke(real, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
