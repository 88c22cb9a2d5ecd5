/// The file does not hold what this program writes.
struct CacheDamage: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
