package dev.muster.embedded.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.store.LogStore;
import dev.muster.store.StoreClosedException;
import dev.muster.store.memory.MemoryStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedStoresTest {
    @TempDir
    private Path folder;

    private final SharedStores stores = new SharedStores();
    private int opened;

    private Supplier<LogStore> opening(Path directory) {
        return () -> {
            opened++;
            try {
                Files.createDirectories(directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new MemoryStore();
        };
    }

    private SharedStores.Lease open(Path directory, boolean readOnly) {
        return stores.lease(directory, readOnly, opening(directory));
    }

    @Test
    void pathsAndLinksToOneDirectoryShareAStore() throws Exception {
        Path data = folder.resolve("data");
        Path link = Files.createSymbolicLink(folder.resolve("link"), data);
        SharedStores.Lease first = open(data, false);
        SharedStores.Lease second = open(link, false);
        SharedStores.Lease third =
                open(Files.createDirectory(folder.resolve("x")).resolve("../data"), false);
        assertThat(opened).isEqualTo(1);
        assertThat(second.store()).isSameAs(first.store()).isSameAs(third.store());
        assertThat(open(data, true).store()).isNotSameAs(first.store());
        assertThat(open(folder.resolve("other"), false).store()).isNotSameAs(first.store());
    }

    @Test
    void theLastLeaseClosesTheStore() {
        Path data = folder.resolve("data");
        SharedStores.Lease first = open(data, false);
        SharedStores.Lease second = open(data, false);
        first.close();
        first.close();
        assertThat(second.store().list()).isEmpty();
        second.close();
        assertThatThrownBy(() -> second.store().list()).isInstanceOf(StoreClosedException.class);
        assertThat(open(data, false).store().list()).isEmpty();
        assertThat(opened).isEqualTo(2);
    }

    @Test
    void aDirectoryCanBeOpenedAfterAFailure() {
        Path data = folder.resolve("data");
        assertThatThrownBy(() -> stores.lease(data, false, () -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThat(open(data, false).store().list()).isEmpty();
    }
}
