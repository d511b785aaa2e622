package dev.muster.cli;

import dev.muster.cli.command.Session;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A member process of the demo: {@code muster consume -g} that writes to nowhere and ends, in order, when its stdin
 * does. The demo holds the other end, so its death is the end of this process too. Started by
 * {@link dev.muster.cli.demo.DemoCommand}.
 */
final class DemoMember {
    private DemoMember() {}

    /** Arguments: those of {@code muster}. */
    public static void main(String[] args) {
        Session session = Session.of(InputStream.nullInputStream(), OutputStream.nullOutputStream(), System.err);
        Thread.ofPlatform().daemon().name("demo-end").start(() -> {
            awaitEnd(System.in);
            session.stop().raise();
        });
        System.exit(Main.run(session, args));
    }

    private static void awaitEnd(InputStream in) {
        try {
            while (in.read() >= 0) {
                // Nothing is said here; only the end counts.
            }
        } catch (IOException e) {
            // As good as an end.
        }
    }
}
