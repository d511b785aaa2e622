/** Administration of topics and groups from an application: create, change, inspect, reset and delete. */
package dev.muster.embedded.admin;
