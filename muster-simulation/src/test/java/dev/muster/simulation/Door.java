package dev.muster.simulation;

import dev.muster.core.MemberId;
import dev.muster.core.TopicPartition;
import dev.muster.core.group.classic.ClassicReply;
import dev.muster.core.group.model.CommittedOffset;
import dev.muster.engine.group.remote.RemoteAnswer;
import dev.muster.engine.group.session.ClassicRequest;
import dev.muster.engine.group.session.RemoteHeartbeat;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;

/** The calls of a server into the engine for requests of wire clients. */
interface Door {
    CompletableFuture<RemoteAnswer> beat(RemoteHeartbeat beat);

    CompletableFuture<RemoteAnswer> commit(
            MemberId member, long epoch, SortedMap<TopicPartition, CommittedOffset> offsets);

    CompletableFuture<ClassicReply.JoinAnswer> join(ClassicRequest.Join join);

    CompletableFuture<ClassicReply.SyncAnswer> sync(ClassicRequest.Sync sync);

    CompletableFuture<ClassicReply.Acknowledgement> pulse(ClassicRequest.Identity who, long connection);

    CompletableFuture<ClassicReply.Acknowledgement> commit(
            ClassicRequest.Identity who, SortedMap<TopicPartition, CommittedOffset> offsets);

    /** A client closed a connection. */
    void theyHungUp(long connection);

    /** The server closed a connection. */
    default void weHungUp(long connection) {}
}
