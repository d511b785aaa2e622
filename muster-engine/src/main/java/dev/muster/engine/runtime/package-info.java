/** Time, names and threads as the engine uses them. The real ones are the system's; the simulation gives its own. */
package dev.muster.engine.runtime;
