/// Every bound that a client can meet, sent in `welcome` and listed in `proto/limits.json`.
package struct Limits: Hashable, Sendable {
    /// Octets of one message from a client: four times the largest sensible record, and small enough to hold per connection.
    package var messageOctets = 262_144
    /// Nesting of JSON in a frame.
    package var jsonDepth = 16
    /// Operations in one mutation: a season of a club's camps fits, a commit stays under 5 ms.
    package var operationsPerMutation = 100
    /// Mutations that one session may have unanswered.
    package var pendingMutations = 128
    /// Octets of mutations that may wait for the writer, of all sessions together; past it they are told to come again.
    package var pendingOctets = 67_108_864
    /// Mutations a second that one session may send for long.
    package var mutationsPerSecond = 200
    /// Mutations that may come at once after a pause (a client that was offline).
    package var mutationBurst = 1_000
    /// Octets that may wait for one slow reader before it is disconnected to resume later (close 4001).
    package var outboxOctets = 1_048_576
    /// Milliseconds that the oldest waiting octet may be old before the same happens.
    package var outboxAge = 30_000
    /// Milliseconds from the connection to a finished sign-in.
    package var signInTime = 10_000
    /// Milliseconds without a frame after which the server sends a ping, and then waits for the pong.
    package var pingInterval = 25_000
    package var pongTime = 10_000
    /// Records of one family, tombstones included.
    package var recordsPerFamily = 100_000
    /// Messages that a snapshot carries, the newest; older ones are paged (`list`).
    package var snapshotMessages = 500
    /// Records that one `list` answers at most.
    package var pageRecords = 200
    /// Connections of one server.
    package var connections = 19_000
    /// Connections that one member may have open.
    package var connectionsPerMember = 32

    package init() {}
}
