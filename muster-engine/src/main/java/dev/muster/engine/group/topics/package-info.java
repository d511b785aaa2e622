/** The topics that a group subscribes to, as the store lists them. */
package dev.muster.engine.group.topics;
