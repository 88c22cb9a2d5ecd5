package import Bytes
package import Family
package import JSON

package struct Welcome: Hashable, Sendable {
    /// The protocol's version, 1.
    package var `protocol`: Int
    /// The server's version.
    package var server: String
    /// UTC milliseconds at the server.
    package var time: Int64
    package var memberships: [Membership]
    package var limits: Limits
    /// The features of the server besides those of 0.1.0. A server refuses every frame and key that it does not know, so a client sends those of a
    /// feature only to a server that lists it. Features that this program does not know are left out.
    package var features: [Feature]
    /// The build of the web client that the server offers, 32 hexadecimal digits; `nil` if it offers none.
    package var web: String?

    package init(
        protocol: Int = 1, server: String, time: Int64, memberships: [Membership], limits: Limits, features: [Feature] = Feature.allCases, web: String? = nil
    ) {
        self.protocol = `protocol`
        self.server = server
        self.time = time
        self.memberships = memberships
        self.limits = limits
        self.features = features
        self.web = web
    }
}

/// One family that the signed-in person belongs to.
package struct Membership: Hashable, Sendable {
    package var family: Identifier
    package var name: String
    package var member: Identifier
    package var role: Role

    package init(family: Identifier, name: String, member: Identifier, role: Role) {
        self.family = family
        self.name = name
        self.member = member
        self.role = role
    }
}

extension ServerFrame {
    struct WelcomeParts: ServerFrameParts {
        static let declaration = FrameDeclaration("welcome", "Answers sign_in.", [
            .init("protocol", commonSchema("positive"), "The version of this protocol, 1."),
            .init("server", ["type": "string"], "The version of the server."),
            .init("time", commonSchema("instant"), "The server's clock."),
            .init("memberships", listSchema("membership"), "The families that this person belongs to."),
            .init("limits", ["$ref": "../common.json#/$defs/limits"], "The bounds in force; limits.json explains them."),
            .init("features", [
                "type": "array", "items": ["type": "string"],
                "$comment": .string("Of this server: " + Feature.allCases.map(\.rawValue).joined(separator: ", ") + "."),
            ], "The features of the server besides those of 0.1.0; left out: none. Ignore unknown words.", required: false),
            .init("web", ["type": "string", "pattern": "^[0-9a-f]{32}$"], "The build of the web client that this server offers: a page of another build loads itself again.", required: false, feature: .web),
            .answered,
        ], example: #"""
            {"type":"welcome","protocol":1,"server":"0.2.0","time":1776250800000,"memberships":[{"family":"01910000-0000-7000-8000-000000000001","name":"The Rivers","member":"01910000-0000-7000-8000-000000000010","role":"parent"}],"limits":\#(LimitsCodec.text),"features":["quiet","requests"]}
            """#)

        private var `protocol`: Int?
        private var server: String?
        private var time: Int64?
        private var memberships: [Membership]?
        private var limits: Limits?
        private var features: [Feature] = []
        private var web: String?

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "protocol": `protocol` = Int(try reader.readCount(from: 1))
            case "server": server = try reader.readString()
            case "time": time = try reader.readInteger()
            case "memberships": memberships = try reader.readList { reader throws(JSONError) in try Membership(&reader) }
            case "limits": limits = try LimitsCodec.read(&reader)
            case "features":
                try reader.readArray { reader throws(JSONError) in
                    if let known = Feature(rawValue: try reader.readString()) { features.append(known) }
                }
            case "web": web = try reader.readString()
            default: return false
            }
            return true
        }

        func frame(request: Int64?) throws(JSONError) -> ServerFrame {
            let welcome = Welcome(
                protocol: try need(`protocol`, "protocol"), server: try need(server, "server"), time: try need(time, "time"),
                memberships: try need(memberships, "memberships"), limits: try need(limits, "limits"), features: features, web: web)
            return ServerFrame.welcome(welcome).answering(request)
        }

        static func encode(_ welcome: Welcome, into writer: inout JSONWriter) {
            writer.word("welcome")
            writer.key("protocol")
            writer.integer(welcome.protocol)
            writer.key("server")
            writer.string(welcome.server)
            writer.key("time")
            writer.integer(welcome.time)
            writer.key("memberships")
            writer.beginArray()
            for membership in welcome.memberships { membership.encode(into: &writer) }
            writer.endArray()
            writer.key("limits")
            LimitsCodec.encode(welcome.limits, into: &writer)
            if !welcome.features.isEmpty {
                writer.key("features")
                writer.beginArray()
                for feature in welcome.features { writer.string(feature.rawValue) }
                writer.endArray()
            }
            if let web = welcome.web {
                writer.key("web")
                writer.string(web)
            }
        }
    }
}

extension Membership {
    init(_ reader: inout JSONReader) throws(JSONError) {
        var family: Identifier?
        var name: String?
        var member: Identifier?
        var role: Role?
        try reader.readObject { reader, key throws(JSONError) in
            switch key {
            case "family": family = try reader.readIdentifier()
            case "name": name = try reader.readString()
            case "member": member = try reader.readIdentifier()
            case "role": role = try reader.readRole()
            default: try reader.skipValue()
            }
        }
        self.init(
            family: try need(family, "memberships.family"), name: try need(name, "memberships.name"),
            member: try need(member, "memberships.member"), role: try need(role, "memberships.role"))
    }

    /// Appends the membership as an object.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("family")
        writer.identifier(family)
        writer.key("name")
        writer.string(name)
        writer.key("member")
        writer.identifier(member)
        writer.key("role")
        writer.string(role.rawValue)
        writer.endObject()
    }
}
