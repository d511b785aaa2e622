package dev.muster.cli.command;

/** A failure at a place in the input. Reported as its cause, with the place in front. */
public final class PlacedException extends RuntimeException {
    private final String place;

    public PlacedException(String place, Throwable cause) {
        super(place + ": " + cause.getMessage(), cause);
        this.place = place;
    }

    public String place() {
        return place;
    }
}
