package dev.muster.bench.broker;

import dev.muster.bench.measure.Payload;
import java.util.BitSet;

/**
 * Counts the records that are read back: the offsets of each partition are 0, 1, 2, …, and each record of each writer
 * comes once. The client checks the bytes of a record by its batch's checksum; this class checks their number only.
 */
public final class Tally {
    private final int size;
    private final long[] nextByPartition;
    private final BitSet[] seenByWriter;
    private long count;

    public Tally(int size, int partitions, int writers) {
        this.size = size;
        this.nextByPartition = new long[partitions];
        this.seenByWriter = new BitSet[writers];
        for (int writer = 0; writer < writers; writer++) {
            seenByWriter[writer] = new BitSet();
        }
    }

    public void accept(int partition, long offset, byte[] value) {
        if (offset != nextByPartition[partition]) {
            throw new CheckFailedException("partition " + partition + ": offset " + offset + " where "
                    + nextByPartition[partition] + " belongs");
        }
        nextByPartition[partition]++;
        if (value.length != size || Payload.writer(value) < 0 || Payload.writer(value) >= seenByWriter.length) {
            throw new CheckFailedException("partition " + partition + ": a record of no writer at offset " + offset);
        }
        BitSet seen = seenByWriter[Payload.writer(value)];
        int number = Math.toIntExact(Payload.number(value));
        if (seen.get(number)) {
            throw new CheckFailedException("writer " + Payload.writer(value) + ": record " + number + " occurs twice");
        }
        seen.set(number);
        count++;
    }

    /** The number of records that were read. */
    public long count() {
        return count;
    }

    /**
     * Checks that all acknowledged records were read, and no others.
     *
     * @param acknowledged for each writer the number of its acknowledged records
     */
    public void requireAll(long... acknowledged) {
        for (int writer = 0; writer < acknowledged.length; writer++) {
            int missing = seenByWriter[writer].nextClearBit(0);
            if (missing < acknowledged[writer]) {
                throw new CheckFailedException(
                        "writer " + writer + ": record " + missing + " was acknowledged and is not there");
            }
            if (seenByWriter[writer].cardinality() > acknowledged[writer]) {
                throw new CheckFailedException("writer " + writer + ": " + acknowledged[writer]
                        + " records were acknowledged, " + seenByWriter[writer].cardinality() + " are there");
            }
        }
    }
}
