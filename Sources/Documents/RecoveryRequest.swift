internal import HTTPClient
internal import JSON
package import Sessions

/// Asks a server to mail a code to somebody who cannot sign in (`proto/sessions.md`).
package enum RecoveryRequest {
    /// - Parameter name: the sign-in name, or the e-mail address.
    /// - Returns: nothing that says whether the server knows the name.
    package static func send(_ name: String, to address: ServerAddress) throws(DocumentFailure) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("name")
        writer.string(name)
        writer.endObject()
        let request = HTTPRequest(
            "POST", "\(address.isSecure ? "https" : "http")://\(address.authority)/account/recovery", fields: [("Content-Type", "application/json")],
            content: .octets(writer.octets))
        let reply: HTTPReply
        do throws(HTTPClientError) { reply = try CurlClient(authorities: address.authorities).perform(request) } catch { throw DocumentFailure(error) }
        guard reply.head.status == 202 else { throw DocumentFailure(reply) }
    }
}
