/** Whole groups on simulated machines, and the mistakes that such a simulation must find. */
package dev.muster.simulation;
