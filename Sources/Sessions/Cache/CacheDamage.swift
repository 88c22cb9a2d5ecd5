/// An error: the file contains data that this program does not write.
struct CacheDamage: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
