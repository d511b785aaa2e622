package dev.muster.it.trouble;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that takes every free block of a small file system, as another program would, and frees them again. */
final class Ballast {
    private static final int BLOCK = 4096;

    private final Path file;

    Ballast(Path fileSystem) {
        this.file = fileSystem.resolve("ballast");
    }

    /** Takes all blocks that are free at this moment. Another process may free blocks later. */
    void fill() throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)) {
            for (int size = 256 * BLOCK; size >= BLOCK; size = size / 16) {
                writeUntilFull(channel, size);
            }
        }
    }

    private static void writeUntilFull(FileChannel channel, int size) throws IOException {
        try {
            while (true) {
                if (channel.write(ByteBuffer.allocate(size)) < size) {
                    return;
                }
            }
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).contains("No space left")) {
                throw e;
            }
        }
    }

    /** The file system that it fills. */
    Path folder() {
        return file.getParent();
    }

    void remove() throws IOException {
        Files.deleteIfExists(file);
    }
}
