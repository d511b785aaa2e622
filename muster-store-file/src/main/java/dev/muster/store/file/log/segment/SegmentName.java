package dev.muster.store.file.log.segment;

import java.util.Optional;

/**
 * The name of a segment: the offset of its first record, and a generation. The generation is raised if a name would be
 * used again, because the segment before was closed empty or a recovery gave up a tail. No name is used twice, so a
 * late writer cannot find a new file under an old name.
 *
 * <pre>{@code 00000000000000004711.log      base 4711, generation 0
 * 00000000000000004711.2.log    base 4711, generation 2}</pre>
 */
public record SegmentName(long base, int generation) implements Comparable<SegmentName> {
    private static final int DIGITS = 20;
    private static final String LOG = ".log";
    private static final String INDEX = ".index";

    public String logFile() {
        return stem() + LOG;
    }

    public String indexFile() {
        return stem() + INDEX;
    }

    private String stem() {
        String digits = "%020d".formatted(base);
        return generation == 0 ? digits : digits + "." + generation;
    }

    /** The segment that a log file's name denotes; empty for every other file. */
    public static Optional<SegmentName> parse(String fileName) {
        if (!fileName.endsWith(LOG) || fileName.length() < DIGITS + LOG.length()) {
            return Optional.empty();
        }
        String stem = fileName.substring(0, fileName.length() - LOG.length());
        try {
            long base = Long.parseLong(stem, 0, DIGITS, 10);
            int generation = stem.length() == DIGITS ? 0 : Integer.parseInt(stem.substring(DIGITS + 1));
            SegmentName name = new SegmentName(base, generation);
            return name.stem().equals(stem) ? Optional.of(name) : Optional.empty();
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    /**
     * The name of the segment that follows if this one was sealed with {@code nextOffset} as the offset of the next
     * record.
     */
    public SegmentName successor(long nextOffset) {
        return nextOffset == base ? new SegmentName(base, generation + 1) : new SegmentName(nextOffset, generation);
    }

    @Override
    public int compareTo(SegmentName other) {
        int byBase = Long.compare(base, other.base);
        return byBase != 0 ? byBase : Integer.compare(generation, other.generation);
    }

    @Override
    public String toString() {
        return logFile();
    }
}
