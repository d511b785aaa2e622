/**
 * Trials of trouble: full disks, damaged and missing files, wrong clocks. Each trial runs the real command in separate
 * processes.
 */
package dev.muster.it.trouble;
