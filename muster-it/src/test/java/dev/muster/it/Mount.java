package dev.muster.it;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** A file system of the test's own: a small tmpfs, or ext4 in a file whose power can be cut. Needs root. */
public final class Mount implements AutoCloseable {
    // ioctl(fd, FS_IOC_SHUTDOWN, NOLOGFLUSH): as in a power cut, without flushing the journal.
    private static final long FS_IOC_SHUTDOWN = 0x8004587dL;
    private static final int NO_LOG_FLUSH = 2;

    /** The present mounts. They are unmounted too if this JVM is terminated during a test. */
    private static final Set<Path> MOUNTED = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> MOUNTED.forEach(Mount::unmount)));
    }

    private final Path image;
    private final Path folder;

    private Mount(Path image, Path folder) {
        this.image = image;
        this.folder = folder;
    }

    public static Mount tmpfs(Path parent, int mebibytes) throws Exception {
        Path folder = Files.createDirectories(parent.resolve("small"));
        boolean possible =
                tryRun("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "muster-it", folder.toString());
        Assumptions.assumeTrue(possible, "mounting a tmpfs needs root");
        Mount mount = new Mount(null, folder);
        MOUNTED.add(folder);
        return mount;
    }

    public static Mount ext4(Path parent, int mebibytes) throws Exception {
        Path image = parent.resolve("image");
        Path folder = Files.createDirectories(parent.resolve("disk"));
        run("truncate", "-s", mebibytes + "M", image.toString());
        Assumptions.assumeTrue(tryRun("mkfs.ext4", "-q", "-F", image.toString()), "mkfs.ext4 is needed");
        Mount mount = new Mount(image, folder);
        Assumptions.assumeTrue(
                tryRun("mount", "-o", "loop", image.toString(), folder.toString()), "root and loop devices are needed");
        MOUNTED.add(folder);
        return mount;
    }

    public Path folder() {
        return folder;
    }

    /** Cuts the power: unsynced data is lost, and later writes fail. */
    public void cutPower() throws IOException {
        Linker linker = Linker.nativeLinker();
        MethodHandle open = linker.downcallHandle(
                linker.defaultLookup().find("open").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                Linker.Option.firstVariadicArg(2));
        MethodHandle ioctl = linker.downcallHandle(
                linker.defaultLookup().find("ioctl").orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                Linker.Option.firstVariadicArg(2));
        MethodHandle close = linker.downcallHandle(
                linker.defaultLookup().find("close").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        int result;
        try (Arena arena = Arena.ofConfined()) {
            int fd = (int) open.invokeExact(arena.allocateFrom(folder.toString()), 0);
            MemorySegment flag = arena.allocate(4);
            flag.set(ValueLayout.JAVA_INT, 0, NO_LOG_FLUSH);
            result = (int) ioctl.invokeExact(fd, FS_IOC_SHUTDOWN, flag);
            result += (int) close.invokeExact(fd);
        } catch (Throwable t) {
            throw new IOException(t);
        }
        Assumptions.assumeTrue(result == 0, "this kernel cannot shut a file system down");
    }

    /**
     * Mounts a copy of what is on the disk at one moment, as after a power cut at that moment: data that the kernel has
     * not written to the disk is missing. No process may write meanwhile. If the kernel itself writes, the copy is
     * repeated until the disk was unchanged.
     */
    public Mount copyOfDisk(Path parent) throws Exception {
        Path copy = parent.resolve("copy");
        Path at = Files.createDirectories(parent.resolve("copied"));
        // The copy is complete before the comparison begins. If all bytes are equal, it is the disk at that moment.
        boolean same = false;
        for (int tries = 0; tries < 20 && !same; tries++) {
            Files.deleteIfExists(copy);
            run("cp", "--sparse=always", image.toString(), copy.toString());
            same = tryRun("cmp", image.toString(), copy.toString());
        }
        if (!same) {
            throw new IOException("no copy of " + image + " is the same as the image");
        }
        Mount mount = new Mount(copy, at);
        runPatiently("mount", "-o", "loop", copy.toString(), at.toString());
        MOUNTED.add(at);
        return mount;
    }

    public void remount() throws Exception {
        runPatiently("umount", folder.toString());
        MOUNTED.remove(folder);
        runPatiently("mount", "-o", "loop", image.toString(), folder.toString());
        MOUNTED.add(folder);
    }

    /**
     * Runs a command, and repeats it after a failure. Another program may access a new file system, and the kernel
     * releases a loop device some time after the unmount.
     */
    private static void runPatiently(String... command) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (!tryRun(command)) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IOException(String.join(" ", command) + " failed");
            }
            Rounds.letTimePass(200);
        }
    }

    private static void run(String... command) throws Exception {
        if (!tryRun(command)) {
            throw new IOException(String.join(" ", command) + " failed");
        }
    }

    private static boolean tryRun(String... command) throws Exception {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return false;
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean done = process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
        if (!done) {
            System.out.println(String.join(" ", command) + ": " + said.strip());
        }
        return done;
    }

    @Override
    public void close() {
        if (MOUNTED.remove(folder)) {
            unmount(folder);
        }
    }

    private static void unmount(Path folder) {
        try {
            // Lazily: pages that were mapped by this JVM are unmapped when it collects them.
            run("umount", "-l", folder.toString());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
