import Bytes
import Family
import Ledger
import Queries
import Store
import Testing
import Wire

@Suite("Access to a document's file, guarantees.md (private documents)", .bothEngines)
struct DownloadTests {
    let world: World
    let home: World.Home
    let leo: Identifier
    let document: Identifier

    init() throws {
        world = try World()
        home = try world.home()
        leo = try world.athlete(home)
        document = world.newID()
        try world.add(world.document(home, leo, id: document, octets: 77))
    }

    @Test("every member can download, old versions too; nobody else can, and nobody a deleted one")
    func session() throws {
        let found = try #require(try world.reader.document(document, by: try world.signIn(home, home.parent)))
        #expect(found.member == home.parent && found.document.athlete == leo && found.document.octets == 77)
        let gus = try world.member(home, .guest, name: "Gus")
        let next = world.newID()
        try world.add(world.document(home, leo, id: next, content: 2, replaces: document))
        let guest = try world.signIn(home, gus)
        #expect(try world.reader.document(document, by: guest) != nil && world.reader.document(next, by: guest) != nil)
        let other = try world.home("Nowak")
        let stranger = try world.signIn(other, other.parent)
        #expect(try world.reader.document(document, by: stranger) == nil)
        #expect(try world.reader.document(leo, by: guest) == nil)
        try world.mutate(home, home.parent, delete(.document, next, base: 1))
        #expect(try world.reader.document(next, by: guest) == nil)
    }

    @Test("a signed link opens one document for ten minutes, while its member is in the family")
    func link() throws {
        let link = world.reader.signedLink(to: document, family: home.family, member: leo)
        #expect(link.utf8.count == 96)
        let found = try #require(try world.reader.document(document, link: link))
        #expect(found.member == leo && found.document.id == document)
        let other = world.newID()
        try world.add(world.document(home, leo, id: other))
        #expect(try world.reader.document(other, link: link) == nil)
        world.surroundings.now += 599_999
        #expect(try world.reader.document(document, link: link) != nil)
        world.surroundings.now += 1
        #expect(try world.reader.document(document, link: link) == nil)
        let fresh = world.reader.signedLink(to: document, family: home.family, member: leo)
        try world.mutate(home, home.parent, delete(.member, leo, base: 1))
        #expect(try world.reader.document(document, link: fresh) == nil)
    }

    @Test("no letter of a signed link can be changed, and no part omitted")
    func forged() throws {
        let link = world.reader.signedLink(to: document, family: home.family, member: leo)
        for index in link.indices {
            var text = link
            text.replaceSubrange(index...index, with: link[index] == "A" ? "B" : "A")
            #expect(try world.reader.document(document, link: text) == nil)
        }
        for count in 0..<96 { #expect(try world.reader.document(document, link: String(link.prefix(count))) == nil) }
        // Signed in another database.
        let elsewhere = try World(seed: 2)
        #expect(try elsewhere.reader.document(document, link: link) == nil)
        #expect(try world.reader.document(document, link: elsewhere.reader.signedLink(to: document, family: home.family, member: leo)) == nil)
    }

    @Test("an upload may begin under the rules that hold when it ends")
    func uploads() throws {
        let parent = try world.signIn(home, home.parent)
        func check(_ document: NewDocument, by signIn: SignIn? = nil, known: Bool = true, promised: Int64 = 0) throws -> ErrorCode? {
            switch try world.reader.checkUpload(document, by: signIn ?? parent, isLengthKnown: known, promised: promised) {
            case .success(let permit):
                #expect(permit.family == home.family)
                #expect(try world.store.addDocument(document).0.get() > 0)
                return nil
            case .failure(let rejection):
                if known, promised == 0, signIn == nil {
                    guard case .failure(let late) = try world.store.addDocument(document).0 else { throw Unexpected() }
                    #expect(late.code == rejection.code)
                }
                return rejection.code
            }
        }
        #expect(try check(world.document(home, leo)) == nil)
        #expect(try check(world.document(home, leo, replaces: document)) == nil)
        #expect(try check(world.document(home, leo, title: "")) == .required)
        #expect(try check(world.document(home, leo, title: String(repeating: "x", count: 300))) == .tooLong)
        #expect(try check(world.document(home, home.parent)) == .unknownReference)
        #expect(try check(world.document(home, leo, school: world.newID())) == .unknownReference)
        #expect(try check(world.document(home, leo, replaces: world.newID())) == .unknownReference)
        #expect(try check(world.document(home, leo, content: 9, octets: 5_368_709_121)) == .quotaExceeded)
        let used = try #require(try world.documentFigures(home).storageUsed)
        let left = 5_368_709_120 - used
        #expect(try check(world.document(home, leo, content: 9, octets: left), promised: 1) == .quotaExceeded)
        #expect(try check(world.document(home, leo, content: 9, octets: 0), known: false, promised: left) == .quotaExceeded)
        #expect(try check(world.document(home, leo, content: 9, octets: left - 1), promised: 1) == nil)
        let gus = try world.signIn(home, try world.member(home, .guest, name: "Gus"))
        #expect(try check(world.document(home, leo), by: gus) == .notAllowed)
        let other = try world.home("Nowak")
        #expect(try check(world.document(home, leo), by: try world.signIn(other, other.parent)) == .notFound)
    }
}
