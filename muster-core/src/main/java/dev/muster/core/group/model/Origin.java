package dev.muster.core.group.model;

/**
 * Who is at the far end of a connection, by what stays the same when it comes again under another id.
 *
 * @param client the name that it gives itself; may be empty
 * @param address where it comes from
 */
public record Origin(String client, String address) {}
