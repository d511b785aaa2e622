/** Time, fresh names and threads of the engine. The system provides the real ones; a simulation provides its own. */
package dev.muster.engine.runtime;
