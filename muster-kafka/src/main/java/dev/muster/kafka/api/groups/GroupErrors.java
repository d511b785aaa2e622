package dev.muster.kafka.api.groups;

import dev.muster.core.group.classic.ClassicReply;
import dev.muster.engine.admin.AdminAnswer;
import dev.muster.engine.group.remote.RemoteAnswer;
import dev.muster.kafka.api.KafkaErrors;
import dev.muster.store.group.DamagedGroupException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Errors;

/** The error codes of refusals about groups. */
final class GroupErrors {
    private GroupErrors() {}

    /** Asks about one of several groups. Damage of that group must not fail the answers about the others. */
    static <T> T unlessDamaged(Supplier<T> ask, BiFunction<Errors, String, T> otherwise) {
        try {
            return ask.get();
        } catch (DamagedGroupException e) {
            return otherwise.apply(KafkaErrors.of(e), e.getMessage());
        }
    }

    /** The same as {@link #unlessDamaged}, for answers that come later. */
    static <T> CompletableFuture<T> laterUnlessDamaged(
            Supplier<CompletableFuture<T>> ask, BiFunction<Errors, String, T> otherwise) {
        CompletableFuture<T> answer =
                unlessDamaged(ask, (error, text) -> CompletableFuture.completedFuture(otherwise.apply(error, text)));
        return answer.exceptionally(e -> {
            Throwable cause = e instanceof CompletionException ? e.getCause() : e;
            Supplier<T> failing = () -> {
                throw unchecked(cause);
            };
            return unlessDamaged(failing, otherwise);
        });
    }

    private static RuntimeException unchecked(Throwable cause) {
        return switch (cause) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> new CompletionException(cause);
        };
    }

    static Errors of(ClassicReply.Acknowledgement answer) {
        return switch (answer) {
            case ClassicReply.Done _ -> Errors.NONE;
            case ClassicReply.Refusal refusal -> of(refusal);
        };
    }

    static Errors of(AdminAnswer answer) {
        return switch (answer) {
            case AdminAnswer.Done _ -> Errors.NONE;
            case AdminAnswer.NoSuchGroup _ -> Errors.GROUP_ID_NOT_FOUND;
            case AdminAnswer.GroupInUse _ -> Errors.NON_EMPTY_GROUP;
        };
    }

    static Errors of(RemoteAnswer.Why why) {
        return switch (why) {
            case UNKNOWN_MEMBER -> Errors.UNKNOWN_MEMBER_ID;
            case FENCED_EPOCH -> Errors.FENCED_MEMBER_EPOCH;
            case STALE_EPOCH -> Errors.STALE_MEMBER_EPOCH;
            case FENCED_INSTANCE -> Errors.FENCED_INSTANCE_ID;
            case INSTANCE_IN_USE -> Errors.UNRELEASED_INSTANCE_ID;
            case CLASSIC_MEMBERS -> Errors.GROUP_ID_NOT_FOUND;
            case UNKNOWN_ASSIGNOR -> Errors.UNSUPPORTED_ASSIGNOR;
            case INVALID_GROUP -> Errors.INVALID_GROUP_ID;
            case INVALID_REQUEST -> Errors.INVALID_REQUEST;
            case INVALID_PATTERN -> Errors.INVALID_REGULAR_EXPRESSION;
            case GROUP_FULL -> Errors.GROUP_MAX_SIZE_REACHED;
            case UNAVAILABLE -> Errors.COORDINATOR_NOT_AVAILABLE;
        };
    }

    static Errors of(ClassicReply.Refusal refusal) {
        return switch (refusal) {
            case ClassicReply.UnknownMember _ -> Errors.UNKNOWN_MEMBER_ID;
            case ClassicReply.FencedInstance _ -> Errors.FENCED_INSTANCE_ID;
            case ClassicReply.IllegalGeneration _ -> Errors.ILLEGAL_GENERATION;
            case ClassicReply.RebalanceInProgress _ -> Errors.REBALANCE_IN_PROGRESS;
            case ClassicReply.InconsistentProtocol _ -> Errors.INCONSISTENT_GROUP_PROTOCOL;
            case ClassicReply.MemberIdRequired _ -> Errors.MEMBER_ID_REQUIRED;
            case ClassicReply.GroupFull _ -> Errors.GROUP_MAX_SIZE_REACHED;
            case ClassicReply.InvalidSession _ -> Errors.INVALID_SESSION_TIMEOUT;
            case ClassicReply.InvalidGroup _ -> Errors.INVALID_GROUP_ID;
            case ClassicReply.Unavailable _ -> Errors.COORDINATOR_NOT_AVAILABLE;
        };
    }
}
