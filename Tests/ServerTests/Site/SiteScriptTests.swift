import Testing

@testable import Server

@Suite("One script from the modules of the web client")
struct SiteScriptTests {
    private func join(_ modules: [String: String]) throws -> String { try SiteScript.join("app.js") { modules[$0] } }

    @Test("Modules become functions in the order of their needs, each once; comments, space and types are gone")
    func joined() throws {
        let script = try join([
            "app.js": """
                // The start.
                import { one, two as zwei } from "./ground/numbers.js";
                import { both } from "./ground/both.js";

                /** A type that goes. */
                const text = /** @type {string} */ (String(one)); // goes, too
                  both(text, zwei, `a${one}b`, "// no comment", "/* neither */");
                """,
            "ground/numbers.js": "/**\n * Many lines\n */\nexport const one = 1;\nexport const two = 2;\n",
            "ground/both.js": "import { one } from \"../ground/numbers.js\";\nexport function both(...all) {\n  return [one, ...all];\n}\nexport class Pair {}\nexport async function later() {}\n",
        ])
        #expect(
            script == """
                "use strict";(()=>{
                const $0=(()=>{
                const one=1;const two=2;return{one,two};
                })();
                const $1=(()=>{
                const{one}=$0;
                function both(...all){return[one,...all];}
                class Pair{}
                async function later(){}
                return{both,Pair,later};
                })();
                const $2=(()=>{
                const{one,two:zwei}=$0;
                const{both}=$1;
                const text=(String(one));both(text,zwei,`a${one}b`,"// no comment","/* neither */");return{};
                })();
                })();

                """)
    }

    @Test("The rows of a table of texts have short names, in the table and where they are used")
    func words() throws {
        let rows = (0..<30).map { "  row\($0): \"\($0)\"," }.joined(separator: "\n")
        let script = try join([
            "app.js": """
                import { WORDS } from "./words/app.js";
                import { WORDS as MANY } from "./words/many.js";
                console.log(WORDS.title, WORDS.of(1), this.WORDS.title, MY_WORDS, "title: x", MANY.row0, MANY.row29);
                """,
            "words/app.js": "export const WORDS = {\n  title: \"title: WORDS\",\n  of: (/** @type {number} */ title) => `${title}: WORDS`,\n  list: [\n    { title: 1 },\n  ],\n};\n",
            "words/many.js": "export const WORDS = {\n\(rows)\n};\nexport const other = { a: 1 };\n",
        ])
        #expect(script.contains("const WORDS={a:\"title: WORDS\",b:(title)=>`${title}: WORDS`,c:[{title:1},],};"), "\(script)")
        #expect(script.contains("console.log(WORDS.a,WORDS.b(1),this.WORDS.title,MY_WORDS,\"title: x\",MANY.a,MANY.ad);"), "\(script)")
        #expect(script.contains("z:\"25\",aa:\"26\",") && script.contains("const other={a:1};"))
    }

    @Test("Space and comments go, and nothing else", arguments: [
        ("a = b + +c - -d + e;", "a=b+ +c- -d+e;"), ("return x / y / 2;", "return x/ y/ 2;"), ("return /a b[/ \"]c/g.test(text) ? 1 : 2;", "return/a b[/ \"]c/g.test(text)?1:2;"),
        ("x = \"a  b \\\" c\" + 'd \\' e';", "x=\"a  b \\\" c\"+'d \\' e';"), ("f(`a  ${ b ? `c  ${ { d: 1 } }` : \"e  f\" }  g`);", "f(`a  ${b?`c  ${{d:1}}`:\"e  f\"}  g`);"),
        ("try { a(); } catch { /* blocked storage */ }", "try{a();}catch{}"), ("a(); // a comment's end", "a();"), ("const url = \"https://a\"; // b", "const url=\"https://a\";"),
        ("if (a in b && typeof c === \"d\") throw new E(f);", "if(a in b&&typeof c===\"d\")throw new E(f);"), ("static async *#a() { yield `b`; }", "static async*#a(){yield`b`;}"),
        ("if (!/^[a-z/]+$/.test(a) || /\\/ /u.test(b)) return;", "if(!/^[a-z/]+$/.test(a)||/\\/ /u.test(b))return;"), ("const é = a ? .5 : [1, 2][0] / 3;", "const é=a?.5:[1,2][0]/ 3;"),
    ])
    func space(code: String, squeezed: String) {
        #expect([squeezed, squeezed + "\n"].contains(SiteSpace.squeezed(code)), "\(SiteSpace.squeezed(code))")
    }

    @Test("A line feed stays where the next line could continue the statement")
    func lineFeeds() {
        #expect(SiteSpace.squeezed("a\nb();\nc(\nd,\ne\n)\nf {\n}\ng\n") == "a\nb();c(d,e\n)\nf{}\ng\n")
    }

    @Test("A text that is not in its table is reported", arguments: [("WORDS.none", "WORDS.none"), ("WORDS[one]", "WORDS"), ("f(WORDS)", "WORDS"), ("WORDS.titles", "WORDS.titles"), ("MANY = WORDS;", "WORDS")])
    func unknownRow(code: String, told: String) throws {
        let fault = try #require(throws: SiteScript.Fault.self) {
            try join(["app.js": "import { WORDS } from \"./words/app.js\";\n\(code)\n", "words/app.js": "export const WORDS = {\n  title: \"a\",\n};\n"])
        }
        #expect(fault.description == "app.js, line 1: \(told) is not a row of words/app.js")
    }

    @Test("A forbidden statement is reported with its module and line", arguments: [
        ("import one from \"./a.js\";", 1, "not of the form"), ("import * as all from \"./a.js\";", 1, "not of the form"), ("import \"./a.js\";", 1, "not of the form"),
        ("import { one } from \"a.js\";", 1, "not of the form"), ("import { one } from \"../../a.js\";", 1, "not of the form"), ("import {\n  one,\n} from \"./a.js\";", 1, "not of the form"),
        ("import { none } from \"./a.js\";", 1, "exports no none"), ("import { one } from \"./b.js\";", 1, "no module b.js"), ("const x = 1;\nimport { one } from \"./a.js\";", 2, "behind code"),
        ("export default 1;", 1, "not a const"), ("export { x };", 1, "not a const"), ("export let x = 1;", 1, "not a const"), ("export * from \"./a.js\";", 1, "not a const"),
        ("const x = await import(\"./a.js\");", 1, "loads nothing later"), ("const x = import.meta.url;", 1, "loads nothing later"), ("const x = `a\nb`;", 1, "several lines"),
        ("import { loop } from \"./loop.js\";", 1, "circle: app.js → loop.js → app.js"),
    ])
    func faults(text: String, line: Int, sentence: String) throws {
        let fault = try #require(throws: SiteScript.Fault.self) {
            try join(["app.js": text, "a.js": "export const one = 1;\n", "loop.js": "import { x } from \"./app.js\";\nexport const loop = 1;\n"])
        }
        #expect(fault.description.contains(sentence), "\(fault)")
        #expect(fault.line == line || sentence.hasPrefix("circle"), "\(fault)")
    }

    @Test("Every module of the client keeps the rules, and all but the worker are in the script")
    func client() throws {
        let sources = WebClientFiles.sources
        #expect(sources.count > 40)
        for (path, octets) in sources where path.hasSuffix(".js") && path != "worker.js" {
            #expect(throws: Never.self) { try SiteScript.parse(String(decoding: octets, as: UTF8.self), path) }
        }
        let script = String(decoding: try #require(WebClientFiles.embedded.files["app.js"]).plain, as: UTF8.self)
        // A function of each module that is not a table.
        for name in ["fold(", "class SyncEngine", "class Cache", "class Router", "function eventsPage", "function keptPage", "function folded"] { #expect(script.contains(name), "\(name)") }
        #expect(!script.contains("\n//") && !script.contains("\n/**") && !script.contains("import {"))
    }
}
