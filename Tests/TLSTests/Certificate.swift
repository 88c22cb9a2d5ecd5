import Posix

/// A certificate for `localhost` and 127.0.0.1 that signed itself, with its key, good for a hundred years and for nothing but these tests.
struct Certificate {
    let certificate: String
    let key: String
    /// Another key, which does not belong to the certificate.
    let otherKey: String
    private let folder: Folder

    init() throws {
        folder = try Folder()
        certificate = folder.path + "/certificate.pem"
        key = folder.path + "/key.pem"
        otherKey = folder.path + "/other.pem"
        try Files.write(Array(Self.certificateText.utf8), to: certificate)
        try Files.write(Array(Self.keyText.utf8), to: key)
        try Files.write(Array(Self.otherKeyText.utf8), to: otherKey)
    }

    /// A fresh folder that goes when the test ends.
    private final class Folder {
        let path: String

        init() throws { path = try Files.makeTemporaryFolder() }

        deinit { try? Files.removeTree(path) }
    }

    private static let certificateText = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIUOLmSUft+cBvVysaM7RQfgmoOM2QwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA2MDUyM1oYDzIxMjYxMDI4
        MDYwNTIzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATyvx9KSIajzi3Qo0aWm7B7AS5CWFLEATVGRZKNzKQGeUY8gc+fU22Y
        1ggodJ7D+F8TLHnf3TQYg6CsA+MiXAwfo28wbTAdBgNVHQ4EFgQU5Xd+nEHs8o4d
        tbn0ZSek2QZnMAUwHwYDVR0jBBgwFoAU5Xd+nEHs8o4dtbn0ZSek2QZnMAUwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSAAwRQIhAP4rQfjM/2320soUQLGV2N+4eVmqnub7qBKa6xlrgH3IAiA4
        Evv9uZZGluvFM9vduLEB9Lf+IDOSCpogpyJJrXmHDA==
        -----END CERTIFICATE-----
        """

    private static let keyText = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjHlfZ+xpRNXhQg52
        EKK/jQqH0xQyAq34sG1R1wDEUvWhRANCAATyvx9KSIajzi3Qo0aWm7B7AS5CWFLE
        ATVGRZKNzKQGeUY8gc+fU22Y1ggodJ7D+F8TLHnf3TQYg6CsA+MiXAwf
        -----END PRIVATE KEY-----
        """

    private static let otherKeyText = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIAxL5Kh+dttRfmd6CWhoEuaczcNEOdVz6E4WcRW/ndjToAoGCCqGSM49
        AwEHoUQDQgAEtmOa6i655V4fx7xmEH3Y2thFZzIow7aUkZ3Y4Zm6AgIQSAK+BpGU
        /LKtqBp3ff1VRwjGwy4L4PdksHjgBCSsjw==
        -----END EC PRIVATE KEY-----
        """
}
