/**
 * The library: a queue in your own process, shared with other processes through a directory.
 *
 * <p>Start at {@link dev.muster.embedded.Muster}. The one rule: this is a composition root, the only place besides the
 * command line that chooses a store; everything it does to records is done by the engine.
 */
package dev.muster.embedded;
