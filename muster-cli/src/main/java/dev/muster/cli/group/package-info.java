/**
 * {@code muster group}: shows, explains and administers groups.
 *
 * <p>Start at {@link dev.muster.cli.group.GroupCommand}. A missing offset, lag or time is a dash in text and null in
 * JSON, never 0.
 */
package dev.muster.cli.group;
