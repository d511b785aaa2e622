package dev.muster.core.group.classic;

import java.util.List;

/** What follows from a command: what happened, past tense, because it is written down before it is believed. */
public record ClassicDecision(List<ClassicEvent> events, ClassicReply reply) {
    public ClassicDecision {
        events = List.copyOf(events);
    }
}
