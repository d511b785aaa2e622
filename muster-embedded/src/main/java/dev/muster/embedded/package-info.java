/**
 * The API of the library: a queue in your own process, shared with other processes through a directory.
 *
 * <p>Start at {@link dev.muster.embedded.Muster}. This module and the command line are the only places that choose a
 * store. The engine does all work on records.
 */
package dev.muster.embedded;
