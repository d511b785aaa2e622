package dev.muster.bench.measure;

import java.nio.file.Path;

/**
 * How the cases run.
 *
 * @param repetitions the number of turns of each contestant
 * @param quick true for small amounts: shows that all works and roughly where it stands
 * @param directory the parent of the queues; its file system matters more than anything else here
 * @param seed the source of records and jitter
 * @param logMib the size of the log on which a server is restarted
 */
public record Options(int repetitions, boolean quick, Path directory, long seed, int logMib) {}
