package dev.muster.it;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The control of the power-cut tests: a program that appends numbered records to one file with a plain {@code write},
 * makes each durable by {@code fdatasync}, and then prints its number. It shares no code with the store.
 */
final class PlainWriter {
    private static final String FILE = "plain";

    private PlainWriter() {}

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[0]));
        try (FileChannel file =
                FileChannel.open(folder.resolve(FILE), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            sync(folder);
            sync(folder.getParent());
            for (long number = 0; ; number++) {
                byte[] value = NumberedRecords.value(0, number, 100 + (int) (number % 7) * 3000);
                ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + value.length)
                        .putInt(value.length)
                        .put(value)
                        .flip();
                while (record.hasRemaining()) {
                    file.write(record);
                }
                file.force(false);
                System.out.println(number);
            }
        } catch (IOException e) {
            System.err.println("the power went: " + e.getMessage());
        }
    }

    private static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** The number of records from the first one up to the first hole. */
    static long count(Path folder) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(FILE)));
        long number = 0;
        while (bytes.remaining() >= Integer.BYTES) {
            int length = bytes.getInt();
            byte[] wanted = NumberedRecords.value(0, number, 100 + (int) (number % 7) * 3000);
            if (length != wanted.length || bytes.remaining() < length) {
                return number;
            }
            byte[] found = new byte[length];
            bytes.get(found);
            if (!java.util.Arrays.equals(found, wanted)) {
                return number;
            }
            number++;
        }
        return number;
    }
}
