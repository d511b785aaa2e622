package dev.muster.store.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.core.group.model.HostId;
import dev.muster.store.LogStore;
import dev.muster.store.group.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of running processes in {@code .coordinator}, deleted as by a cleaner of temporary files. */
class VanishedHostFilesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    @Test
    @SuppressWarnings("try") // The store is closed before the end of its block, so that other processes notice it.
    void deletedFilesOfARunningProcessAreCreatedAgain() throws Exception {
        try (FileStore store = open();
                FileStore beside = open()) {
            HostId host = store.groups().hosts().self();
            Hosts others = beside.groups().hosts();
            assertThat(others.renewals(host)).isPresent();
            AtomicInteger told = new AtomicInteger();
            try (AutoCloseable _ = others.watch(host, _ -> told.incrementAndGet())) {
                List<Path> files = filesOf(host);
                assertThat(files).hasSizeGreaterThanOrEqualTo(3);
                deleteHosts();
                assertThat(others.gone(host)).isFalse();
                try (FileStore fresh = open()) {
                    Hosts stranger = fresh.groups().hosts();
                    assertThat(stranger.gone(host)).isFalse();
                    await(() -> Files.exists(lockOf(host)));
                    await(() -> stranger.renewals(host).isPresent());
                    long beats = stranger.renewals(host).orElseThrow();
                    await(() -> stranger.renewals(host).orElseThrow() > beats);
                }
                long before = others.renewals(host).orElseThrow();
                await(() -> others.renewals(host).orElseThrow() > before);
                assertThat(told).hasValue(0);
                store.close();
                await(() -> told.get() == 1);
                assertThat(others.gone(host)).isTrue();
            }
        }
    }

    @Test
    void deletedRoleFileDoesNotFreeTheRole() throws IOException {
        try (FileStore store = open();
                FileStore beside = open()) {
            LogStore.Claim claim = store.claim("kafka-server").orElseThrow();
            Files.delete(directory.resolve("data/.coordinator/kafka-server.role"));
            assertThat(beside.claim("kafka-server")).isEmpty();
            claim.close();
            beside.claim("kafka-server").orElseThrow().close();
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private Path lockOf(HostId host) {
        return directory.resolve("data/.coordinator/hosts/" + host + ".lock");
    }

    private List<Path> filesOf(HostId host) throws IOException {
        try (var files = Files.list(directory.resolve("data/.coordinator/hosts"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(host.value()))
                    .toList();
        }
    }

    private void deleteHosts() throws IOException {
        try (var files = Files.list(directory.resolve("data/.coordinator/hosts"))) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    private FileStore open() {
        return FileStore.open(directory.resolve("data"), FileStoreOptions.defaults());
    }
}
