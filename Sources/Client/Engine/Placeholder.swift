internal import Wire
// Until the codec is here.
extension ClientFrame { func encode() -> [UInt8] { [] } }
