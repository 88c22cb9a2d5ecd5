/// The meaning of a part of the screen; a theme sets its appearance.
package enum StyleRole: Int, CaseIterable, Sendable {
    case text, muted, accent, title
    /// Lines and frames.
    case frame
    /// The line with server, context and members present, and the same line for another person's season.
    case status, context
    case selection, match
    /// The author of a message, the viewer's own name, and lines of the program.
    case name, ownName, notice
    case success, warning, failure
    /// An unread item; a mention of the viewer.
    case unread, mention
    case pending, draft, offline
    case today, outside
    /// The badges of events by type (R016), and by status (R018).
    case camp, showcase, officialVisit, unofficialVisit, game
    case attended, registered, notRegistered
    /// Trip items by category (R151).
    case accommodation, food, transportation, activity, entertainment, other
}

/// The number of colours that a terminal has.
package enum ColourDepth: Int, Comparable, Sendable {
    case none = 0, eight = 8, sixteen = 16, palette = 256, direct = 16_777_216

    package static func < (left: ColourDepth, right: ColourDepth) -> Bool { left.rawValue < right.rawValue }

    /// - Parameters:
    ///   - colours: the number from terminfo; 0 or less for none.
    ///   - environment: looks up `NO_COLOR` (no-color.org: set and not empty), `COLORTERM` (truecolor, 24bit) and `TERM`.
    package init(colours: Int, environment: (String) -> String?) {
        if let no = environment("NO_COLOR"), !no.isEmpty {
            self = .none
        } else if ["truecolor", "24bit"].contains(environment("COLORTERM") ?? "") || environment("TERM")?.hasSuffix("-direct") == true {
            self = .direct
        } else {
            switch colours {
            case 256...: self = .palette
            case 16...: self = .sixteen
            // Terminfo counts eight, and the kernel has shown the bright ones since 3.16 as well.
            case 8... where ConsoleGlyph.isConsole(environment("TERM")): self = .sixteen
            case 8...: self = .eight
            default: self = .none
            }
        }
    }
}

/// The style of each role.
package struct Theme: Sendable {
    package let name: String
    /// The styles by the raw value of the role: each frame reads hundreds of them.
    private var styles: [Style]

    package static let names = ["dark", "light", "mono"]

    /// A theme by its name, in `names`.
    package init?(named name: String) {
        switch name {
        case "dark": self = .dark
        case "light": self = .light
        case "mono": self = .mono
        default: return nil
        }
    }

    private init(_ name: String, _ styles: [StyleRole: Style]) {
        self.name = name
        self.styles = StyleRole.allCases.map { styles[$0] ?? .plain }
    }

    package subscript(_ role: StyleRole) -> Style { styles[role.rawValue] }

    /// Replaces the style of one role, from a line of the configuration: `FOREGROUND [on BACKGROUND]
    /// [bold|dim|italic|underline|reverse]…`.
    ///
    /// - Returns: false, without a change, if the words are not a valid style.
    package mutating func set(_ role: StyleRole, _ words: [String]) -> Bool {
        var style = Style.plain
        var words = words[...]
        guard let first = words.popFirst(), let foreground = Colour(first) else { return false }
        style.foreground = foreground
        if words.first == "on" {
            guard let background = words.dropFirst().first.flatMap(Colour.init) else { return false }
            style.background = background
            words = words.dropFirst(2)
        }
        for word in words {
            switch word {
            case "bold": style.attributes.insert(.bold)
            case "dim": style.attributes.insert(.dim)
            case "italic": style.attributes.insert(.italic)
            case "underline": style.attributes.insert(.underline)
            case "reverse": style.attributes.insert(.reverse)
            default: return false
            }
        }
        styles[role.rawValue] = style
        return true
    }

    /// The theme for a terminal: mono if there are no colours, otherwise the requested theme, or a theme for the
    /// background that the terminal reports (`COLORFGBG`, as rxvt and konsole set it: "15;0").
    package init(wanted: String?, depth: ColourDepth, environment: (String) -> String?) {
        if depth == .none {
            self = .mono
        } else if let wanted, let theme = Theme(named: wanted) {
            self = theme
        } else if let background = environment("COLORFGBG")?.split(separator: ";").last.flatMap({ Int($0) }), background == 7 || background == 15 {
            self = .light
        } else {
            self = .dark
        }
    }

    /// The colours that are readable on the theme's background.
    private var palette: [UInt8] {
        switch name {
        case "dark": [75, 114, 179, 176, 80, 209, 147, 150, 222, 117]
        case "light": [25, 28, 94, 90, 30, 130, 55, 64, 124, 61]
        default: []
        }
    }

    /// A colour for each person, the same in each run. Two people share a colour only if there are more people than
    /// colours, and a new person changes nobody's colour.
    ///
    /// - Parameter names: the names of the people, the earliest member first.
    package func colours(of names: [some Sequence<UInt8>]) -> [Colour] {
        let palette = palette
        guard !palette.isEmpty else { return names.map { _ in .standard } }
        var taken: Set<Int> = []
        return names.map { name in
            // FNV-1a: short, and spreads short names well.
            let hash = name.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
            var place = Int(hash % UInt32(palette.count))
            if taken.count == palette.count { taken = [] }
            while !taken.insert(place).inserted { place = (place + 1) % palette.count }
            return .indexed(palette[place])
        }
    }

    package static let dark = Theme("dark", [
        .muted: Style(.indexed(245)),
        .accent: Style(.rgb(0x3B, 0x82, 0xF6)),
        .title: Style(.standard, on: .standard, .bold),
        .frame: Style(.indexed(240)),
        .status: Style(.indexed(252), on: .indexed(237)),
        .context: Style(.indexed(16), on: .indexed(214), .bold),
        .selection: Style(.indexed(255), on: .indexed(24)),
        .match: Style(.indexed(221), on: .standard, .bold),
        .name: Style(.standard, on: .standard, .bold),
        .ownName: Style(.indexed(75), on: .standard, .bold),
        .notice: Style(.indexed(245)),
        .success: Style(.rgb(0x10, 0xB9, 0x81)),
        .warning: Style(.rgb(0xF5, 0x9E, 0x0B)),
        .failure: Style(.rgb(0xEF, 0x44, 0x44), on: .standard, .bold),
        .unread: Style(.indexed(117), on: .standard, .bold),
        .mention: Style(.indexed(213), on: .standard, .bold),
        .pending: Style(.indexed(245), on: .standard, .italic),
        .draft: Style(.rgb(0xEF, 0x44, 0x44)),
        .offline: Style(.indexed(231), on: .indexed(124), .bold),
        // Darker than the product's primary colour, on which white text fails the contrast of WCAG AA.
        .today: Style(.indexed(231), on: .rgb(0x25, 0x63, 0xEB), .bold),
        .outside: Style(.indexed(242)),
        .camp: Style(.indexed(78)), .showcase: Style(.indexed(141)), .officialVisit: Style(.indexed(75)),
        .unofficialVisit: Style(.indexed(80)), .game: Style(.indexed(215)),
        .attended: Style(.rgb(0x10, 0xB9, 0x81)), .registered: Style(.rgb(0x3B, 0x82, 0xF6)), .notRegistered: Style(.indexed(246)),
        .accommodation: Style(.indexed(141)), .food: Style(.indexed(215)), .transportation: Style(.indexed(75)),
        .activity: Style(.indexed(78)), .entertainment: Style(.indexed(213)), .other: Style(.indexed(246)),
    ])

    package static let light = Theme("light", [
        .muted: Style(.indexed(242)),
        .accent: Style(.rgb(0x1D, 0x4E, 0xD8)),
        .title: Style(.standard, on: .standard, .bold),
        .frame: Style(.indexed(248)),
        .status: Style(.indexed(235), on: .indexed(253)),
        .context: Style(.indexed(16), on: .indexed(214), .bold),
        .selection: Style(.indexed(16), on: .indexed(153)),
        .match: Style(.indexed(130), on: .standard, .bold),
        .name: Style(.standard, on: .standard, .bold),
        .ownName: Style(.indexed(25), on: .standard, .bold),
        .notice: Style(.indexed(242)),
        .success: Style(.rgb(0x04, 0x78, 0x57)),
        .warning: Style(.rgb(0x92, 0x40, 0x0E)),
        .failure: Style(.rgb(0xB9, 0x1C, 0x1C), on: .standard, .bold),
        .unread: Style(.indexed(25), on: .standard, .bold),
        .mention: Style(.indexed(126), on: .standard, .bold),
        .pending: Style(.indexed(242), on: .standard, .italic),
        .draft: Style(.rgb(0xB9, 0x1C, 0x1C)),
        .offline: Style(.indexed(231), on: .indexed(124), .bold),
        .today: Style(.indexed(231), on: .rgb(0x1D, 0x4E, 0xD8), .bold),
        .outside: Style(.indexed(246)),
        .camp: Style(.indexed(28)), .showcase: Style(.indexed(91)), .officialVisit: Style(.indexed(25)),
        .unofficialVisit: Style(.indexed(24)), .game: Style(.indexed(130)),
        .attended: Style(.rgb(0x04, 0x78, 0x57)), .registered: Style(.rgb(0x1D, 0x4E, 0xD8)), .notRegistered: Style(.indexed(242)),
        .accommodation: Style(.indexed(91)), .food: Style(.indexed(130)), .transportation: Style(.indexed(25)),
        .activity: Style(.indexed(28)), .entertainment: Style(.indexed(126)), .other: Style(.indexed(242)),
    ])

    /// Without colours: weight, line or reversal marks the differences.
    package static let mono = Theme("mono", [
        .muted: Style(.standard, on: .standard, .dim),
        .accent: Style(.standard, on: .standard, .bold), .title: Style(.standard, on: .standard, .bold),
        .frame: Style(.standard, on: .standard, .dim),
        .status: Style(.standard, on: .standard, .reverse), .context: Style(.standard, on: .standard, [.reverse, .bold, .underline]),
        .selection: Style(.standard, on: .standard, .reverse), .match: Style(.standard, on: .standard, .underline),
        .name: Style(.standard, on: .standard, .bold), .ownName: Style(.standard, on: .standard, [.bold, .underline]),
        .notice: Style(.standard, on: .standard, .dim),
        .warning: Style(.standard, on: .standard, .bold), .failure: Style(.standard, on: .standard, [.bold, .reverse]),
        .unread: Style(.standard, on: .standard, .bold), .mention: Style(.standard, on: .standard, [.bold, .underline]),
        .pending: Style(.standard, on: .standard, .italic), .draft: Style(.standard, on: .standard, .bold),
        .offline: Style(.standard, on: .standard, [.reverse, .bold]),
        .today: Style(.standard, on: .standard, .reverse), .outside: Style(.standard, on: .standard, .dim),
        .notRegistered: Style(.standard, on: .standard, .dim),
    ])
}
