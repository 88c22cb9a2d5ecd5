// The functions that SQLite calls: files, locks between connections, and the shared memory of WAL, over the disk of world.c.
//
// Source: https://sqlite.org/c3ref/vfs.html, https://sqlite.org/c3ref/io_methods.html

#include "world.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct handle *enter(sqlite3_file *file) {
    struct handle *handle = (struct handle *)file;
    pthread_mutex_lock(&handle->world->mutex);
    return handle;
}

static int leave(struct handle *handle, int code) {
    pthread_mutex_unlock(&handle->world->mutex);
    return code;
}

static int is_dead(struct handle *handle) {
    if (handle->world->crashed) handle->world->last_errno = EIO;
    return handle->world->crashed;
}

// MARK: Octets

static int handle_read(sqlite3_file *base, void *into, int count, sqlite3_int64 offset) {
    struct handle *handle = enter(base);
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_READ);
    const struct image *shown = &handle->file->shown;
    sqlite3_int64 there = shown->size - offset;
    if (there < 0) there = 0;
    if (there > count) there = count;
    if (there > 0) memcpy(into, shown->octets + offset, (size_t)there);
    memset((char *)into + there, 0, (size_t)(count - there));
    return leave(handle, there == count ? SQLITE_OK : SQLITE_IOERR_SHORT_READ);
}

static int handle_write(sqlite3_file *base, const void *octets, int count, sqlite3_int64 offset) {
    struct handle *handle = enter(base);
    struct file *file = handle->file;
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_WRITE);
    if (handle->read_only) return leave(handle, SQLITE_READONLY);
    if (file->name == NULL) return leave(handle, file_write(file, offset, octets, count));
    switch (world_begin(handle->world, WRITE)) {
    case PROCEED: return leave(handle, file_write(file, offset, octets, count));
    case CRASH:
        file_write(file, offset, octets, count);
        return leave(handle, SQLITE_IOERR_WRITE);
    case FAIL: {
        int half = count / 2 / SECTOR * SECTOR;
        if (half > 0) file_write(file, offset, octets, half);
        return leave(handle, handle->world->fail_code);
    }
    default: return leave(handle, SQLITE_IOERR_WRITE);
    }
}

static int handle_truncate(sqlite3_file *base, sqlite3_int64 size) {
    struct handle *handle = enter(base);
    struct file *file = handle->file;
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_TRUNCATE);
    if (handle->read_only) return leave(handle, SQLITE_READONLY);
    if (file->name == NULL) return leave(handle, file_truncate(file, size));
    switch (world_begin(handle->world, TRUNCATE)) {
    case PROCEED: return leave(handle, file_truncate(file, size));
    case CRASH:
        file_truncate(file, size);
        return leave(handle, SQLITE_IOERR_TRUNCATE);
    case FAIL: return leave(handle, handle->world->fail_code);
    default: return leave(handle, SQLITE_IOERR_TRUNCATE);
    }
}

static int handle_sync(sqlite3_file *base, int flags) {
    (void)flags;
    struct handle *handle = enter(base);
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_FSYNC);
    if (handle->file->name == NULL) return leave(handle, SQLITE_OK);
    switch (world_begin(handle->world, SYNC)) {
    case PROCEED:
        if (!handle->world->lies) {
            file_sync(handle->file, SYNCED);
            if (handle->syncs_folder) world_sync_folder(handle->world);
            handle->syncs_folder = 0;
        }
        handle->world->syncs += 1;
        return leave(handle, SQLITE_OK);
    case FAIL:
        file_sync(handle->file, DOOMED);
        return leave(handle, handle->world->fail_code);
    default: return leave(handle, SQLITE_IOERR_FSYNC);
    }
}

static int handle_size(sqlite3_file *base, sqlite3_int64 *size) {
    struct handle *handle = enter(base);
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_FSTAT);
    *size = handle->file->shown.size;
    return leave(handle, SQLITE_OK);
}

// MARK: Locks (https://sqlite.org/lockingv3.html)

static int shared_by_others(const struct handle *handle) {
    for (const struct handle *other = handle->file->handles; other != NULL; other = other->next) {
        if (other != handle && other->level >= SQLITE_LOCK_SHARED) return 1;
    }
    return 0;
}

static int is_other(const struct handle *owner, const struct handle *handle) { return owner != NULL && owner != handle; }

static int handle_lock(sqlite3_file *base, int level) {
    struct handle *handle = enter(base);
    struct file *file = handle->file;
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_LOCK);
    if (handle->level >= level) return leave(handle, SQLITE_OK);
    if (is_other(file->pending, handle) || is_other(file->exclusive, handle)) return leave(handle, SQLITE_BUSY);
    if (level >= SQLITE_LOCK_RESERVED) {
        if (is_other(file->reserved, handle)) return leave(handle, SQLITE_BUSY);
        if (level == SQLITE_LOCK_RESERVED) file->reserved = handle;
    }
    if (level >= SQLITE_LOCK_PENDING) {
        // Stays pending when others read: no new reader comes in, and the old ones leave in time.
        file->pending = handle;
        handle->level = SQLITE_LOCK_PENDING;
        if (level == SQLITE_LOCK_EXCLUSIVE) {
            if (shared_by_others(handle)) return leave(handle, SQLITE_BUSY);
            file->exclusive = handle;
        }
    }
    handle->level = level;
    return leave(handle, SQLITE_OK);
}

static void release_locks(struct handle *handle, int level) {
    struct file *file = handle->file;
    if (handle->level <= level) return;
    if (file->reserved == handle) file->reserved = NULL;
    if (file->pending == handle) file->pending = NULL;
    if (file->exclusive == handle) file->exclusive = NULL;
    handle->level = level;
}

static int handle_unlock(sqlite3_file *base, int level) {
    struct handle *handle = enter(base);
    release_locks(handle, level);
    return leave(handle, SQLITE_OK);
}

static int handle_check_reserved(sqlite3_file *base, int *is_reserved) {
    struct handle *handle = enter(base);
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_CHECKRESERVEDLOCK);
    struct file *file = handle->file;
    *is_reserved = file->reserved != NULL || file->pending != NULL || file->exclusive != NULL;
    return leave(handle, SQLITE_OK);
}

// MARK: Shared memory of WAL (https://sqlite.org/walformat.html, "WAL-Index")

static int handle_shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **memory) {
    struct handle *handle = enter(base);
    struct file *file = handle->file;
    *memory = NULL;
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_SHMMAP);
    handle->uses_shared_memory = 1;
    if (region >= file->region_count) {
        if (!extend) return leave(handle, SQLITE_OK);
        void **regions = realloc(file->regions, (size_t)(region + 1) * sizeof *regions);
        if (regions == NULL) return leave(handle, SQLITE_IOERR_NOMEM);
        file->regions = regions;
        while (file->region_count <= region) {
            void *fresh = calloc(1, (size_t)size);
            if (fresh == NULL) return leave(handle, SQLITE_IOERR_NOMEM);
            file->regions[file->region_count++] = fresh;
        }
    }
    *memory = file->regions[region];
    return leave(handle, SQLITE_OK);
}

static int handle_shm_lock(sqlite3_file *base, int first, int count, int flags) {
    struct handle *handle = enter(base);
    unsigned slots = ((1u << count) - 1) << first;
    if (flags & SQLITE_SHM_UNLOCK) {
        if (flags & SQLITE_SHM_SHARED) handle->shared_slots &= ~slots;
        else handle->exclusive_slots &= ~slots;
        return leave(handle, SQLITE_OK);
    }
    if (is_dead(handle)) return leave(handle, SQLITE_IOERR_SHMLOCK);
    for (const struct handle *other = handle->file->handles; other != NULL; other = other->next) {
        if (other == handle) continue;
        unsigned against = other->exclusive_slots | (flags & SQLITE_SHM_EXCLUSIVE ? other->shared_slots : 0);
        if (against & slots) return leave(handle, SQLITE_BUSY);
    }
    if (flags & SQLITE_SHM_SHARED) handle->shared_slots |= slots;
    else handle->exclusive_slots |= slots;
    return leave(handle, SQLITE_OK);
}

static void handle_shm_barrier(sqlite3_file *base) {
    __sync_synchronize();
    leave(enter(base), 0);
}

static void release_shared_memory(struct handle *handle) {
    struct file *file = handle->file;
    handle->shared_slots = handle->exclusive_slots = 0;
    handle->uses_shared_memory = 0;
    for (const struct handle *other = file->handles; other != NULL; other = other->next) {
        if (other->uses_shared_memory) return;
    }
    // As with SQLite's -shm file: who comes next finds it empty and builds it from the log.
    for (int i = 0; i < file->region_count; i++) free(file->regions[i]);
    free(file->regions);
    file->regions = NULL;
    file->region_count = 0;
}

static int handle_shm_unmap(sqlite3_file *base, int deletes) {
    (void)deletes;
    struct handle *handle = enter(base);
    release_shared_memory(handle);
    return leave(handle, SQLITE_OK);
}

// MARK: The rest of a handle

static int handle_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int handle_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int handle_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int handle_close(sqlite3_file *base) {
    struct handle *handle = enter(base);
    struct world *world = handle->world;
    struct file *file = handle->file;
    release_locks(handle, SQLITE_LOCK_NONE);
    if (handle->uses_shared_memory) release_shared_memory(handle);
    struct handle **place = &file->handles;
    while (*place != handle) place = &(*place)->next;
    *place = handle->next;
    world->handle_count -= 1;
    if (handle->delete_on_close) file->deleted = 1;
    world_release(world, file);
    pthread_mutex_unlock(&world->mutex);
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = handle_close,
    .xRead = handle_read,
    .xWrite = handle_write,
    .xTruncate = handle_truncate,
    .xSync = handle_sync,
    .xFileSize = handle_size,
    .xLock = handle_lock,
    .xUnlock = handle_unlock,
    .xCheckReservedLock = handle_check_reserved,
    .xFileControl = handle_control,
    .xSectorSize = handle_sector_size,
    .xDeviceCharacteristics = handle_characteristics,
    .xShmMap = handle_shm_map,
    .xShmLock = handle_shm_lock,
    .xShmBarrier = handle_shm_barrier,
    .xShmUnmap = handle_shm_unmap,
};

// MARK: The layer

static struct world *world_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
    struct world *world = world_of(vfs);
    struct handle *handle = (struct handle *)base;
    memset(handle, 0, sizeof *handle);
    pthread_mutex_lock(&world->mutex);
    int code = SQLITE_CANTOPEN;
    struct file *file = name == NULL ? NULL : world_find(world, name);
    if (world->crashed) {
        world->last_errno = EIO;
        goto end;
    }
    if (file != NULL && flags & SQLITE_OPEN_CREATE && flags & SQLITE_OPEN_EXCLUSIVE) {
        world->last_errno = EEXIST;
        goto end;
    }
    if (file == NULL && name != NULL && !(flags & SQLITE_OPEN_CREATE)) {
        world->last_errno = ENOENT;
        goto end;
    }
    if (file == NULL) file = world_create(world, name);
    handle->base.pMethods = &methods;
    handle->world = world;
    handle->file = file;
    handle->read_only = (flags & SQLITE_OPEN_READONLY) != 0;
    handle->delete_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    // SQLite's unix layer syncs the folder with the first sync of a log or journal, so that its name is durable too.
    const int journals = SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
    handle->syncs_folder = flags & SQLITE_OPEN_CREATE && flags & journals;
    handle->next = file->handles;
    file->handles = handle;
    world->handle_count += 1;
    if (out_flags != NULL) *out_flags = flags;
    code = SQLITE_OK;
end:
    pthread_mutex_unlock(&world->mutex);
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_folder) {
    struct world *world = world_of(vfs);
    pthread_mutex_lock(&world->mutex);
    struct file *file = world_find(world, name);
    int code = SQLITE_OK;
    if (world->crashed) {
        world->last_errno = EIO;
        code = SQLITE_IOERR_DELETE;
    } else if (file == NULL) {
        world->last_errno = ENOENT;
        code = SQLITE_IOERR_DELETE_NOENT;
    } else {
        switch (world_begin(world, DELETE)) {
        case PROCEED:
            file_delete(file);
            if (sync_folder && !world->lies) world_sync_folder(world);
            break;
        case CRASH:
            file_delete(file);
            code = SQLITE_IOERR_DELETE;
            break;
        case FAIL: code = world->fail_code; break;
        default: code = SQLITE_IOERR_DELETE; break;
        }
    }
    pthread_mutex_unlock(&world->mutex);
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    (void)flags;
    struct world *world = world_of(vfs);
    pthread_mutex_lock(&world->mutex);
    int code = world->crashed ? SQLITE_IOERR_ACCESS : SQLITE_OK;
    struct file *file = world_find(world, name);
    // As the unix layer does: an empty file does not exist, so that an empty log or journal is not hot.
    *answer = file != NULL && (flags != SQLITE_ACCESS_EXISTS || file->shown.size > 0);
    pthread_mutex_unlock(&world->mutex);
    return code;
}

static int vfs_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *into) {
    (void)vfs;
    if (strlen(name) >= (size_t)size) return SQLITE_CANTOPEN;
    strcpy(into, name);
    return SQLITE_OK;
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *into) {
    (void)size, (void)into;
    struct world *world = world_of(vfs);
    pthread_mutex_lock(&world->mutex);
    int code = world->last_errno;
    pthread_mutex_unlock(&world->mutex);
    return code;
}

// The clock, sleep and chance are those of the system.

static int vfs_randomness(sqlite3_vfs *vfs, int size, char *into) {
    (void)vfs;
    sqlite3_vfs *root = sqlite3_vfs_find(NULL);
    return root->xRandomness(root, size, into);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    sqlite3_vfs *root = sqlite3_vfs_find(NULL);
    return root->xSleep(root, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *day) {
    (void)vfs;
    sqlite3_vfs *root = sqlite3_vfs_find(NULL);
    return root->xCurrentTime(root, day);
}

static int vfs_time64(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    (void)vfs;
    sqlite3_vfs *root = sqlite3_vfs_find(NULL);
    return root->xCurrentTimeInt64(root, milliseconds);
}

void vfs_describe(sqlite3_vfs *vfs, struct world *world) {
    vfs->iVersion = 2;
    vfs->szOsFile = sizeof(struct handle);
    vfs->mxPathname = 1024;
    vfs->zName = world->name;
    vfs->pAppData = world;
    vfs->xOpen = vfs_open;
    vfs->xDelete = vfs_delete;
    vfs->xAccess = vfs_access;
    vfs->xFullPathname = vfs_full_pathname;
    vfs->xRandomness = vfs_randomness;
    vfs->xSleep = vfs_sleep;
    vfs->xCurrentTime = vfs_time;
    vfs->xGetLastError = vfs_last_error;
    vfs->xCurrentTimeInt64 = vfs_time64;
}
