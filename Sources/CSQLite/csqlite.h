#ifndef HUDDLE_CSQLITE_H
#define HUDDLE_CSQLITE_H

#include <errno.h>
#include <sqlite3.h>

// The parts of <sqlite3.h> that Swift cannot import: the destructors SQLITE_STATIC and SQLITE_TRANSIENT are casts,
// sqlite3_db_config is variadic, and extended result codes are computed macros.

/// Stops SQLite from counting its memory, which takes a lock around every allocation of every connection. Has no effect
/// once a connection has been opened.
static inline int csqlite_leave_memory_uncounted(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// Binds a blob that SQLite copies before returning.
static inline int csqlite_bind_blob_copied(sqlite3_stmt *statement, int index, const void *octets, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, octets, count, SQLITE_TRANSIENT);
}

/// Binds a blob that SQLite only points to: it must stay in place until the parameter is bound again.
static inline int csqlite_bind_blob_lent(sqlite3_stmt *statement, int index, const void *octets, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, octets, count, SQLITE_STATIC);
}

/// Binds UTF-8 text that SQLite copies before returning.
static inline int csqlite_bind_text_copied(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds UTF-8 text that SQLite only points to: it must stay in place until the parameter is bound again.
static inline int csqlite_bind_text_lent(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, text, count, SQLITE_STATIC, SQLITE_UTF8);
}

/// Binds 16 octets, `high` first, each half big-endian, so that blobs sort like the numbers.
static inline int csqlite_bind_halves(sqlite3_stmt *statement, int index, sqlite3_uint64 high, sqlite3_uint64 low) {
    unsigned char octets[16];
    for (int i = 0; i < 8; i++) {
        octets[i] = (unsigned char)(high >> (56 - 8 * i));
        octets[8 + i] = (unsigned char)(low >> (56 - 8 * i));
    }
    return sqlite3_bind_blob64(statement, index, octets, 16, SQLITE_TRANSIENT);
}

/// Switches one boolean option of the connection (SQLITE_DBCONFIG_*).
static inline int csqlite_configure(sqlite3 *database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

/// The `errno` of the last system call that failed below the connection. sqlite3_system_errno() returns 0, or an old
/// value, if a COMMIT failed (seen with 3.40), so this asks the file layer as that function would.
static inline int csqlite_system_errno(sqlite3 *database) {
    sqlite3_vfs *vfs = (sqlite3_vfs *)0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_VFS_POINTER, &vfs) == SQLITE_OK && vfs && vfs->xGetLastError) {
        return vfs->xGetLastError(vfs, 0, (char *)0);
    }
    // The file was never opened.
    return sqlite3_system_errno(database);
}

enum {
    /// The index of the write-ahead log could not grow.
    CSQLITE_IOERR_SHMSIZE = SQLITE_IOERR_SHMSIZE,
    /// A write to a file failed.
    CSQLITE_IOERR_WRITE = SQLITE_IOERR_WRITE,
    /// No space on the disk, and none in the quota: the wrapper needs no libc for these two numbers.
    CSQLITE_ENOSPC = ENOSPC,
    CSQLITE_EDQUOT = EDQUOT,
};

#endif
