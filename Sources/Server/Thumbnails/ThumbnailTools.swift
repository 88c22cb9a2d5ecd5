import Posix

/// Makes a picture of a document's file.
struct ThumbnailMaker: Sendable {
    enum Outcome: Equatable, Sendable {
        case image([UInt8])
        /// No picture of this file is possible.
        case failed
        /// Not now: the machine has no room, or the server is shutting down.
        case postponed
    }

    /// Whether files of a media type can have a picture.
    var covers: @Sendable (_ mediaType: String) -> Bool
    /// Makes the picture, which takes seconds.
    var make: @Sendable (_ path: String, _ mediaType: String, _ isStopped: @Sendable () -> Bool) -> Outcome

    /// No programs are installed: clients show icons.
    static let none = ThumbnailMaker(covers: { _ in false }, make: { _, _, _ in .postponed })
}

/// External programs that show the first page or frame, if they are installed, each run confined: it sees the one file
/// and the programs of the system, has no network, starts nothing, changes nothing, and ends in time.
enum ThumbnailTools {
    /// The limit in seconds of real time, and of processor time.
    static let seconds = 10
    /// The limit of address space in octets: the need of ffmpeg with its libraries and a frame of 3840 by 2160 points.
    static let memory: UInt = 1 << 30
    /// The paths that programs need to run at all: themselves, libraries, fonts.
    private static let system = ["/usr", "/lib", "/lib64", "/bin", "/etc/fonts", "/etc/ld.so.cache", "/etc/alternatives", "/var/cache/fontconfig", "/dev/null", "/dev/urandom"]

    /// The program for each media type: Debian's poppler-utils and ffmpeg.
    static let known: [(tool: String, mediaTypes: Set<String>)] = [
        ("pdftoppm", ["application/pdf"]), ("ffmpeg", ["video/mp4", "video/quicktime", "video/x-msvideo"]),
    ]

    /// Looks for the programs along `PATH`, once, and logs the result.
    static func find(_ log: Log) -> ThumbnailMaker {
        guard Confinement.isPossible else {
            log(.info, "thumbnails", [.init("made", "no"), .init("reason", "the kernel has no Landlock")])
            return .none
        }
        var paths: [String: String] = [:]
        for (tool, mediaTypes) in known {
            let path = folders.lazy.map { "\($0)/\(tool)" }.first { Files.isExecutable($0) }
            for mediaType in mediaTypes { paths[mediaType] = path }
        }
        func tells(_ mediaType: String) -> String { paths[mediaType] == nil ? "no" : "yes" }
        log(.info, "thumbnails", [.init("pdf", tells("application/pdf")), .init("video", tells("video/mp4"))])
        return maker(paths, ["/proc/self/exe"])
    }

    private static var folders: [String] {
        (Environment.value("PATH") ?? "/usr/bin:/bin").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    /// - Parameters:
    ///   - paths: the paths of the programs, by media type.
    ///   - launcher: `huddled` with its command `confine`.
    static func maker(_ paths: [String: String], _ launcher: [String]) -> ThumbnailMaker {
        ThumbnailMaker(covers: { paths[$0] != nil }) { file, mediaType, isStopped in
            guard let tool = paths[mediaType], let folder = tool.lastIndex(of: "/") else { return .postponed }
            let own = String(tool[..<folder])
            let words = launcher + ["confine", "\(Environment.processNumber)", "\(seconds)", "\(memory)"] + system + [own, file, "--", tool]
            // The libraries of a launcher that was not linked with them; the launcher passes none of this on.
            let environment = Environment.value("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH=\($0)"] } ?? []
            do throws(Errno) {
                let captured = try ChildProcess.capture(
                    words + arguments(file, mediaType), environment: environment, limit: Thumbnail.maxOctets, timeoutMilliseconds: seconds * 1_000,
                    isStopped: isStopped)
                switch captured {
                case .ended(.exited(0), let output) where Thumbnail.isAcceptable(output): return .image(output)
                case .stopped: return .postponed
                case .ended, .tooMuch, .late: return .failed
                }
            } catch { return .postponed }
        }
    }

    /// The arguments of the program: it writes the first page or frame as JPEG to its standard output.
    static func arguments(_ file: String, _ mediaType: String) -> [String] {
        let side = Thumbnail.maxSide
        if mediaType == "application/pdf" {
            return ["-q", "-f", "1", "-l", "1", "-singlefile", "-scale-to", "\(side)", "-jpeg", file]
        }
        // The format is given: a playlist that claims to be a video, and names other files, is then not read as one.
        let format = mediaType == "video/x-msvideo" ? "avi" : "mov"
        return [
            "-nostdin", "-hide_banner", "-loglevel", "quiet", "-threads", "1", "-filter_threads", "1", "-protocol_whitelist", "file,pipe", "-f", format,
            "-i", "file:\(file)", "-map", "0:v:0", "-frames:v", "1",
            "-vf", "scale=w='min(\(side),iw)':h='min(\(side),ih)':force_original_aspect_ratio=decrease", "-threads", "1", "-pix_fmt", "yuvj420p", "-c:v",
            "mjpeg", "-f", "image2pipe", "pipe:1",
        ]
    }
}
