/** The file store if disks fail or are full, the power is cut, writers stop, or files are damaged or missing. */
package dev.muster.store.file.trouble;
