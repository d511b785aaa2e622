package dev.muster.it;

import java.io.IOException;
import java.nio.file.Path;

/** Prints the stacks of another JVM's threads, to show why it does not end. */
public final class JavaThreads {
    private JavaThreads() {}

    /** Prints the stacks of all threads of this process to stderr. */
    public static void print(long pid) throws InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        try {
            Process printing = new ProcessBuilder(jcmd, Long.toString(pid), "Thread.print", "-l")
                    .redirectErrorStream(true)
                    .start();
            // The program ends by itself if the other process does not answer.
            printing.getInputStream().transferTo(System.err);
            printing.waitFor();
        } catch (IOException e) {
            System.err.println("cannot see the threads of " + pid + ": " + e.getMessage());
        }
    }
}
