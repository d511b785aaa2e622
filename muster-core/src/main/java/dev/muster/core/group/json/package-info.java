/** The journal lines of a group, entries and snapshots, as JSON. */
package dev.muster.core.group.json;
