/** The parts that cases and turns share: options and parameters, the written records and their check, and figures. */
package dev.muster.bench.measure;
