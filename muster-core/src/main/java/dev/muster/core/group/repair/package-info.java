/** Repair of a group whose journal is damaged: the lost entries, and the state that can be rebuilt. */
package dev.muster.core.group.repair;
