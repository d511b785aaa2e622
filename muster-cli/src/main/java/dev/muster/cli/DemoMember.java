package dev.muster.cli;

import dev.muster.cli.command.Session;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A member process of the demo: a {@code muster consume -g} that discards its output and ends in order when its stdin
 * ends. The demo holds the other end, so this process ends with the demo. Started by
 * {@link dev.muster.cli.demo.DemoCommand}.
 */
final class DemoMember {
    private DemoMember() {}

    /** @param args the arguments of {@code muster} */
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
                // The input has no content; only its end counts.
            }
        } catch (IOException e) {
            // The demo is gone.
        }
    }
}
