package dev.muster.core.group.command;

import java.util.List;

/** What follows from a command: what happened, past tense, because it is written down before it is believed. */
public record Decision(List<Event> events, Reply reply) {
    public Decision {
        events = List.copyOf(events);
    }
}
