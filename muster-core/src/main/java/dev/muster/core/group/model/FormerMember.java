package dev.muster.core.group.model;

import dev.muster.core.MemberId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A membership that ended. The last ones are remembered, so that the refusal of a late command can name the cause.
 *
 * @param cause cause of the end; empty if a newer membership took over its instance id
 * @param generation generation in which the membership ended
 * @param missing set if the member was expelled because its connection was lost, and has sent nothing since; it may be
 *     alive
 */
public record FormerMember(
        MemberId id, Optional<String> instance, Optional<LeaveCause> cause, long generation, Optional<Origin> missing) {
    /**
     * The largest number of remembered memberships; the oldest are forgotten first. A forgotten member is refused as
     * unknown.
     */
    public static final int REMEMBERED_MAX = 200;

    /** A membership whose place another one took. */
    public static FormerMember replaced(MemberId id, Optional<String> instance, long generation) {
        return new FormerMember(id, instance, Optional.empty(), generation, Optional.empty());
    }

    /** @param origin origin of a remote member; empty for others */
    public static FormerMember out(
            MemberId id, Optional<String> instance, LeaveCause cause, long generation, Optional<Origin> origin) {
        return new FormerMember(
                id,
                instance,
                Optional.of(cause),
                generation,
                origin.filter(any -> cause == LeaveCause.CONNECTION_LOST));
    }

    public static List<FormerMember> add(List<FormerMember> all, FormerMember one) {
        List<FormerMember> more = new ArrayList<>(all.size() + 1);
        more.addAll(all.size() < REMEMBERED_MAX ? all : all.subList(1, all.size()));
        more.add(one);
        return List.copyOf(more);
    }

    public static Optional<FormerMember> find(List<FormerMember> all, MemberId id) {
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).id.equals(id)) {
                return Optional.of(all.get(i));
            }
        }
        return Optional.empty();
    }

    /** The same memberships, with one that is not missing any more because it sent a request. */
    public static List<FormerMember> withoutMissing(List<FormerMember> all, FormerMember one) {
        FormerMember now = new FormerMember(one.id, one.instance, one.cause, one.generation, Optional.empty());
        return all.stream().map(each -> each.equals(one) ? now : each).toList();
    }
}
