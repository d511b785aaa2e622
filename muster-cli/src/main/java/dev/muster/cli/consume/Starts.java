package dev.muster.cli.consume;

import dev.muster.cli.text.Place;
import dev.muster.embedded.Start;

/** Where a reader begins, for what the user wrote. */
final class Starts {
    private Starts() {}

    static Start of(Place place) {
        return switch (place) {
            case Place.Start() -> Start.earliest();
            case Place.End() -> Start.latest();
            case Place.At(long offset) -> Start.offset(offset);
            // No record before the end is the end itself; an offset of 0 would be the start.
            case Place.BeforeEnd(long records) -> records == 0 ? Start.latest() : Start.offset(-records);
            case Place.AtTime(var time) -> Start.time(time);
        };
    }
}
