import Glibc

// Names on a disk are octets; a `String` shows those that are not UTF-8 as replacement characters. A path that a person
// sees, types or passes on the command line therefore still leads to the file, if only one file looks like it.

extension Files {
    /// Makes a kernel call on a path. If nothing is there under the path as it is written, replacement characters in it
    /// may stand for octets that are not UTF-8.
    static func onPath(_ path: String, _ call: (UnsafePointer<CChar>) -> Int32) -> Int32 {
        let result = retrying { path.withCString(call) }
        guard result == -1, errno == ENOENT else { return result }
        guard let real = realPath(path) else {
            errno = ENOENT
            return -1
        }
        return retrying { real.withUnsafeBufferPointer { octets in octets.baseAddress.map(call) ?? -1 } }
    }

    /// The same for a call on two paths.
    static func onPaths(_ path: String, _ other: String, _ call: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32) -> Int32 {
        onPath(path) { first in onPath(other) { second in call(first, second) } }
    }

    /// A path as the disk has it, with a zero at its end: each name with replacement characters becomes the only name in
    /// its folder that looks the same. A last name that no file has stays, for a new file.
    ///
    /// - Returns: `nil` if no name has to be replaced, and if several names look the same.
    private static func realPath(_ path: String) -> [CChar]? {
        guard path.unicodeScalars.contains("\u{FFFD}") else { return nil }
        var real: [UInt8] = path.hasPrefix("/") ? [UInt8(ascii: "/")] : []
        var isReplaced = false
        let names = path.split(separator: "/")
        for (place, name) in names.enumerated() {
            var octets = Array(name.utf8)
            if name.unicodeScalars.contains("\u{FFFD}"), !isThere(real + octets) {
                let alike = rawNames(real).filter { String(decoding: $0, as: UTF8.self) == name }
                if let only = alike.first, alike.count == 1 {
                    (octets, isReplaced) = (only, true)
                } else if place < names.count - 1 || !alike.isEmpty {
                    return nil
                }
            }
            real += octets
            if place < names.count - 1 { real.append(UInt8(ascii: "/")) }
        }
        if path.hasSuffix("/") { real.append(UInt8(ascii: "/")) }
        return isReplaced ? terminated(real) : nil
    }

    private static func terminated(_ octets: [UInt8]) -> [CChar] { octets.map { CChar(bitPattern: $0) } + [0] }

    private static func isThere(_ path: [UInt8]) -> Bool { access(terminated(path), F_OK) == 0 }

    /// The names in a folder as octets; none if it cannot be read.
    private static func rawNames(_ folder: [UInt8]) -> [[UInt8]] {
        guard let open = opendir(terminated(folder.isEmpty ? [UInt8(ascii: ".")] : folder)) else { return [] }
        defer { closedir(open) }
        var names: [[UInt8]] = []
        while let entry = readdir(open) {
            names.append(withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
        }
        return names
    }
}
