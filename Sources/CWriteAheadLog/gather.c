// The layer of CWriteAheadLog.h.
//
// Source: https://sqlite.org/c3ref/vfs.html, https://sqlite.org/c3ref/io_methods.html, https://sqlite.org/walformat.html

#include "CWriteAheadLog.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The most that is kept of one file: thirty pages with their heads, behind the head of the log. A larger commit takes several writes. SQLite's layer for
// Unix writes at most 131,071 octets in one call, and says that the disk is full if it is given 131,072.
enum { CAPACITY = 32 + 30 * (24 + 4096) };

// The name of a layer is that of the layer below, with this before it.
#define PREFIX "log-"

// A log. The file of the layer below follows it in memory.
struct log {
    sqlite3_file base;
    // Where what is kept belongs, how much there is, and what keeps it; NULL until something is kept.
    sqlite3_int64 offset;
    int count;
    unsigned char *kept;
};

struct layer {
    sqlite3_vfs vfs;
    struct layer *next;
    char name[];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct layer *layers;

static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((struct log *)file + 1); }

// Hands on what is kept. After a failure nothing is kept: SQLite takes the transaction back, and writes the same place again.
static int hand_on(sqlite3_file *file) {
    struct log *log = (struct log *)file;
    int count = log->count;
    if (count == 0) return SQLITE_OK;
    log->count = 0;
    return below(file)->pMethods->xWrite(below(file), log->kept, count, log->offset);
}

static int log_write(sqlite3_file *file, const void *octets, int count, sqlite3_int64 offset) {
    struct log *log = (struct log *)file;
    if (log->count > 0 && (offset != log->offset + log->count || count > CAPACITY - log->count)) {
        int code = hand_on(file);
        if (code != SQLITE_OK) return code;
    }
    if (log->kept == NULL) log->kept = malloc(CAPACITY);
    if (log->kept == NULL || count > CAPACITY) return below(file)->pMethods->xWrite(below(file), octets, count, offset);
    if (log->count == 0) log->offset = offset;
    memcpy(log->kept + log->count, octets, (size_t)count);
    log->count += count;
    return SQLITE_OK;
}

static int log_read(sqlite3_file *file, void *into, int count, sqlite3_int64 offset) {
    int code = hand_on(file);
    return code != SQLITE_OK ? code : below(file)->pMethods->xRead(below(file), into, count, offset);
}

static int log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int code = hand_on(file);
    return code != SQLITE_OK ? code : below(file)->pMethods->xTruncate(below(file), size);
}

static int log_sync(sqlite3_file *file, int flags) {
    int code = hand_on(file);
    return code != SQLITE_OK ? code : below(file)->pMethods->xSync(below(file), flags);
}

static int log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = hand_on(file);
    return code != SQLITE_OK ? code : below(file)->pMethods->xFileSize(below(file), size);
}

static int log_close(sqlite3_file *file) {
    struct log *log = (struct log *)file;
    int written = hand_on(file);
    free(log->kept);
    int code = below(file)->pMethods->xClose(below(file));
    return written != SQLITE_OK ? written : code;
}

// A log is never locked, and its index belongs to the database file.
static int log_lock(sqlite3_file *file, int level) { return below(file)->pMethods->xLock(below(file), level); }
static int log_unlock(sqlite3_file *file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }
static int log_check_reserved(sqlite3_file *file, int *held) { return below(file)->pMethods->xCheckReservedLock(below(file), held); }
static int log_control(sqlite3_file *file, int operation, void *argument) {
    return below(file)->pMethods->xFileControl(below(file), operation, argument);
}
static int log_sector_size(sqlite3_file *file) { return below(file)->pMethods->xSectorSize(below(file)); }
static int log_characteristics(sqlite3_file *file) { return below(file)->pMethods->xDeviceCharacteristics(below(file)); }

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_check_reserved,
    .xFileControl = log_control,
    .xSectorSize = log_sector_size,
    .xDeviceCharacteristics = log_characteristics,
};

static sqlite3_vfs *vfs_below(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
    sqlite3_vfs *under = vfs_below(vfs);
    // The file of any other kind is the file of the layer below.
    if (!(flags & SQLITE_OPEN_WAL)) return under->xOpen(under, name, file, flags, out_flags);
    struct log *log = (struct log *)file;
    memset(log, 0, sizeof *log);
    int code = under->xOpen(under, name, below(file), flags, out_flags);
    // A failure may leave a file that wants to be closed.
    if (below(file)->pMethods != NULL) log->base.pMethods = &log_methods;
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int syncs) { return vfs_below(vfs)->xDelete(vfs_below(vfs), name, syncs); }
static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    return vfs_below(vfs)->xAccess(vfs_below(vfs), name, flags, answer);
}
static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *into) {
    return vfs_below(vfs)->xFullPathname(vfs_below(vfs), name, size, into);
}
static int vfs_randomness(sqlite3_vfs *vfs, int size, char *into) { return vfs_below(vfs)->xRandomness(vfs_below(vfs), size, into); }
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) { return vfs_below(vfs)->xSleep(vfs_below(vfs), microseconds); }
static int vfs_time(sqlite3_vfs *vfs, double *day) { return vfs_below(vfs)->xCurrentTime(vfs_below(vfs), day); }
static int vfs_time64(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    return vfs_below(vfs)->xCurrentTimeInt64(vfs_below(vfs), milliseconds);
}
static int vfs_last_error(sqlite3_vfs *vfs, int size, char *into) { return vfs_below(vfs)->xGetLastError(vfs_below(vfs), size, into); }

static void describe(struct layer *layer, sqlite3_vfs *under) {
    layer->vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(struct log) + under->szOsFile,
        .mxPathname = under->mxPathname,
        .zName = layer->name,
        .pAppData = under,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_pathname,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_time64,
    };
}

// Where the layer above `under` is, or would be. The name, too: another layer may be where one that is gone was in memory.
static struct layer **find(sqlite3_vfs *under) {
    struct layer **place = &layers;
    while (*place != NULL && (vfs_below(&(*place)->vfs) != under || strcmp((*place)->name + strlen(PREFIX), under->zName) != 0)) place = &(*place)->next;
    return place;
}

const char *cwal_layer(const char *below) {
    sqlite3_vfs *under = sqlite3_vfs_find(below);
    if (under == NULL || under->iVersion < 2) return NULL;
    pthread_mutex_lock(&mutex);
    struct layer **place = find(under);
    if (*place == NULL) {
        size_t size = strlen(under->zName) + sizeof PREFIX;
        struct layer *layer = calloc(1, sizeof *layer + size);
        if (layer != NULL) {
            snprintf(layer->name, size, PREFIX "%s", under->zName);
            describe(layer, under);
            if (sqlite3_vfs_register(&layer->vfs, 0) == SQLITE_OK) *place = layer; else free(layer);
        }
    }
    const char *name = *place == NULL ? NULL : (*place)->name;
    pthread_mutex_unlock(&mutex);
    return name;
}

void cwal_remove(const char *below) {
    sqlite3_vfs *under = sqlite3_vfs_find(below);
    if (under == NULL) return;
    pthread_mutex_lock(&mutex);
    struct layer **place = find(under);
    struct layer *layer = *place;
    if (layer != NULL) {
        *place = layer->next;
        sqlite3_vfs_unregister(&layer->vfs);
        free(layer);
    }
    pthread_mutex_unlock(&mutex);
}
