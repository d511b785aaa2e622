/** The file store when disks fail or are full, the power goes, writers stop, and files are damaged or missing. */
package dev.muster.store.file.trouble;
