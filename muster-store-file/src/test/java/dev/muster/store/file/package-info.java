/**
 * The file store in one JVM, on a real disk; the contracts also on a simulated one. Processes are in the integration
 * tests.
 */
package dev.muster.store.file;
