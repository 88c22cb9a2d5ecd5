import Glibc

/// A fresh folder that goes away with its value.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/huddle-sqlite-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failed(code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    struct Failed: Error { let code: Int32 }

    func write(_ octets: [UInt8], to file: String) throws {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw Failed(code: errno) }
        defer { close(descriptor) }
        guard Glibc.write(descriptor, octets, octets.count) == octets.count else { throw Failed(code: errno) }
    }

    deinit {
        if let listing = opendir(path) {
            while let entry = readdir(listing) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
                unlink(path + "/" + name)
            }
            closedir(listing)
        }
        rmdir(path)
    }
}
