package dev.muster.testkit;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For tests that do to the store what it rightly warns of, thousands of times: keeps what it says out of the output.
 * Also lets threads of a simulated process that lost its power or was killed end without a word, as real ones do.
 */
public final class ExpectedTrouble implements BeforeAllCallback, AfterAllCallback {
    private static final Logger STORE = Logger.getLogger("dev.muster.store");

    @Override
    public void beforeAll(ExtensionContext context) {
        STORE.setLevel(Level.OFF);
        // For good: such a thread may notice only after the test that it is dead.
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
