package dev.muster.core.group.classic;

import java.util.List;

/**
 * The result of a command: the events that follow from it, and the reply. Events are in the past tense; they take
 * effect when they are in the journal.
 */
public record ClassicDecision(List<ClassicEvent> events, ClassicReply reply) {
    public ClassicDecision {
        events = List.copyOf(events);
    }
}
