/**
 * Administration of groups for every door: list and describe groups, set and delete offsets, remove members, delete and
 * repair groups.
 *
 * <p>{@link dev.muster.engine.admin.GroupAdministration} blocks and throws; it is for the library and the command line.
 * {@link dev.muster.engine.admin.ServedGroups} returns futures of neutral answers; a network door maps these to its
 * error codes.
 */
package dev.muster.engine.admin;
