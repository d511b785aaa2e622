package dev.muster.simulation;

import java.util.SplittableRandom;

/** The kinds of members in a run. */
enum Cast {
    /** Embedded members alone. */
    EMBEDDED,
    /** Embedded members and clients of the new protocol. */
    MODERN,
    /** Clients of the classic protocol alone, so that the group is classic. */
    CLASSIC,
    /** Members of all kinds, all the time. */
    MIXED,
    /** Classic clients, with other members that join and leave: the group changes its rules repeatedly. */
    TURNING;

    private static final Cast[] OF_THE_WIRE = {MODERN, CLASSIC, MIXED, TURNING};

    static Cast of(long seed) {
        return seed % 2 == 0 ? OF_THE_WIRE[Math.floorMod(seed / 2, OF_THE_WIRE.length)] : EMBEDDED;
    }

    boolean isOfTheWire() {
        return this != EMBEDDED;
    }

    /** The number of members of a process that is about to start. */
    int members(SplittableRandom chance) {
        return switch (this) {
            case EMBEDDED, MODERN, MIXED -> 1 + (chance.nextInt(3) == 0 ? 1 : 0);
            case CLASSIC -> 0;
            case TURNING -> chance.nextInt(2);
        };
    }

    /** True if a wire client that is about to start uses the classic protocol. */
    boolean isClassic(int slot, SplittableRandom chance) {
        return switch (this) {
            case EMBEDDED, MODERN -> false;
            case CLASSIC -> true;
            case MIXED -> chance.nextBoolean();
            case TURNING -> slot == 0 || chance.nextInt(3) > 0;
        };
    }
}
