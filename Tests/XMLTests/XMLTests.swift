import Testing
import XML

private func read(_ text: String, _ limits: XMLLimits = XMLLimits()) throws(XMLFault) -> XMLElement { try XMLReader.read(Array(text.utf8), limits) }

private func fault(_ text: String, _ limits: XMLLimits = XMLLimits()) -> XMLFault? {
    do throws(XMLFault) {
        _ = try read(text, limits)
        return nil
    } catch { return error }
}

@Suite("Documents of XML")
struct XMLTests {
    @Test("A document is read into elements, attributes and texts, each name with its namespace")
    func reads() throws {
        let root = try read(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- a comment --><a:one xmlns:a="DAV:" xmlns="urn:x" y="&lt;1&#10;2" a:z='"'>t&amp;<two/><![CDATA[<u>]]>v<a:three> w </a:three></a:one>
            """)
        #expect(root.name == XMLName("one", in: "DAV:"))
        #expect(root.attributes == [XMLName("y"): "<1\n2", XMLName("z", in: "DAV:"): "\""])
        #expect(
            root.content == [
                .text("t&"), .element(XMLElement(XMLName("two", in: "urn:x"), [XMLElement.Node]())), .text("<u>v"),
                .element(XMLElement(XMLName("three", in: "DAV:"), text: " w ")),
            ])
        #expect(root.text == "t&<u>v" && root[XMLName("three", in: "DAV:")]?.trimmedText == "w" && root[XMLName("three")] == nil)
    }

    @Test("A namespace is a text of one line")
    func namespaces() throws {
        #expect(try read("<a xmlns=\"x y\"/>").name == XMLName("a", in: "x y"))
        #expect(fault("<a xmlns=\"x&#10;y\"/>") == .malformed(line: 1))
    }

    @Test("Document types are refused, and with them every entity that a document declares")
    func documentTypes() {
        #expect(fault("<!DOCTYPE a><a/>") == .documentType)
        #expect(fault("<!DOCTYPE a [<!ENTITY b \"cccccccccc\"><!ENTITY d \"&b;&b;&b;\">]><a>&d;</a>") == .documentType)
        #expect(fault("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>") == .documentType)
        #expect(fault("<a>&b;</a>") == .malformed(line: 1), "no entity but the five of XML")
    }

    @Test("Each bound is held: depth, elements, attributes, octets")
    func bounds() {
        func nested(_ depth: Int) -> String { String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth) }
        #expect(fault(nested(32)) == nil && fault(nested(33)) == .tooDeep)
        let many = XMLLimits(octets: 100, elements: 3, attributes: 2)
        #expect(fault("<a><b/><b/></a>", many) == nil && fault("<a><b/><b/><b/></a>", many) == .tooMany)
        #expect(fault("<a b='' c=''/>", many) == nil && fault("<a b='' c='' d=''/>", many) == .tooMany)
        #expect(fault("<a>" + String(repeating: "x", count: 93) + "</a>", many) == nil && fault("<a>" + String(repeating: "x", count: 94) + "</a>", many) == .tooLarge)
        #expect(fault(String(repeating: "<a>", count: 300_000)) == .tooDeep)
    }

    @Test(
        "Octets that are not a document are refused",
        arguments: ["", " ", "text", "<a>", "<a></b>", "<a/><b/>", "<a b=1/>", "<a b='1' b='2'/>", "<a>\u{0}</a>", "<a>\u{1}</a>", "<b:a/>", "<a>&#0;</a>", "<a/>x"])
    func malformed(_ text: String) {
        #expect(fault(text) != nil)
    }

    @Test("Octets that are not UTF-8 are refused, and a document in an encoding that libexpat knows is read")
    func encodings() throws {
        #expect(throws: XMLFault.malformed(line: 1)) { try XMLReader.read([0x3C, 0x61, 0x3E, 0xC3, 0x28, 0x3C, 0x2F, 0x61, 0x3E]) }
        #expect(try read("<?xml version='1.0' encoding='us-ascii'?><a>b</a>").text == "b")
        #expect(fault("<?xml version='1.0' encoding='x-unknown'?><a/>") == .malformed(line: 1))
    }

    @Test("Writing and reading changes nothing that XML can hold")
    func writes() throws {
        var special = XMLWriter(prefixes: [:])
        special.element(XMLElement(XMLName("a", in: "http://www.w3.org/XML/1998/namespace"), text: "b"))
        #expect(try XMLReader.read(special.octets).name == XMLName("a", in: "http://www.w3.org/XML/1998/namespace"))
        let texts = ["", "a & b < c > d \" '", "\r\n\t x \r", "Łódź 🏟", "\u{FFFD}\u{FFBE}"]
        for text in texts {
            let element = XMLElement(
                XMLName("p", in: "urn:other"), attributes: [XMLName("a"): text, XMLName("b", in: "DAV:"): text, XMLName("c", in: "urn:third"): text],
                [.element(XMLElement(XMLName("q", in: "DAV:"), text: text)), .element(XMLElement(XMLName("r"), text: text))])
            var writer = XMLWriter(prefixes: ["DAV:": "d"])
            writer.begin(XMLName("root", in: "DAV:"))
            writer.element(element)
            writer.element(XMLName("s", in: "DAV:"), text: text)
            writer.end(XMLName("root", in: "DAV:"))
            let root = try XMLReader.read(writer.octets)
            #expect(root.elements == [element, XMLElement(XMLName("s", in: "DAV:"), text: text)])
        }
    }

    @Test("Characters that XML does not allow are left out")
    func controls() throws {
        var writer = XMLWriter(prefixes: [:])
        writer.element(XMLName("a"), text: "1\u{0}2\u{1F}3\u{FFFE}4\u{FFFF}5\u{B}6")
        #expect(try XMLReader.read(writer.octets).text == "123456")
    }
}
