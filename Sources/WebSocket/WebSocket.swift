// RFC 6455: frames, messages, handshake and close, as state machines; no I/O.
