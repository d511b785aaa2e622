/**
 * The parts that cases and their turns share: options and parameters, the records that are written, the check that they
 * were read, and the figures that come of it.
 */
package dev.muster.bench.measure;
