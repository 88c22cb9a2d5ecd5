// RFC 8259, strictly: a pull reader over octets and a writer into octets.
