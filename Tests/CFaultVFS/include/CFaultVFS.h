#ifndef HUDDLE_CFAULTVFS_H
#define HUDDLE_CFAULTVFS_H

// A disk in memory that loses what was not synced: a file layer (VFS) of SQLite for tests.
//
// One *world* is one disk with its own files and its own name, under which SQLite opens files on it
// (`sqlite3_open_v2(…, name)`). Worlds share nothing. Several connections and threads may use one world: locks and the
// shared memory of WAL work between them as between processes.
//
// The model
// - Each file has the octets that the system shows (what was written), and a list of writes and truncations that no sync
//   has followed yet. A sync makes those of its file durable, in order; one file's sync does nothing for another.
// - A write never disturbs octets outside of it, and a sector of 512 octets is written whole or not at all: what SQLite
//   calls powersafe overwrite and assumes by default of ext4 and xfs on Linux. The layer reports just what SQLite's unix
//   VFS reports there: sector size 4096, SQLITE_IOCAP_POWERSAFE_OVERWRITE, nothing else.
// - Creating a file is durable immediately (as an empty file). A deleted file may come back after a crash until the folder is
//   synced, or a new file takes its name. As with SQLite's unix VFS the folder is synced by a deletion that asks for it,
//   and by the first sync of a log or journal after it was opened.
// - A failed write leaves the first half of its octets written. A failed sync leaves what it should have synced shown but
//   never to be made durable by a later sync (as Linux does: the pages count as clean), until it is written again.
// - Temporary files without a name work, and are never counted, failed or kept.
//
// *Operations* are writes, truncations, syncs and deletions of named files. Counting from now, the next one is number 1.
// A world that was never registered aborts the process: that is a fault of the test.

/// The fate of the operations that were not synced when the power failed.
enum faultvfs_mode {
    /// None reached the disk.
    FAULTVFS_LOSE = 0,
    /// All did.
    FAULTVFS_KEEP = 1,
    /// By seed and independently of each other: a third did not, a third did, a third was torn, where each sector did
    /// or did not. Their order plays no part.
    FAULTVFS_RANDOM = 2,
    /// No power failure: the process was killed, the machine continues. Nothing is lost and nothing becomes durable, so
    /// that what was not synced is shown after the restart and may be lost by the next failure.
    FAULTVFS_KILL = 3,
};

/// Makes the world `name` and registers it with SQLite; a world that exists is left as it is.
/// - Returns: `SQLITE_OK`, or SQLite's code.
int faultvfs_register(const char *name);

/// Ends the world `name`.
/// - Returns: 0, or the number of handles still open on it; then nothing was done.
int faultvfs_remove(const char *name);

/// An empty disk, no faults planned, counts at zero.
/// - Returns: 0, or the number of handles still open on it; then nothing was done.
int faultvfs_reset(const char *name);

/// Operations so far, the failed ones included; those after a crash are not counted.
long faultvfs_operations(const char *name);

/// Syncs so far that answered `SQLITE_OK`.
long faultvfs_syncs(const char *name);

/// Handles open now.
int faultvfs_open_handles(const char *name);

/// Plans that the power fails at the n-th operation from now (`n` >= 1; 0 cancels the plan). That operation counts as not
/// synced. From then on every call fails with a code of the `SQLITE_IOERR` family, except for closing and unlocking.
void faultvfs_crash_at(const char *name, long n, enum faultvfs_mode mode, unsigned long long seed);

/// The power fails now, between two operations.
void faultvfs_crash_now(const char *name, enum faultvfs_mode mode, unsigned long long seed);

/// 1 after the power has failed and before `faultvfs_restart`, else 0.
int faultvfs_crashed(const char *name);

/// Starts again: after a crash the files become what its mode left of them, all of it durable (but for `FAULTVFS_KILL`).
/// Without a crash nothing is lost, and nothing becomes durable. Plans for crashes and failures end.
/// - Returns: 0, or the number of handles still open; then nothing was done. Close all connections first.
int faultvfs_restart(const char *name);

/// Plans that operations fail with `code`, starting at the n-th from now (`n` >= 1; 0 cancels the plan): the next `count`
/// that the code fits, or all from there on for -1. `SQLITE_FULL` and `SQLITE_IOERR_WRITE` fit writes,
/// `SQLITE_IOERR_FSYNC` syncs, `SQLITE_IOERR_TRUNCATE` truncations, `SQLITE_IOERR_DELETE` deletions, other codes
/// everything. The system's error is ENOSPC for `SQLITE_FULL` and EIO for the others.
void faultvfs_fail_at(const char *name, long n, int code, long count);

/// Operations that were failed by a plan so far.
long faultvfs_failures(const char *name);

/// A disk that answers syncs immediately and makes nothing durable, to prove that a test would see a loss.
void faultvfs_lie_about_sync(const char *name, int lies);

#endif
