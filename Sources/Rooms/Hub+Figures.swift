/// How much the hub has to do, for monitoring.
extension Hub {
    /// The families that somebody is in.
    package var openRooms: Int { rooms.count }

    /// The people who are signed in.
    package var connectedPeople: Int { connectionsOfPerson.count }

    /// The octets of mutations that the writer has not answered.
    package var pendingMutationOctets: Int { pendingOctets }

    /// The octets of snapshots that are being sent.
    package var sentSnapshotOctets: Int { snapshotOctets }
}
