/** {@code muster backup} and {@code muster restore}. */
package dev.muster.cli.backup;
