import JSON

/// A code by which another device of the person signs in.
package struct AddDeviceRequest: Hashable, Sendable {
    package var request: Int64

    package init(request: Int64) { self.request = request }
}

extension ClientFrame {
    struct AddDeviceParts: ClientFrameParts {
        static let declaration = FrameDeclaration(
            "add_device", "Makes a code with which another device of the person signs in. Answer: device_code.", [
                .init("request", commonSchema("count"), "Echoed in the answer.")
            ], feature: .devices, example: #"{"type":"add_device","request":20}"#)

        mutating func read(_ name: JSONKey, _ reader: inout JSONReader, _ content: inout FrameContent) throws(JSONError) -> Bool {
            guard name == "request" else { return false }
            content.request = try reader.readCount()
            return true
        }

        func frame(_ content: inout FrameContent) throws(JSONError) -> ClientFrame {
            .addDevice(AddDeviceRequest(request: try content.need(content.request, "request")))
        }

        static func encode(_ request: AddDeviceRequest, into writer: inout JSONWriter) {
            writer.word("add_device")
            writer.key("request")
            writer.integer(request.request)
        }
    }
}
