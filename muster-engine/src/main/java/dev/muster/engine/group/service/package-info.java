/** The background work for the groups of this process: timers, liveness of processes, topics and views. */
package dev.muster.engine.group.service;
