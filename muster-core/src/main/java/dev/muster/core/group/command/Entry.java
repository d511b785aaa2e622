package dev.muster.core.group.command;

import dev.muster.core.group.model.HostId;
import java.util.List;

/**
 * One version of a group in its journal.
 *
 * @param at wall time in milliseconds since 1970, for people; no decision reads it
 * @param by process that wrote the entry
 */
public record Entry(long at, HostId by, List<Event> events) {
    public Entry {
        events = List.copyOf(events);
    }
}
