package dev.muster.core.group.model;

/**
 * The properties of a remote client that stay the same when it joins again under another id.
 *
 * @param client name that the client gives itself; may be empty
 * @param address address of its connection
 */
public record Origin(String client, String address) {}
