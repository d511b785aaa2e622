package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.core.CompressionKind;
import dev.muster.core.SyncLevel;
import dev.muster.store.ReadOnlyException;
import dev.muster.store.StoreClosedException;
import dev.muster.store.StoreNotFoundException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
class DirectoryTest {
    private static final MusterOptions ANYWHERE = MusterOptions.DEFAULT.withAllowAnyFileSystem(true);

    @TempDir
    private Path folder;

    private Muster open() {
        return Muster.open(folder.resolve("data"), ANYWHERE);
    }

    private static List<String> readAll(Muster muster) {
        List<String> values = new ArrayList<>();
        try (Reader<byte[], String> reader = muster.reader("orders", Codec.BYTES, Codec.STRING)) {
            while (!reader.atEnd()) {
                reader.poll(Duration.ofSeconds(10)).forEach(r -> values.add(r.value()));
            }
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource
    void acknowledgedRecordsAreReadAfterTheDirectoryIsOpenedAgain(SyncLevel sync) {
        List<String> values =
                IntStream.range(0, 2_000).mapToObj(i -> "value " + i).toList();
        try (Muster muster = open()) {
            muster.topics().ensure("orders", t -> t.sync(sync).set("segment.bytes", "16384"));
            Producer<byte[], String> producer = muster.producer("orders", Codec.BYTES, Codec.STRING);
            values.forEach(producer::send);
        }
        try (Muster muster = open()) {
            assertThat(readAll(muster)).isEqualTo(values);
        }
    }

    @ParameterizedTest
    @EnumSource
    void compressedRecordsAreReadUnchanged(CompressionKind compression) {
        try (Muster muster = open()) {
            muster.topics().create("orders", 1);
            try (Producer<byte[], String> producer = muster.producer("orders")
                    .values(Codec.STRING)
                    .compression(compression)
                    .open()) {
                IntStream.range(0, 200).forEach(i -> producer.send("value " + i));
            }
            assertThat(readAll(muster)).hasSize(200).endsWith("value 199");
        }
    }

    @Test
    void aDirectoryOpenedTwiceStaysOpenUntilBothAreClosed() {
        Muster first = open();
        Muster second = open();
        first.topics().create("orders", 1);
        first.close();
        assertThatThrownBy(() -> first.topics().list()).isInstanceOf(StoreClosedException.class);
        second.producer("orders", Codec.BYTES, Codec.STRING).send("still open").join();
        assertThat(readAll(second)).containsExactly("still open");
        second.close();
        second.close();
    }

    @Test
    void aReadOnlyInstanceReadsAndRefusesToSend() {
        try (Muster writer = open();
                Muster viewer = Muster.open(folder.resolve("data"), ANYWHERE.withReadOnly(true))) {
            writer.topics().create("orders", 1);
            writer.producer("orders", Codec.BYTES, Codec.STRING).send("seen").join();
            assertThat(viewer.readOnly()).isTrue();
            assertThat(writer.readOnly()).isFalse();
            assertThat(readAll(viewer)).containsExactly("seen");
            assertThatThrownBy(() -> viewer.producer("orders").open()).isInstanceOf(ReadOnlyException.class);
        }
    }

    @Test
    void aMissingDirectoryIsRefusedWithoutCreateMissing() {
        assertThatThrownBy(() -> Muster.open(folder.resolve("none"), ANYWHERE.withCreateMissing(false)))
                .isInstanceOf(StoreNotFoundException.class);
    }
}
