import Bytes
import Client
import Crypto
import JSON
import Posix

/// What the program remembers: `$XDG_CONFIG_HOME/huddle/profile.json`, mode 0600 in a folder of mode 0700.
struct Profile: Equatable {
    var server: String?
    var token: String?
    /// This installation; made at the first use and then kept.
    var client: Identifier
    var family: Identifier?

    /// The profile that is there, or a new one that has only a client id. One that cannot be kept is used all the same.
    static func load() throws(ProgramFailure) -> Profile {
        guard let path else { return Profile(client: newClient()) }
        let octets: [UInt8]
        do throws(Errno) {
            octets = try Files.read(path, limit: 1 << 16)
        } catch {
            guard error == .noEntry else { throw ProgramFailure(.failed, "\(path) cannot be read: \(error.text).") }
            let fresh = Profile(client: newClient())
            _ = try? fresh.save()
            return fresh
        }
        do throws(JSONError) {
            return try decode(octets)
        } catch {
            throw ProgramFailure(.failed, "\(path) is no profile (\(error.description)): mend or remove it.")
        }
    }

    func save() throws(ProgramFailure) { try write(to: Self.path) }

    /// Writes it beside the profile that takes its place, and says where.
    func saveAside() throws(ProgramFailure) -> String? {
        let path = Self.folder.map { $0 + "/profile-before.json" }
        try write(to: path)
        return path
    }

    private func write(to path: String?) throws(ProgramFailure) {
        guard let path, let folder = Self.folder else {
            throw ProgramFailure(.failed, "There is no place for a profile: set HOME or XDG_CONFIG_HOME.")
        }
        do throws(Errno) {
            try Files.makeFolders(folder, mode: 0o700)
            try Files.write(encoded + [UInt8(ascii: "\n")], to: path, mode: 0o600)
        } catch {
            throw ProgramFailure(.failed, "\(path) cannot be written: \(error.text).")
        }
    }

    static var folder: String? {
        if let base = Environment.value("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base + "/huddle" }
        guard let home = Environment.value("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.config/huddle"
    }

    static var path: String? { folder.map { $0 + "/profile.json" } }

    private static func newClient() -> Identifier { Random.identifier(milliseconds: Clock.wallMilliseconds()) }

    private var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        if let server {
            writer.key("server")
            writer.string(server)
        }
        if let token {
            writer.key("token")
            writer.string(token)
        }
        writer.key("client")
        writer.identifier(client)
        if let family {
            writer.key("family")
            writer.identifier(family)
        }
        writer.endObject()
        return writer.octets
    }

    private static func decode(_ octets: [UInt8]) throws(JSONError) -> Profile {
        try JSONReader.read(octets) { (reader: inout JSONReader) throws(JSONError) -> Profile in
            var profile = Profile(client: newClient())
            try reader.readObject { (reader: inout JSONReader, key: JSONKey) throws(JSONError) in
                switch key {
                case "server": profile.server = try reader.readString()
                case "token": profile.token = try reader.readString()
                case "client": profile.client = try reader.readIdentifier()
                case "family": profile.family = try reader.readIdentifier()
                default: try reader.skipValue()
                }
            }
            return profile
        }
    }
}
