package import Bytes
package import Family

/// The name of one client of one member.
package struct ClientName: Hashable, Sendable {
    /// The integer that stands for the family.
    package let family: Int64
    package let member: Identifier
    package let client: Identifier

    package init(family: Int64, member: Identifier, client: Identifier) {
        self.family = family
        self.member = member
        self.client = client
    }
}

/// The state of one client of one member.
package struct ClientState: Sendable {
    /// The integer that stands for the client in `receipts`; `nil` until its first receipt is written.
    package var key: Int64?
    /// Ids at or below it may have had receipts that are gone.
    package var floor: Int64
    /// The largest mutation id that has a receipt: a larger one is new without a look-up.
    package var newest: Int64
    /// Its receipts that belong to no change.
    package var kept: UnloggedReceipts

    package init(key: Int64?, floor: Int64, newest: Int64, kept: UnloggedReceipts) {
        self.key = key
        self.floor = floor
        self.newest = newest
        self.kept = kept
    }
}

/// Receipts of one client that belong to no change: refusals, and acks of mutations that changed nothing. They cost
/// their author nothing, so their number and size are bounded. Above the bound the older half is removed and the
/// client's floor rises: an id that had such a receipt is refused as `mutation_expired`, and never performed.
package struct UnloggedReceipts: Hashable, Sendable {
    /// Eight times the number of mutations that a session may have unanswered, so that a client that resends its queue
    /// finds all receipts.
    package static let maxCount = 1_024
    package static let maxOctets = 262_144

    package var count = 0
    package var octets = 0

    package init(count: Int = 0, octets: Int = 0) {
        self.count = count
        self.octets = octets
    }

    /// Counts one more receipt.
    package mutating func add(_ size: Int) {
        count += 1
        octets += size
    }

    /// Whether the older half must be removed.
    package var isTooMuch: Bool { count > Self.maxCount || octets > Self.maxOctets }
}

/// The receipt of a mutation.
package struct RecordedReceipt: Sendable {
    private static let codeHead = Array("{\"code\":\"".utf8)
    private static let codeTail = Array("\"}".utf8)
    /// The space of a receipt besides its frame.
    private static let overhead = 64

    package var hash: [UInt8]
    /// The encoded `ack` or `reject`. The record of a conflict has only the contested fields. A refusal that follows
    /// from the frame alone is stored as `{"code":…}`: the sentence is computed again when the frame comes again.
    package var frame: [UInt8]
    /// Whether the mutation made a change.
    package var isOfChange: Bool

    package init(hash: [UInt8], frame: [UInt8], isOfChange: Bool) {
        self.hash = hash
        self.frame = frame
        self.isOfChange = isOfChange
    }

    /// The stored form of a refusal that follows from the frame alone.
    package static func frame(_ code: ErrorCode) -> [UInt8] { codeHead + Array(code.rawValue.utf8) + codeTail }

    /// The code of `frame(_:)`; `nil` for a complete answer.
    package var code: ErrorCode? {
        guard frame.starts(with: Self.codeHead), frame.count > Self.codeHead.count + Self.codeTail.count else { return nil }
        return ErrorCode(rawValue: String(decoding: frame[Self.codeHead.count..<frame.count - Self.codeTail.count], as: UTF8.self))
    }

    /// The octets that count for `UnloggedReceipts`.
    package var keptOctets: Int { isOfChange ? 0 : frame.count + Self.overhead }
}

extension UnloggedReceipts {
    /// The receipts that stay when the older half is removed.
    ///
    /// - Parameter newestFirst: the mutations with receipts that belong to no change, each with its octets.
    /// - Returns: the receipts that stay, and the largest mutation whose receipt is removed; `nil` if none is.
    package static func shortened(_ newestFirst: [(mutation: Int64, octets: Int)]) -> (left: UnloggedReceipts, gone: ArraySlice<(mutation: Int64, octets: Int)>) {
        var left = UnloggedReceipts()
        for (place, receipt) in newestFirst.enumerated() {
            guard left.count < maxCount / 2, left.octets + receipt.octets <= maxOctets / 2 else { return (left, newestFirst[place...]) }
            left.add(receipt.octets)
        }
        return (left, [])
    }
}

/// The clients of members, and their receipts.
package protocol ReceiptReads: AnyObject {
    /// A client; `nil` if it has no receipt yet.
    func client(_ name: ClientName) throws -> ClientState?

    /// The receipt of a mutation; `nil` if there is none.
    func receipt(family: Int64, client: Int64, mutation: Int64) throws -> RecordedReceipt?

    /// The number of a member's clients that have receipts, counted up to `limit`.
    func activeClients(family: Int64, member: Identifier, limit: Int) throws -> Int

    /// The clients of a family, in the order of members and clients.
    func clients(family: Int64) throws -> [(name: ClientName, state: ClientState)]

    /// Passes the receipts of a client to `body`, in the order of the mutations.
    func forEach(family: Int64, client: Int64, _ body: (_ mutation: Int64, _ at: Int64, RecordedReceipt) throws -> Void) throws
}

/// Writes that no batch makes: imports, and receipts that expire.
package protocol ReceiptWrites: ReceiptReads {
    /// - Parameter floor: mutations at or below it may have had receipts that are gone.
    /// - Returns: the integer that stands for the client.
    func addClient(_ name: ClientName, floor: Int64) throws -> Int64

    func record(family: Int64, client: Int64, mutation: Int64, at: Int64, _ receipt: RecordedReceipt) throws

    /// Deletes the older half of a client's receipts that belong to no change, those with the smallest mutation ids,
    /// and raises its floor over them.
    ///
    /// - Returns: the client afterwards; `nil` if nothing was deleted.
    func forgetOldest(family: Int64, _ client: ClientState) throws -> ClientState?

    /// Deletes receipts from before `limit` (UTC milliseconds) and raises the floors of their clients: of each client
    /// in the order of the mutation ids, up to the first receipt that is younger.
    ///
    /// - Parameters:
    ///   - mark: clients after it are searched, by family and client.
    ///   - count: the largest number of receipts to delete.
    ///   - clients: the largest number of clients to search.
    func purge(before limit: Int64, after mark: ClientMark, count: Int, clients: Int) throws -> PurgedPortion<ClientMark>
}

/// A client with receipts, where a portion of a purge ends.
package struct ClientMark: Hashable, Sendable {
    /// The integers that stand for the family and the client.
    package var family: Int64
    package var client: Int64

    package init(family: Int64, client: Int64) {
        self.family = family
        self.client = client
    }

    /// Before all clients.
    package static let beginning = ClientMark(family: .min, client: .min)
}

/// The result of one portion of a purge.
package struct PurgedPortion<Mark: Sendable>: Sendable {
    /// The number of deleted rows.
    package var count = 0
    /// The next portion begins after it.
    package var next: Mark
    /// Whether there is nothing after `next`.
    package var isLast = false

    package init(count: Int = 0, next: Mark, isLast: Bool = false) {
        self.count = count
        self.next = next
        self.isLast = isLast
    }
}
