/// The deliveries of one publisher to one receiver: every number once, in order. Counts each fault.
struct DeliveryCheck {
    /// The next number that is expected.
    private var next: Int64 = 1
    /// Numbers below `next` that have not come.
    private var missing: Set<Int64> = []
    private(set) var received = 0
    private(set) var duplicates = 0
    private(set) var late = 0

    /// Numbers that may be missing at the same time before the check stops being exact: a receiver that lost so much has failed anyway.
    static let maxMissing = 100_000

    mutating func receive(_ number: Int64) {
        if number == next {
            next += 1
            received += 1
        } else if number > next {
            if number - next <= Int64(DeliveryCheck.maxMissing) - Int64(missing.count) { missing.formUnion(next..<number) }
            next = number + 1
            received += 1
        } else if missing.remove(number) != nil {
            late += 1
            received += 1
        } else {
            duplicates += 1
        }
    }

    /// Of the first `sent` numbers, those that never came.
    func lost(of sent: Int64) -> Int {
        max(0, Int(sent) - received)
    }
}
