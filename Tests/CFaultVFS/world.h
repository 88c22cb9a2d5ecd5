#ifndef HUDDLE_CFAULTVFS_WORLD_H
#define HUDDLE_CFAULTVFS_WORLD_H

#include "CFaultVFS.h"
#include <pthread.h>
#include <sqlite3.h>

// The disk behind the file layer. Everything here is called with the world's mutex held, unless it says otherwise.

enum { SECTOR = 512 };

struct image {
    unsigned char *octets;
    sqlite3_int64 size, capacity;
};

enum change_state { UNSYNCED, SYNCED, DOOMED };

// A write (`octets` not NULL), or a truncation to `offset`.
struct change {
    struct change *next;
    enum change_state state;
    sqlite3_int64 offset, length;
    unsigned char *octets;
};

struct handle;

struct file {
    struct file *next;
    char *name;              // NULL: temporary
    int deleted;             // no longer found by its name; goes with its last handle
    int may_return;          // deleted without a sync of the folder
    struct image shown;      // what reads give
    struct image base;       // the durable octets, to which `first`... are applied
    struct change *first, *last;
    struct handle *handles;  // open ones
    struct handle *reserved, *pending, *exclusive;
    void **regions;          // shared memory of WAL
    int region_count;
};

struct handle {
    sqlite3_file base; // must be first
    struct world *world;
    struct file *file;
    struct handle *next;
    int level;               // SQLITE_LOCK_…
    int read_only, delete_on_close;
    int syncs_folder;        // with its first sync
    int uses_shared_memory;
    unsigned shared_slots, exclusive_slots;
};

enum operation { WRITE, TRUNCATE, SYNC, DELETE };

struct world {
    struct world *next;
    pthread_mutex_t mutex;
    sqlite3_vfs vfs;
    char *name;
    struct file *files;
    int handle_count;
    long operations, syncs, failures;
    int last_errno;          // as errno: success leaves it alone
    int crashed;
    long crash_in;           // operations until the crash, 0: none planned
    enum faultvfs_mode mode;
    unsigned long long random;
    long fail_in, fail_left; // operations until failures begin, 0: now or never; how many, -1: all
    int fail_code;
    int lies;
};

// The treatment of an operation that has just begun.
enum verdict { PROCEED, FAIL, CRASH, DEAD };

enum verdict world_begin(struct world *world, enum operation operation);
void world_power_off(struct world *world);

struct file *world_find(struct world *world, const char *name);
struct file *world_create(struct world *world, const char *name);
void file_delete(struct file *file);
void world_sync_folder(struct world *world);
void world_release(struct world *world, struct file *file);

int file_write(struct file *file, sqlite3_int64 offset, const void *octets, sqlite3_int64 length);
int file_truncate(struct file *file, sqlite3_int64 size);
void file_sync(struct file *file, enum change_state state);

// In faultvfs.c: what SQLite calls.
void vfs_describe(sqlite3_vfs *vfs, struct world *world);

#endif
