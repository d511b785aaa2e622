/** What people read about a group: offset files, the timeline and the lag. */
package dev.muster.engine.group.view;
