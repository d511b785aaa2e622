/**
 * Members at the far end of a connection: their requests that wait, their last signs of life and their deadlines. One
 * set of sessions per group and protocol.
 */
package dev.muster.engine.group.session;
