/// The version of all programs of this package (`deploy/RELEASES.md`).
package enum HuddleVersion {
    package static let text = "0.1.0"
}
