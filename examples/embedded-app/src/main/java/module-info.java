/** An application that embeds Muster: it names the library and none of the modules behind it. */
module com.example.orders {
    requires dev.muster.embedded;
}
