/** Rebuilds a group whose journal is damaged from snapshots, commits behind the damage and view files. */
package dev.muster.engine.group.repair;
