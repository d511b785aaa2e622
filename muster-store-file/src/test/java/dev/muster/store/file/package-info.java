/**
 * The file store on a real disk, in one JVM. Faults are the business of the test kit, processes of the integration
 * tests.
 */
package dev.muster.store.file;
