// The other end: the sync engine, and a connection that keeps trying.
