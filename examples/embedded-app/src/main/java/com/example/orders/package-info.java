/** A program that sends orders and reads them as a member of a group. */
package com.example.orders;
