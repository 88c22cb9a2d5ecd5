import Bytes
import Posix
import TestSupport
import Testing

/// The output of `huddled demo --json`: a family with two parents and two athletes.
struct Demo {
    struct Member {
        let id: Identifier
        let name: String
        let role: String
        let token: String
    }

    let family: Identifier
    let members: [Member]

    var parents: [Member] { members.filter { $0.role == "parent" } }
    var athletes: [Member] { members.filter { $0.role == "athlete" } }

    /// Makes the family in a data folder.
    init(in folder: String) throws {
        let answer = try Programs.huddled("demo", "--data", folder, "--json")
        try #require(answer.ending == .exited(0), "\(answer.errors)")
        let json = try answer.json()
        family = try #require(json["family"]?.string.flatMap { Identifier($0) })
        members = try #require(json["members"]).elements.map { member in
            Member(
                id: try #require(member["member"]?.string.flatMap { Identifier($0) }), name: try #require(member["name"]?.string),
                role: try #require(member["role"]?.string), token: try #require(member["token"]?.string))
        }
        try #require(parents.count == 2 && athletes.count == 2)
    }

    /// The family and a server that serves it. The data are in `data` of a fresh folder, which is there as long as the server is.
    static func served() throws -> (folder: TemporaryFolder, demo: Demo, server: RunningServer) {
        let folder = try TemporaryFolder()
        let demo = try Demo(in: folder.path + "/data")
        return (folder, demo, try RunningServer(folder.path + "/data", keeping: folder))
    }
}
