import Arguments
import Bytes
import Commands
import Crypto
import JSON
import Posix
import Sessions
import Terminal

/// The place of a profile: `profile.json` in `$XDG_CONFIG_HOME/huddle`; with a name `profiles/NAME.json`.
struct ProfilePlace: Equatable {
    private static let longestName = 32
    /// The name of the profile without a name.
    private static let unnamed = "default"

    /// `nil` for the profile that is used if none is named.
    let name: String?
    /// Whether an option names it, so that it outranks the environment.
    let isChosen: Bool

    /// The profile that the command line names, otherwise that of the environment.
    init(_ invocation: Invocation) throws(UsageError) {
        let text = invocation.profile ?? Environment.value("HUDDLE_PROFILE").flatMap { $0.isEmpty ? nil : $0 }
        if let text, !Self.isName(text) {
            throw UsageError(
                "'\(text.printable)' cannot name a profile. Use at most \(Self.longestName) lower-case letters (a to z), digits and dashes, and begin with a letter or digit.")
        }
        name = text == Self.unnamed ? nil : text
        isChosen = invocation.profile != nil
    }

    /// Only these characters are allowed, so that a name is never a path.
    private static func isName(_ text: String) -> Bool {
        let octets = text.utf8
        func isPlain(_ octet: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }
        guard let first = octets.first, isPlain(first), octets.count <= longestName else { return false }
        return octets.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "-") }
    }

    /// The names of the existing profiles, sorted.
    static var names: [String] {
        guard let folder = Profile.folder, let files = try? Files.list(folder + "/profiles") else { return [] }
        return files.compactMap { $0.hasSuffix(".json") ? String($0.dropLast(5)) : nil }.filter(isName)
    }

    private var stem: String? { Profile.folder.map { folder in name.map { "\(folder)/profiles/\($0)" } ?? folder + "/profile" } }

    var path: String? { stem.map { $0 + ".json" } }

    /// The place of a sign-in that another one replaces. No profile can have this name.
    var pathBefore: String? { stem.map { name == nil ? $0 + "-before.json" : $0 + ".before.json" } }

    /// The option that names this profile on a command line, with a blank before it.
    var option: String { name.map { " --profile \($0)" } ?? "" }

    /// The sentence that nobody is signed in.
    var emptiness: String {
        guard let name else { return "Nobody is signed in here yet." }
        let names = Self.names.filter { $0 != name }
        return "Nobody is signed in with the profile \(name) yet." + (names.isEmpty ? "" : " There are: \(names.joined(separator: ", ")).")
    }
}

/// A sign-in that the program keeps: a file of mode 0600 in a folder of mode 0700.
struct Profile: Equatable {
    let place: ProfilePlace
    var server: String?
    var token: String?
    /// The id of this installation; made at the first use and then kept.
    var client: Identifier
    var family: Identifier?
    /// The origin of the token, in the words of the program that kept it.
    var origin: String?
    /// The secret by which an account knows this device, signed in or not.
    var device: String?
    /// The secret of a redemption whose token is not stored yet (`Redemption.makeNonce`).
    var nonce: String?

    /// The existing profile, or a new one that has only a client id. A profile that cannot be kept is used all the
    /// same. A new profile with a name is kept only after a sign-in, so that a mistyped name leaves nothing behind.
    static func load(_ invocation: Invocation) throws -> Profile {
        let place = try ProfilePlace(invocation)
        guard let path = place.path else { return Profile(place: place, client: newClient()) }
        let octets: [UInt8]
        do throws(Errno) {
            octets = try Files.read(path, limit: 1 << 16)
        } catch {
            guard error == .noEntry else { throw ProgramFailure(.failed, "\(path) cannot be read: \(error.text).") }
            let fresh = Profile(place: place, client: newClient())
            if place.name == nil { _ = try? fresh.save() }
            return fresh
        }
        do throws(JSONError) {
            return try decode(octets, place)
        } catch {
            throw ProgramFailure(.failed, "\(path) isn't a profile (\(error.description)). Fix or delete it.")
        }
    }

    /// The secret for a redemption. It is on disk when this returns, so that the next start can repeat the redemption if this one ends before
    /// the token is stored. To delete it, save the profile with the token and without a nonce.
    mutating func keepNonce() throws(ProgramFailure) -> String {
        if let nonce { return nonce }
        let fresh = Redemption.makeNonce()
        nonce = fresh
        try save()
        return fresh
    }

    func save() throws(ProgramFailure) { try write(to: place.path) }

    /// Writes this profile beside the one that replaces it, and returns its path.
    func saveAside() throws(ProgramFailure) -> String? {
        try write(to: place.pathBefore)
        return place.pathBefore
    }

    private func write(to path: String?) throws(ProgramFailure) {
        guard let path, let end = path.lastIndex(of: "/") else {
            throw ProgramFailure(.failed, "There is no place for a profile: set HOME or XDG_CONFIG_HOME.")
        }
        do throws(Errno) {
            try Files.makeFolders(String(path[..<end]), mode: 0o700)
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
        if let origin {
            writer.key("origin")
            writer.string(origin)
        }
        if let device {
            writer.key("device")
            writer.string(device)
        }
        if let nonce {
            writer.key("nonce")
            writer.string(nonce)
        }
        writer.endObject()
        return writer.octets
    }

    private static func decode(_ octets: [UInt8], _ place: ProfilePlace) throws(JSONError) -> Profile {
        try JSONReader.read(octets) { (reader: inout JSONReader) throws(JSONError) -> Profile in
            var profile = Profile(place: place, client: newClient())
            try reader.readObject { (reader: inout JSONReader, key: JSONKey) throws(JSONError) in
                switch key {
                case "server": profile.server = try reader.readString()
                case "token": profile.token = try reader.readString()
                case "client": profile.client = try reader.readIdentifier()
                case "family": profile.family = try reader.readIdentifier()
                case "origin": profile.origin = try reader.readString()
                case "device": profile.device = try reader.readString()
                case "nonce": profile.nonce = try reader.readString()
                default: try reader.skipValue()
                }
            }
            return profile
        }
    }
}
