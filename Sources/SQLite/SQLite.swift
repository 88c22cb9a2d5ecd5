// A thin, confined wrapper of libsqlite3: connection, cached statements, typed errors.
