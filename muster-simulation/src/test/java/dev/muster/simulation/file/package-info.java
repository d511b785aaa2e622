/** Groups of the engine on the file store, without the simulated schedule. */
package dev.muster.simulation.file;
