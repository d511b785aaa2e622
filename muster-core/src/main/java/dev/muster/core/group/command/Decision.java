package dev.muster.core.group.command;

import java.util.List;

/**
 * The result of a command: the events that follow from it, and the reply. Events are in the past tense; they take
 * effect when they are in the journal.
 */
public record Decision(List<Event> events, Reply reply) {
    public Decision {
        events = List.copyOf(events);
    }
}
