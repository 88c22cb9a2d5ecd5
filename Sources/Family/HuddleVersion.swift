/// The version of the server and of its client: `huddle --version`, `server` of the welcome frame, the manual page.
///
/// A test holds `deploy/RELEASES.md`, `deploy/huddle.1` and the example of `proto/protocol.md` to it.
package enum HuddleVersion {
    package static let text = "0.2.0"
}
