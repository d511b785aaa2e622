/**
 * Trouble as a user meets it: full disks, damaged and vanished files, wrong clocks. Each trial runs the real command in
 * processes of its own.
 */
package dev.muster.it.trouble;
