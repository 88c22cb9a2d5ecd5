/// A family's own sequence as one member sees it: one more each time (`ordered`).
struct SequenceCheck {
    private var last: Int64
    /// Numbers that were passed over.
    private(set) var missing: Int64 = 0
    /// Numbers that came again or went back.
    private(set) var repeated = 0

    /// - Parameter head: the number of the `live` frame; the next change is one more.
    init(head: Int64) { last = head }

    mutating func receive(_ sequence: Int64) {
        if sequence > last {
            missing += sequence - last - 1
            last = sequence
        } else {
            repeated += 1
        }
    }
}
