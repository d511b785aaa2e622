/**
 * Administration of groups, for every door alike: listing and describing them, setting and forgetting offsets, removing
 * members, deleting and repairing groups.
 *
 * <p>{@link dev.muster.engine.admin.GroupAdministration} blocks and throws; it is for the library and the command line.
 * {@link dev.muster.engine.admin.ServedGroups} answers with futures and neutral answers; a network door maps them to
 * its error codes.
 */
package dev.muster.engine.admin;
