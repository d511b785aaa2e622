package dev.muster.engine.admin;

/** The answer to a change of a group by an administrator. A refusal changed nothing. */
public sealed interface AdminAnswer {
    /** The change was made, or was not necessary. */
    record Done() implements AdminAnswer {}

    /** A change that was refused. */
    sealed interface Refusal extends AdminAnswer {
        /** The reason, in words. */
        String text();
    }

    /** There is no such group. */
    record NoSuchGroup(String text) implements Refusal {}

    /** The group has members, which stand in the way of the change. */
    record GroupInUse(String text) implements Refusal {}
}
