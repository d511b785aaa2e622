/** A group whose journal is damaged: what is lost, and the state that can be rebuilt. */
package dev.muster.core.group.repair;
