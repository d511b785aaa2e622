/**
 * Topics in the directory: their folders, their names, the copies of their settings, and their deletion.
 *
 * <p>Start at {@link dev.muster.store.file.topic.TopicNames}, which finds topics. The one rule: a topic is deleted if
 * its deletion is recorded, and not because its files are missing.
 */
package dev.muster.store.file.topic;
