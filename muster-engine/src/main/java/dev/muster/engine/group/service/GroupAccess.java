package dev.muster.engine.group.service;

import dev.muster.core.InvalidNameException;
import dev.muster.core.group.model.GroupName;
import dev.muster.engine.group.replica.GroupReplica;
import dev.muster.engine.group.replica.VersionedGroup;
import dev.muster.engine.runtime.GroupRuntime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Finds groups and answers for requests of remote clients. Safe for many threads. */
public final class GroupAccess {
    private final GroupService service;
    private final GroupRuntime runtime;

    public GroupAccess(GroupService service) {
        this.service = service;
        this.runtime = service.runtime();
    }

    /** The name as a group name; empty if it is not valid. */
    public static Optional<GroupName> name(String group) {
        try {
            return Optional.of(new GroupName(group));
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }

    public static String notAName(String group) {
        return "\"" + group + "\" is not a valid group name; use 1 to 249 bytes without control characters";
    }

    /** Finds a group. The first access reads files, which may block. */
    public Optional<GroupReplica> find(GroupName name) {
        return service.isKnown(name) ? service.find(name) : runtime.blocking(() -> service.find(name));
    }

    public Optional<GroupReplica> find(String group) {
        return name(group).flatMap(this::find);
    }

    public GroupReplica open(GroupName name) {
        return service.isKnown(name) ? service.open(name) : runtime.blocking(() -> service.open(name));
    }

    /** Returns the answer when the state that it was derived from is durable. */
    public <T> CompletableFuture<T> whenDurable(GroupReplica replica, VersionedGroup state, T answer) {
        if (replica.isDurable(state)) {
            return CompletableFuture.completedFuture(answer);
        }
        CompletableFuture<T> later = new CompletableFuture<>();
        runtime.inBackground(() -> {
            try {
                replica.awaitDurable(state);
                later.complete(answer);
            } catch (RuntimeException | Error e) {
                later.completeExceptionally(e);
            }
        });
        return later;
    }
}
