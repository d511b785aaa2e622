/** Groups of the engine on the file store, without a schedule of their own. */
package dev.muster.simulation.file;
