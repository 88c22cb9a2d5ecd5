package import Bytes
internal import Crypto
internal import Posix
internal import Terminal

/// The location of a member's cache: `$XDG_STATE_HOME/huddle` (otherwise `~/.local/state/huddle`), a folder for each
/// server, in it a folder for each member with `cache.sqlite` (and `beside`, see `Cache`), and `seats`: files that name
/// the member of each sign-in.
///
/// A seat's name is a digest of the token, so that no file contains the token. Folders have mode 0700, files 0600.
///
/// Source: XDG Base Directory Specification 0.8.
package struct CachePlace: Hashable, Sendable {
    /// The folder of the server.
    package let folder: String
    private let seat: String

    /// - Parameters:
    ///   - root: `CachePlace.root`.
    ///   - family: the family's name as the user wrote it; `nil` if there is only one family.
    package init(root: String, _ address: ServerAddress, token: String, family: String?) {
        let name = String(address.description.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") ? $0 : "_" })
        folder = root + "/" + name
        seat = Hex.encode(Array(Digest.sha256(Array("huddle seat\n\(token)\n\(family ?? "")".utf8)).prefix(16)))
    }

    /// The root folder; `nil` if the environment names no home.
    package static var root: String? {
        if let base = Environment.value("XDG_STATE_HOME"), base.hasPrefix("/") { return base + "/huddle" }
        guard let home = Environment.value("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.local/state/huddle"
    }

    private var seatPath: String { "\(folder)/seats/\(seat)" }

    /// The member who signs in with that token, as recorded by an earlier sign-in.
    package var member: Identifier? {
        guard let octets = try? Files.read(seatPath, limit: 64) else { return nil }
        return Identifier(String(decoding: octets, as: UTF8.self).trimmed)
    }

    /// The folder of a member's cache.
    package func folder(of member: Identifier) -> String { "\(folder)/\(member)" }

    /// The folder of a process that started while another had the member's cache.
    func folder(beside number: Int, of member: Identifier) -> String { "\(folder(of: member))/beside/\(number)" }

    func remember(_ member: Identifier) throws(Errno) {
        guard self.member != member else { return }
        try Files.makeFolders(folder + "/seats", mode: 0o700)
        try Files.write(Array("\(member)\n".utf8), to: seatPath, mode: 0o600)
    }

    func forget() { try? Files.remove(seatPath) }
}
