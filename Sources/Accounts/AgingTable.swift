/// A bounded table that forgets entries that were not written for the longest time.
///
/// It has two halves: a write goes to the new half, and when that is full, the old half is dropped and the new one takes its place.
/// So an entry is kept while fewer than `half` other entries are written after it, and every access takes constant time.
struct AgingTable<Key: Hashable, Value> {
    private let half: Int
    private var new: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// - Parameter half: half of the largest number of entries.
    init(half: Int) {
        precondition(half > 0, "a table holds entries")
        self.half = half
    }

    /// The number of entries.
    var count: Int { new.count + old.count }

    subscript(key: Key) -> Value? {
        get { new[key] ?? old[key] }
        set {
            old[key] = nil
            guard let newValue else {
                new[key] = nil
                return
            }
            if new[key] == nil, new.count >= half {
                old = new
                new = [:]
            }
            new[key] = newValue
        }
    }

    subscript(key: Key, default initial: @autoclosure () -> Value) -> Value {
        get { self[key] ?? initial() }
        set { self[key] = newValue }
    }
}
