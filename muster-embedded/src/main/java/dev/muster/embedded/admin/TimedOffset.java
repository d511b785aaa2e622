package dev.muster.embedded.admin;

import java.time.Instant;

/** The offset of a record, with the record's timestamp. */
public record TimedOffset(long offset, Instant timestamp) {}
