// RFC 9110/9112 message heads, as grammar; no I/O.
