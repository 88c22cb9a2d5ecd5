/// One script from the modules of the web client.
///
/// The page loads one file: no later part can be missing after an upgrade, and 60 modules would take five times as long
/// (docs/ARCHITECTURE.md). Each module is a function with a scope of its own; imports and exports are only by name.
/// Comments and space are left out (`SiteSpace`), and the tables of texts are next to each other, which compresses
/// better. Modules keep these rules, so that no parser is needed:
/// - an import is one line, `import { a, b as c } from "./file.js";`, before everything else;
/// - an export is a declaration: `export const`, `export function`, `export async function` or `export class`;
/// - no text in backticks spans several lines, and `/** @` begins a type, never a part of a text;
/// - a row of the table of texts is used as `WORDS.name` (`SiteWords`).
enum SiteScript {
    /// The number of these rules. Increase it when the same modules become another script: browsers keep a build for ever.
    static let form = 1

    /// A module breaks a rule.
    struct Fault: Error, Equatable, CustomStringConvertible {
        let module: String
        let line: Int
        let sentence: String

        var description: String { "\(module), line \(line): \(sentence)" }
    }

    /// The parts of one module.
    struct Module: Equatable {
        /// Each import: the names with their local ones, and the path of the module.
        var imports: [(names: [(name: String, local: String)], path: String)] = []
        var exports: [String] = []
        var body = ""

        static func == (one: Module, other: Module) -> Bool {
            one.exports == other.exports && one.body == other.body && one.imports.map(\.path) == other.imports.map(\.path)
        }
    }

    /// Joins a module and all modules that it needs.
    ///
    /// - Parameters:
    ///   - entry: the path of the module that starts the page.
    ///   - text: the text of a module by its path.
    static func join(_ entry: String, _ text: (String) -> String?) throws(Fault) -> String {
        var numbers: [String: Int] = [:]
        var open: [String] = []
        var exports: [String: [String]] = [:]
        /// The short names of the rows of each table.
        var rows: [String: [String: String]] = [:]
        var script = "", tables = ""

        func add(_ path: String, from importer: String, line: Int) throws(Fault) {
            if numbers[path] != nil { return }
            guard !open.contains(path) else { throw Fault(module: importer, line: line, sentence: "imports in a circle: \((open + [path]).joined(separator: " → "))") }
            guard let text = text(path) else { throw Fault(module: importer, line: line, sentence: "there is no module \(path)") }
            open.append(path)
            var module = try parse(text, path)
            if SiteWords.isTable(path, module.exports) { (module.body, rows[path]) = SiteWords.shortened(module.body) }
            for (line, one) in module.imports.enumerated() {
                try add(one.path, from: path, line: line + 1)
                for name in one.names where exports[one.path]?.contains(name.name) != true {
                    throw Fault(module: path, line: line + 1, sentence: "\(one.path) exports no \(name.name)")
                }
                guard let names = rows[one.path], let table = one.names.first(where: { $0.name == SiteWords.export }) else { continue }
                do throws(SiteWords.Unknown) {
                    module.body = try SiteWords.renamed(module.body, table.local, names)
                } catch {
                    throw Fault(module: path, line: line + 1, sentence: "\(error.text) is not a row of \(one.path)")
                }
            }
            open.removeLast()
            let number = numbers.count
            numbers[path] = number
            exports[path] = module.exports
            let names = module.imports.map { one in
                let list = one.names.map { $0.name == $0.local ? $0.name : "\($0.name):\($0.local)" }.joined(separator: ",")
                return "const{\(list)}=$\(numbers[one.path] ?? 0);\n"
            }
            let code = "const $\(number)=(()=>{\n\(names.joined())\(SiteSpace.squeezed(module.body))return{\(module.exports.joined(separator: ","))};\n})();\n"
            if module.imports.isEmpty, SiteWords.isTable(path, module.exports) { tables += code } else { script += code }
        }

        try add(entry, from: entry, line: 0)
        return "\"use strict\";(()=>{\n\(tables)\(script)})();\n"
    }

    /// Reads a module.
    static func parse(_ text: String, _ path: String) throws(Fault) -> Module {
        var module = Module()
        var isComment = false
        for (number, whole) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            func fault(_ sentence: String) -> Fault { Fault(module: path, line: number + 1, sentence: sentence) }
            var line = whole.drop { $0 == " " || $0 == "\t" }
            if isComment {
                guard let end = line.firstRange(of: "*/") else { continue }
                isComment = false
                line = line[end.upperBound...].drop { $0 == " " }
            }
            // A comment before code on the same line, as in a cast.
            while line.hasPrefix("/*") {
                guard let end = line.firstRange(of: "*/") else {
                    isComment = true
                    break
                }
                line = line[end.upperBound...].drop { $0 == " " }
            }
            if isComment || line.isEmpty || line.hasPrefix("//") { continue }
            // Types within a line.
            while let begin = line.firstRange(of: "/** @"), let end = line[begin.upperBound...].firstRange(of: "*/") {
                let rest = line[end.upperBound...].drop { $0 == " " }
                line = line[..<begin.lowerBound] + rest
            }
            guard backticks(line) % 2 == 0 else { throw fault("a text in backticks goes over several lines") }
            if whole.hasPrefix("import ") || whole.hasPrefix("import{") {
                guard module.body.isEmpty else { throw fault("an import stands behind code") }
                guard let one = importLine(whole, from: path) else { throw fault("an import is not of the form import { name } from \"./file.js\";") }
                module.imports.append(one)
                continue
            }
            if line.hasPrefix("export "), whole.hasPrefix("export ") {
                let declaration = line.dropFirst(7)
                guard let name = declaredName(declaration) else { throw fault("an export is not a const, function or class") }
                module.exports.append(name)
                module.body += declaration + "\n"
                continue
            }
            if line.contains("import(") || line.contains("import.meta") { throw fault("a module loads nothing later and does not know its address") }
            module.body += line + "\n"
        }
        return module
    }

    private static func backticks(_ line: Substring) -> Int {
        var count = 0, isEscaped = false
        for character in line.utf8 {
            if isEscaped { isEscaped = false } else if character == UInt8(ascii: "\\") { isEscaped = true } else if character == UInt8(ascii: "`") { count += 1 }
        }
        return count
    }

    private static func importLine(_ line: Substring, from path: String) -> (names: [(name: String, local: String)], path: String)? {
        guard let open = line.firstIndex(of: "{"), let close = line.firstIndex(of: "}"), open < close, line[..<open] == "import " else { return nil }
        let rest = line[line.index(after: close)...]
        guard rest.hasPrefix(" from \""), rest.hasSuffix("\";") else { return nil }
        let address = rest.dropFirst(7).dropLast(2)
        guard address.hasPrefix("./") || address.hasPrefix("../") else { return nil }
        var names: [(name: String, local: String)] = []
        for part in line[line.index(after: open)..<close].split(separator: ",") {
            let words = part.split(separator: " ").map(String.init)
            guard words.count == 1 || words.count == 3 && words[1] == "as" else { return nil }
            names.append((words[0], words.last ?? words[0]))
        }
        var folders = path.split(separator: "/").dropLast().map(String.init)
        for part in address.split(separator: "/") {
            if part == "." { continue }
            if part == ".." {
                guard folders.popLast() != nil else { return nil }
            } else {
                folders.append(String(part))
            }
        }
        return names.isEmpty ? nil : (names, folders.joined(separator: "/"))
    }

    private static func declaredName(_ declaration: Substring) -> String? {
        for word in ["const ", "function ", "async function ", "function* ", "class "] where declaration.hasPrefix(word) {
            let name = declaration.dropFirst(word.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
            return name.isEmpty ? nil : String(name)
        }
        return nil
    }
}
