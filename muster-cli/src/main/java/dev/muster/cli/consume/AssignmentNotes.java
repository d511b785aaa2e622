package dev.muster.cli.consume;

import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.Partitions;
import dev.muster.core.TopicPartition;
import dev.muster.core.json.JsonWriter;
import java.util.Set;

/** Tells on stderr which partitions a member gets and loses: a sentence for people, an object for programs. */
final class AssignmentNotes {
    private final RootCommand root;
    private final String name;
    private final boolean json;

    /** @param name who the sentences are about */
    AssignmentNotes(RootCommand root, String name) {
        this.root = root;
        this.name = name;
        this.json = root.outputGiven();
    }

    void assigned(long generation, Set<TopicPartition> partitions) {
        tell("assigned", "got", generation, partitions, "");
    }

    void revoked(long generation, Set<TopicPartition> partitions) {
        tell("revoked", "let go of", generation, partitions, "");
    }

    void lost(long generation, Set<TopicPartition> partitions) {
        tell("lost", "lost", generation, partitions, ": it was taken out of the group, and joins again");
    }

    private void tell(String event, String verb, long generation, Set<TopicPartition> partitions, String more) {
        if (!json) {
            root.note(
                    name + " " + verb + " " + Partitions.show(partitions) + " (generation " + generation + ")" + more);
            return;
        }
        root.note(new JsonWriter()
                .object()
                .field("event", event)
                .field("generation", generation)
                .field("partitions", Partitions.objects(partitions))
                .field("at", root.session().clock().millis())
                .end()
                .toString());
    }
}
