package dev.muster.cli.bench;

import dev.muster.cli.command.Folders;
import dev.muster.cli.command.Opener;
import dev.muster.cli.command.RootCommand;
import dev.muster.core.SyncLevel;
import dev.muster.embedded.Muster;
import dev.muster.embedded.MusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** A topic for one measurement, in the named directory or in a temporary one. Deleted when closed. */
final class BenchTopic implements AutoCloseable {
    private final Opener.Opened opened;
    private final String name;
    /** The temporary directory; null if the user named one, of which only the topic is ours. */
    private final Path temporary;

    /** The largest batch that {@code --batch} can ask for. */
    private static final String BATCH_BYTES_MAX = Integer.toString(16 << 20);

    private BenchTopic(Opener.Opened opened, String name, Path temporary) {
        this.opened = opened;
        this.name = name;
        this.temporary = temporary;
    }

    /**
     * @param named true if the user named a directory; the default directory may hold data of users, so it is not used
     */
    static BenchTopic make(RootCommand root, boolean named, SyncLevel sync) throws IOException {
        String name = "muster-bench-" + UUID.randomUUID();
        BenchTopic topic = named ? inNamed(root, name) : inTemporary(root, name);
        topic.muster()
                .topics()
                .ensure(name, spec -> spec.partitions(1).sync(sync).set("max.message.bytes", BATCH_BYTES_MAX));
        return topic;
    }

    private static BenchTopic inNamed(RootCommand root, String name) {
        return new BenchTopic(root.open(RootCommand.Access.CREATE), name, null);
    }

    /** A topic in a temporary directory. Its file system need not be reliable. */
    private static BenchTopic inTemporary(RootCommand root, String name) throws IOException {
        Path directory = Files.createTempDirectory("muster-bench-");
        MusterOptions options = MusterOptions.DEFAULT.withAllowAnyFileSystem(true);
        return new BenchTopic(root.session().opener().open(directory, options), name, directory);
    }

    Muster muster() {
        return opened.muster();
    }

    String name() {
        return name;
    }

    @Override
    public void close() throws IOException {
        try (opened) {
            muster().topics().delete(name);
        }
        if (temporary != null) {
            Folders.delete(temporary);
        }
    }
}
