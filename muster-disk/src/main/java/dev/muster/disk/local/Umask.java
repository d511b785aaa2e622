package dev.muster.disk.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The umask of this process, and the mode of a file or folder that is created in a folder. A class of users (group,
 * others) that may write in the folder shares the directory on purpose, so it gets all rights of the folder. A class
 * that may only read gets the rights that the umask leaves.
 */
final class Umask {
    private static final System.Logger LOG = System.getLogger(Umask.class.getName());
    private static final int UNKNOWN = -1;
    private static final int VALUE = read();

    private static final int GROUP = 0070;
    private static final int OTHERS = 0007;
    private static final int GROUP_WRITES = 0020;
    private static final int OTHERS_WRITE = 0002;

    private Umask() {}

    private static int read() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("Umask:")) {
                    return Integer.parseInt(line.substring("Umask:".length()).strip(), 8);
                }
            }
        } catch (IOException | NumberFormatException e) {
            LOG.log(System.Logger.Level.DEBUG, "the umask is not known: {0}", e.getMessage());
        }
        return UNKNOWN;
    }

    /**
     * The mode of a file or folder that is created in a folder with this mode. The owner's rights are those on the
     * folder.
     */
    static int inherited(int folder) {
        return VALUE == UNKNOWN ? folder : inherited(folder, VALUE);
    }

    static int inherited(int folder, int umask) {
        int taken = 0;
        if ((folder & GROUP_WRITES) == 0) {
            taken |= umask & GROUP;
        }
        if ((folder & OTHERS_WRITE) == 0) {
            taken |= umask & OTHERS;
        }
        return folder & ~taken;
    }

    /** True if the umask removes a bit of this mode from a new file. */
    static boolean removesFrom(int mode) {
        return VALUE == UNKNOWN || (mode & VALUE) != 0;
    }
}
