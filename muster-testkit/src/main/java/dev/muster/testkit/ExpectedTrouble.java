package dev.muster.testkit;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Silences the warnings of the store in tests that cause them thousands of times. Also silences the threads of a
 * simulated process after a power cut or a kill: they end by an exception, where real ones would just be gone.
 */
public final class ExpectedTrouble implements BeforeAllCallback, AfterAllCallback {
    private static final Logger STORE = Logger.getLogger("dev.muster.store");

    @Override
    public void beforeAll(ExtensionContext context) {
        STORE.setLevel(Level.OFF);
        // Never reset: such a thread may end only after the test.
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> {
            String message = String.valueOf(e.getMessage());
            if (!message.contains("power is off") && !message.contains("the process was killed")) {
                System.err.println("thread " + thread.getName() + " ended by " + e);
            }
        });
    }

    @Override
    public void afterAll(ExtensionContext context) {
        STORE.setLevel(null);
    }
}
