// The composition of reactor, rooms and store into `huddled`.
