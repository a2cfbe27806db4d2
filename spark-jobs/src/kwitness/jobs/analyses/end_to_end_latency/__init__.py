"""EndToEndLatency: how long records took from their timestamp to the application that read them."""
