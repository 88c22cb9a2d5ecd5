internal import Dates
package import Family
package import JSON

extension AccountPasskey {
    /// Appends the passkey as a JSON object.
    package func encode(into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.identifier(id)
        writer.key("name")
        writer.string(name)
        writer.key("created_on")
        writer.string(createdOn.description)
        if let usedOn {
            writer.key("used_on")
            writer.string(usedOn.description)
        }
        writer.endObject()
    }
}
