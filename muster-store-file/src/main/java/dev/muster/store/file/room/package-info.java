/** The room on the disk: how much there is, what is refused when there is little, and what is kept back. */
package dev.muster.store.file.room;
