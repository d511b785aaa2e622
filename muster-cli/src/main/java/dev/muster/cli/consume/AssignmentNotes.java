package dev.muster.cli.consume;

import dev.muster.cli.command.RootCommand;
import dev.muster.cli.text.Partitions;
import dev.muster.core.TopicPartition;
import dev.muster.core.json.JsonWriter;
import java.util.Set;

/** Reports on stderr which partitions a member gets and loses, as a sentence or as an object. */
final class AssignmentNotes {
    private final RootCommand root;
    private final String name;
    private final boolean json;

    /** @param name the member's name in the sentences */
    AssignmentNotes(RootCommand root, String name) {
        this.root = root;
        this.name = name;
        this.json = root.outputGiven();
    }

    void assigned(long generation, Set<TopicPartition> partitions) {
        tell("assigned", "got", generation, partitions, "");
    }

    void revoked(long generation, Set<TopicPartition> partitions) {
        tell("revoked", "released", generation, partitions, "");
    }

    void lost(long generation, Set<TopicPartition> partitions) {
        tell("lost", "lost", generation, partitions, ": it was removed from the group, and joins again");
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
