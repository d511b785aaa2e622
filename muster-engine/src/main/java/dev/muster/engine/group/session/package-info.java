/**
 * Remote members: their parked requests, last signs of life and deadlines. One set of sessions per group and protocol.
 */
package dev.muster.engine.group.session;
