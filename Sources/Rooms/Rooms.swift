// The live side of a family: sessions, presence, resume, broadcast. Pure.
