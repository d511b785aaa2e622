/** Administration of topics and groups by an application: create, show, change, reset and delete. */
package dev.muster.embedded.admin;
