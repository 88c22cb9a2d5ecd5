import Posix
import Sessions
import TestSupport
import Testing

/// A proxy that runs with its file of `deploy/proxy` in front of one port; it ends with the last reference.
final class ProxyProgram {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case nginx, caddy, apache

        var testDescription: String { rawValue }

        fileprivate var program: String {
            switch self {
            case .nginx: "/usr/sbin/nginx"
            case .caddy: "/usr/bin/caddy"
            case .apache: "/usr/sbin/apache2"
            }
        }

        fileprivate var file: String {
            switch self {
            case .nginx: "nginx.conf"
            case .caddy: "Caddyfile"
            case .apache: "apache.conf"
            }
        }
    }

    let kind: Kind
    private(set) var port: UInt16 = 0
    private let isEncrypted: Bool
    private let folder: TemporaryFolder
    private let authority: String
    private var child: ChildProcess?

    /// - Parameters:
    ///   - upstream: the port that requests are passed on to.
    ///   - isEncrypted: false replaces the lines about TLS.
    /// - Returns: `nil` with a printed line if the proxy or curl is not installed; with HUDDLE_REQUIRE_PROXIES=1 that is a failure.
    init?(_ kind: Kind, port upstream: UInt16, _ certificates: CertificateFolder, isEncrypted: Bool = true) throws {
        guard Files.exists(kind.program), Files.exists("/usr/bin/curl") else {
            print("Behind \(kind): SKIPPED, because \(kind) or curl is not installed (apt install nginx-light caddy apache2 curl)")
            if Environment.value("HUDDLE_REQUIRE_PROXIES") == "1" { Issue.record("\(kind) is not installed") }
            return nil
        }
        self.kind = kind
        self.isEncrypted = isEncrypted
        folder = try TemporaryFolder()
        authority = certificates.authority
        // Another program may be given the port between the look for a free one and the start.
        for _ in 0..<5 {
            port = try Self.freePort()
            let path = folder.path + "/" + kind.file
            try Files.write(Array(try configuration(upstream, certificates).utf8), to: path)
            let child = try ChildProcess.start(words(path), output: .nothing, errors: .nothing)
            self.child = child
            if try isListening(child) { return }
        }
        throw Unexpected("\(kind) does not start: \(String(decoding: (try? Files.read(folder.path + "/error.log")) ?? [], as: UTF8.self))")
    }

    /// Apache's own children outlive it where it is killed: it is asked to end first.
    deinit {
        guard let child else { return }
        child.kill(Signals.terminate)
        _ = try? child.wait(timeoutMilliseconds: 10_000)
    }

    var url: String { isEncrypted ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)" }

    var address: ServerAddress {
        get throws {
            var address = try ServerAddress("wss://localhost:\(port)")
            address.authorities = authority
            return address
        }
    }

    private func words(_ path: String) -> [String] {
        switch kind {
        case .nginx: [kind.program, "-e", folder.path + "/error.log", "-p", folder.path, "-c", path]
        // Its folders for certificates and state are where HOME says.
        case .caddy: ["/usr/bin/env", "HOME=" + folder.path, kind.program, "run", "--config", path, "--adapter", "caddyfile"]
        case .apache: [kind.program, "-f", path, "-k", "start", "-D", "FOREGROUND"]
        }
    }

    private static func freePort() throws -> UInt16 {
        let listener = try Socket.listenTCP(host: "127.0.0.1", port: 0)
        return try SocketAddress.local(of: listener.raw).port
    }

    private func isListening(_ child: ChildProcess) throws -> Bool {
        let deadline = Clock.monotonicMilliseconds() + 20_000
        while Clock.monotonicMilliseconds() < deadline {
            if try child.wait(timeoutMilliseconds: 20) != nil { return false }
            if (try? Socket.connectTCP(host: "127.0.0.1", port: port)) != nil { return true }
        }
        return false
    }

    /// The file, with the words replaced that its first lines name, and with ports and folders that need no root.
    private func configuration(_ upstream: UInt16, _ certificates: CertificateFolder) throws -> String {
        var text = String(decoding: try Files.read(Programs.root + "/deploy/proxy/" + kind.file), as: UTF8.self)
        func replace(_ old: String, _ new: String) throws {
            try #require(text.contains(old), "\(kind.file) has no \(old)")
            text = text.replacing(old, with: new)
        }
        func drop(_ beginning: String) throws {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let kept = lines.filter { !$0.drop { $0 == " " || $0 == "\t" }.hasPrefix(beginning) }
            try #require(kept.count < lines.count, "\(kind.file) has no line that begins with \(beginning)")
            text = kept.joined(separator: "\n")
        }
        try replace("127.0.0.1:8787", "127.0.0.1:\(upstream)")
        try replace("/etc/huddle/fullchain.pem", certificates.certificate)
        try replace("/etc/huddle/privkey.pem", certificates.key)
        switch kind {
        case .nginx:
            try replace("huddle.example", "localhost 127.0.0.1")
            try replace("listen 443 ssl;", "listen 127.0.0.1:\(port)\(isEncrypted ? " ssl" : "");")
            let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
            try replace("http {", "daemon off; master_process off; pid \(folder.path)/nginx.pid;\nhttp {\naccess_log off; \(temporary)")
            if !isEncrypted { try drop("ssl_certificate") }
        case .caddy:
            try replace("\nhuddle.example {", "\n{\n\tadmin off\n\tauto_https disable_redirects\n}\n\(url) {")
            if !isEncrypted { try drop("tls ") }
        case .apache:
            try replace("huddle.example", "localhost")
            try replace("Listen 443", "Listen 127.0.0.1:\(port)")
            try replace("*:443", "127.0.0.1:\(port)")
            try replace("PidFile /run/huddle-apache.pid", "PidFile \(folder.path)/apache.pid")
            try replace("DefaultRuntimeDir /run", "DefaultRuntimeDir \(folder.path)")
            try replace("/var/log/apache2/huddle.log", folder.path + "/error.log")
            if !isEncrypted {
                try replace("SSLEngine on", "SSLEngine off")
                try drop("SSLCertificate")
            }
        }
        return text
    }
}
