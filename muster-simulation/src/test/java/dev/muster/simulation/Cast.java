package dev.muster.simulation;

import java.util.SplittableRandom;

/** Who plays in the life of a group. */
enum Cast {
    /** Embedded members alone. */
    EMBEDDED,
    /** With clients of the new protocol. */
    MODERN,
    /** Clients of the classic protocol alone, so that the group lives by the classic rules. */
    CLASSIC,
    /** Everybody, all the time. */
    MIXED,
    /** Classic clients, to whom others come, and from whom they go: the group changes its rules again and again. */
    TURNING;

    private static final Cast[] OF_THE_WIRE = {MODERN, CLASSIC, MIXED, TURNING};

    static Cast of(long seed) {
        return seed % 2 == 0 ? OF_THE_WIRE[Math.floorMod(seed / 2, OF_THE_WIRE.length)] : EMBEDDED;
    }

    boolean isOfTheWire() {
        return this != EMBEDDED;
    }

    /** How many members a process has that is about to start. */
    int members(SplittableRandom chance) {
        return switch (this) {
            case EMBEDDED, MODERN, MIXED -> 1 + (chance.nextInt(3) == 0 ? 1 : 0);
            case CLASSIC -> 0;
            case TURNING -> chance.nextInt(2);
        };
    }

    /** Whether a wire client that is about to start speaks the classic protocol. */
    boolean isClassic(int slot, SplittableRandom chance) {
        return switch (this) {
            case EMBEDDED, MODERN -> false;
            case CLASSIC -> true;
            case MIXED -> chance.nextBoolean();
            case TURNING -> slot == 0 || chance.nextInt(3) > 0;
        };
    }
}
