/** The room on the disk: its measurement, the refusal of records when there is little, and the reserve. */
package dev.muster.store.file.room;
