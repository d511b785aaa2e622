package dev.muster.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Reads keys of a terminal as they are pressed, without Enter and without echo. Restores the terminal when closed. */
final class RawKeys implements AutoCloseable {
    private final String before;
    private final Queue<Character> pressed = new ConcurrentLinkedQueue<>();

    private RawKeys(String before) {
        this.before = before;
    }

    static RawKeys of(InputStream in) throws IOException, InterruptedException {
        RawKeys keys = new RawKeys(stty("-g").strip());
        stty("-icanon -echo min 1");
        Thread.ofPlatform().daemon().name("demo-keys").start(() -> keys.read(in));
        return keys;
    }

    private void read(InputStream in) {
        try {
            for (int key = in.read(); key >= 0; key = in.read()) {
                pressed.add((char) key);
            }
            pressed.add('q');
        } catch (IOException e) {
            pressed.add('q');
        }
    }

    /** The next key, or null. */
    Character next() {
        return pressed.poll();
    }

    private static String stty(String arguments) throws IOException, InterruptedException {
        Process stty = new ProcessBuilder("sh", "-c", "stty " + arguments + " < /dev/tty")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        if (stty.waitFor() != 0) {
            throw new IOException("stty " + arguments + " failed");
        }
        return out;
    }

    @Override
    public void close() {
        try {
            stty(before);
        } catch (IOException e) {
            // The terminal is gone, so there is nothing to restore.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
