import Glibc

extension [UInt8] {
    /// Whether these octets contain others, wherever they begin. libc searches: unoptimized Swift would need minutes for
    /// the files and frames that tests look through.
    package func holds(_ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        return withUnsafeBytes { all in
            part.withUnsafeBytes { part in
                var place = 0
                while all.count - place >= part.count, let start = all.baseAddress, let wanted = part.baseAddress {
                    guard let found = memchr(start + place, Int32(first), all.count - place - part.count + 1) else { return false }
                    if memcmp(found, wanted, part.count) == 0 { return true }
                    place = UnsafeRawPointer(found) - start + 1
                }
                return false
            }
        }
    }
}
