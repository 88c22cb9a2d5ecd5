import Glibc

/// A lock on a folder (flock(2)): it ends with the value, or with the process, however that ends.
package struct FolderLock: ~Copyable, Sendable {
    private let folder: FileDescriptor

    init(_ folder: consuming FileDescriptor) { self.folder = folder }

    deinit {
        // A close is not enough: a child that another thread has forked, and that does not execute its program yet, has
        // a copy of the descriptor, and the lock would last until that copy is closed as well.
        _ = flock(folder.raw, LOCK_UN)
    }
}
