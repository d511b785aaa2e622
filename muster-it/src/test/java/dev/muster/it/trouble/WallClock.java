package dev.muster.it.trouble;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A wall clock for processes, which jumps while they run. A small preloaded C library shifts the wall time of the
 * process by the seconds in a file. The monotonic clock and all waits stay the kernel's; with faketime a JVM would spin
 * instead of waiting. The times of files stay the kernel's, too.
 */
final class WallClock {
    private static final String SOURCE = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static long shift(void) {
            char text[32];
            const char *path = getenv("WALL_CLOCK_SHIFT");
            int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
            if (file < 0) {
                return 0;
            }
            ssize_t length = read(file, text, sizeof text - 1);
            close(file);
            if (length <= 0) {
                return 0;
            }
            text[length] = 0;
            return strtol(text, NULL, 10);
        }

        int clock_gettime(clockid_t clock, struct timespec *now) {
            int result = syscall(SYS_clock_gettime, clock, now);
            if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
                now->tv_sec += shift();
            }
            return result;
        }

        int gettimeofday(struct timeval *restrict now, void *restrict zone) {
            struct timespec exact;
            (void) zone;
            clock_gettime(CLOCK_REALTIME, &exact);
            now->tv_sec = exact.tv_sec;
            now->tv_usec = exact.tv_nsec / 1000;
            return 0;
        }

        time_t time(time_t *now) {
            struct timespec exact;
            clock_gettime(CLOCK_REALTIME, &exact);
            if (now != NULL) {
                *now = exact.tv_sec;
            }
            return exact.tv_sec;
        }
        """;

    private final Path library;
    private final Path shift;

    private WallClock(Path library, Path shift) {
        this.library = library;
        this.shift = shift;
    }

    /** A clock that is right at first; empty if this machine cannot compile C. */
    static Optional<WallClock> in(Path folder) throws IOException, InterruptedException {
        boolean compiler =
                Stream.of(System.getenv("PATH").split(":")).anyMatch(one -> Files.isExecutable(Path.of(one, "gcc")));
        if (!compiler) {
            return Optional.empty();
        }
        Path source = Files.writeString(folder.resolve("wall-clock.c"), SOURCE);
        Path library = folder.resolve("wall-clock.so");
        Path log = folder.resolve("wall-clock.log");
        int exit = new ProcessBuilder(
                        List.of("gcc", "-shared", "-fPIC", "-O1", "-o", library.toString(), source.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
        if (exit != 0) {
            System.out.println("gcc ended with " + exit + ": " + Files.readString(log));
            return Optional.empty();
        }
        WallClock clock = new WallClock(library, folder.resolve("wall-clock.shift"));
        clock.jump(Duration.ZERO);
        return Optional.of(clock);
    }

    /** Another clock, for processes that do not jump together with those that have this one. */
    WallClock another() throws IOException {
        WallClock other = new WallClock(library, shift.resolveSibling("other-clock.shift"));
        other.jump(Duration.ZERO);
        return other;
    }

    /** The command with this clock. */
    MusterCommand of(MusterCommand muster) {
        return muster.with("LD_PRELOAD", library.toString()).with("WALL_CLOCK_SHIFT", shift.toString());
    }

    /** Shifts the wall time of all processes with this clock. */
    void jump(Duration off) throws IOException {
        Path next = Files.writeString(shift.resolveSibling("next.shift"), Long.toString(off.toSeconds()));
        // One rename, so that no process reads half a number.
        Files.move(next, shift, StandardCopyOption.ATOMIC_MOVE);
    }
}
