/** Views of a group for people: offset files, the timeline and the lag. */
package dev.muster.engine.group.view;
