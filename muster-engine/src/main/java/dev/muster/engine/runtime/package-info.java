/**
 * The clock, unique names and threads that the engine uses. In production they come from the system, in a simulation
 * from the simulator.
 */
package dev.muster.engine.runtime;
