// The disk: images, what was not synced, crashes and planned failures. The model is described in CFaultVFS.h.
//
// `base` plus every change in `first`... is `shown`. A sync turns changes SYNCED and folds the leading SYNCED ones into
// `base`; behind a DOOMED one (its sync failed) they stay in the list, so that order is kept when a crash decides.

#include "world.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t worlds_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct world *worlds;

static void *must(void *memory) {
    if (memory == NULL) {
        fprintf(stderr, "faultvfs: out of memory\n");
        abort();
    }
    return memory;
}

static struct world *find(const char *name) {
    struct world *world = worlds;
    while (world != NULL && strcmp(world->name, name) != 0) world = world->next;
    return world;
}

// The world `name`, its mutex held.
static struct world *enter(const char *name) {
    pthread_mutex_lock(&worlds_mutex);
    struct world *world = find(name);
    pthread_mutex_unlock(&worlds_mutex);
    if (world == NULL) {
        fprintf(stderr, "faultvfs: no world is named %s\n", name);
        abort();
    }
    pthread_mutex_lock(&world->mutex);
    return world;
}

static void leave(struct world *world) { pthread_mutex_unlock(&world->mutex); }

// MARK: Images

static void image_resize(struct image *image, sqlite3_int64 size) {
    if (size > image->capacity) {
        sqlite3_int64 capacity = image->capacity < 4096 ? 4096 : image->capacity;
        while (capacity < size) capacity *= 2;
        image->octets = must(realloc(image->octets, (size_t)capacity));
        image->capacity = capacity;
    }
    if (size > image->size) memset(image->octets + image->size, 0, (size_t)(size - image->size));
    image->size = size;
}

static void image_write(struct image *image, sqlite3_int64 offset, const void *octets, sqlite3_int64 length) {
    if (length == 0) return;
    if (offset + length > image->size) image_resize(image, offset + length);
    memcpy(image->octets + offset, octets, (size_t)length);
}

static void image_apply(struct image *image, const struct change *change) {
    if (change->octets != NULL) {
        image_write(image, change->offset, change->octets, change->length);
    } else if (change->offset < image->size) {
        image_resize(image, change->offset);
    }
}

// MARK: Files

static void file_append(struct file *file, sqlite3_int64 offset, const void *octets, sqlite3_int64 length) {
    struct change *change = must(calloc(1, sizeof *change));
    change->offset = offset;
    change->length = length;
    if (octets != NULL) {
        change->octets = must(malloc((size_t)length + 1));
        memcpy(change->octets, octets, (size_t)length);
    }
    if (file->last != NULL) file->last->next = change; else file->first = change;
    file->last = change;
    image_apply(&file->shown, change);
}

static void file_drop_first(struct file *file) {
    struct change *change = file->first;
    file->first = change->next;
    if (file->first == NULL) file->last = NULL;
    free(change->octets);
    free(change);
}

int file_write(struct file *file, sqlite3_int64 offset, const void *octets, sqlite3_int64 length) {
    if (file->name == NULL) image_write(&file->shown, offset, octets, length);
    else file_append(file, offset, octets, length);
    return SQLITE_OK;
}

int file_truncate(struct file *file, sqlite3_int64 size) {
    if (size >= file->shown.size) return SQLITE_OK;
    if (file->name == NULL) image_resize(&file->shown, size);
    else file_append(file, size, NULL, 0);
    return SQLITE_OK;
}

void file_sync(struct file *file, enum change_state state) {
    for (struct change *change = file->first; change != NULL; change = change->next) {
        if (change->state == UNSYNCED) change->state = state;
    }
    while (file->first != NULL && file->first->state == SYNCED) {
        image_apply(&file->base, file->first);
        file_drop_first(file);
    }
}

static void file_free(struct file *file) {
    while (file->first != NULL) file_drop_first(file);
    for (int i = 0; i < file->region_count; i++) free(file->regions[i]);
    free(file->regions);
    free(file->shown.octets);
    free(file->base.octets);
    free(file->name);
    free(file);
}

struct file *world_find(struct world *world, const char *name) {
    for (struct file *file = world->files; file != NULL; file = file->next) {
        if (!file->deleted && file->name != NULL && strcmp(file->name, name) == 0) return file;
    }
    return NULL;
}

struct file *world_create(struct world *world, const char *name) {
    struct file *file = must(calloc(1, sizeof *file));
    if (name != NULL) {
        file->name = must(strdup(name));
        // The name now leads to the new file, also after a crash.
        struct file *next;
        for (struct file *old = world->files; old != NULL; old = next) {
            next = old->next;
            if (!old->may_return || strcmp(old->name, name) != 0) continue;
            old->may_return = 0;
            world_release(world, old);
        }
    }
    file->next = world->files;
    world->files = file;
    return file;
}

// Frees a file that nobody can reach any more.
void world_release(struct world *world, struct file *file) {
    if (file->handles != NULL || (file->name != NULL && (!file->deleted || file->may_return))) return;
    struct file **place = &world->files;
    while (*place != file) place = &(*place)->next;
    *place = file->next;
    file_free(file);
}

// Makes all deletions so far durable.
void world_sync_folder(struct world *world) {
    struct file *next;
    for (struct file *file = world->files; file != NULL; file = next) {
        next = file->next;
        file->may_return = 0;
        world_release(world, file);
    }
}

void file_delete(struct file *file) {
    file->deleted = 1;
    file->may_return = 1;
}

// MARK: Faults

static unsigned long long draw(struct world *world) { // splitmix64
    unsigned long long z = world->random += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

static int fits(enum operation operation, int code) {
    switch (code) {
    case SQLITE_FULL:
    case SQLITE_IOERR_WRITE: return operation == WRITE;
    case SQLITE_IOERR_FSYNC: return operation == SYNC;
    case SQLITE_IOERR_TRUNCATE: return operation == TRUNCATE;
    case SQLITE_IOERR_DELETE: return operation == DELETE;
    default: return 1;
    }
}

enum verdict world_begin(struct world *world, enum operation operation) {
    if (world->crashed) {
        world->last_errno = EIO;
        return DEAD;
    }
    world->operations += 1;
    if (world->crash_in > 0 && --world->crash_in == 0) {
        world_power_off(world);
        return CRASH;
    }
    if (world->fail_in > 0) world->fail_in -= 1;
    if (world->fail_in == 0 && world->fail_left != 0 && fits(operation, world->fail_code)) {
        if (world->fail_left > 0) world->fail_left -= 1;
        world->failures += 1;
        world->last_errno = world->fail_code == SQLITE_FULL ? ENOSPC : EIO;
        return FAIL;
    }
    return PROCEED;
}

void world_power_off(struct world *world) {
    world->crashed = 1;
    world->crash_in = 0;
    world->last_errno = EIO;
}

static void file_settle(struct world *world, struct file *file) {
    while (file->first != NULL) {
        struct change *change = file->first;
        int fate = world->mode == FAULTVFS_RANDOM ? (int)(draw(world) % 3) : world->mode == FAULTVFS_KEEP;
        if (change->state == SYNCED || fate == 1) {
            image_apply(&file->base, change);
        } else if (fate == 2 && change->octets == NULL) {
            if (draw(world) & 1) image_apply(&file->base, change);
        } else if (fate == 2) {
            sqlite3_int64 end = change->offset + change->length;
            for (sqlite3_int64 start = change->offset; start < end;) {
                sqlite3_int64 stop = (start / SECTOR + 1) * SECTOR;
                if (stop > end) stop = end;
                if (draw(world) & 1) image_write(&file->base, start, change->octets + (start - change->offset), stop - start);
                start = stop;
            }
        }
        file_drop_first(file);
    }
    image_resize(&file->shown, 0);
    image_write(&file->shown, 0, file->base.octets, file->base.size);
}

static void world_settle(struct world *world) {
    struct file *next;
    for (struct file *file = world->files; file != NULL; file = next) {
        next = file->next;
        if (file->may_return) {
            int returns = world->mode == FAULTVFS_RANDOM ? (int)(draw(world) & 1) : world->mode == FAULTVFS_LOSE;
            file->deleted = !returns;
            file->may_return = 0;
        }
        file_settle(world, file);
        world_release(world, file);
    }
}

static void world_cancel_plans(struct world *world) {
    world->crash_in = 0;
    world->fail_in = world->fail_left = 0;
}

// MARK: Control

int faultvfs_register(const char *name) {
    pthread_mutex_lock(&worlds_mutex);
    int code = SQLITE_OK;
    if (find(name) == NULL) {
        struct world *world = must(calloc(1, sizeof *world));
        world->name = must(strdup(name));
        pthread_mutex_init(&world->mutex, NULL);
        vfs_describe(&world->vfs, world);
        code = sqlite3_vfs_register(&world->vfs, 0);
        world->next = worlds;
        worlds = world;
    }
    pthread_mutex_unlock(&worlds_mutex);
    return code;
}

int faultvfs_reset(const char *name) {
    struct world *world = enter(name);
    int open = world->handle_count;
    if (open == 0) {
        while (world->files != NULL) {
            struct file *file = world->files;
            world->files = file->next;
            file_free(file);
        }
        world_cancel_plans(world);
        world->operations = world->syncs = world->failures = 0;
        world->crashed = world->lies = world->last_errno = 0;
    }
    leave(world);
    return open;
}

int faultvfs_remove(const char *name) {
    int open = faultvfs_reset(name);
    if (open != 0) return open;
    pthread_mutex_lock(&worlds_mutex);
    struct world **place = &worlds;
    while (*place != NULL && strcmp((*place)->name, name) != 0) place = &(*place)->next;
    struct world *world = *place;
    if (world != NULL) *place = world->next;
    pthread_mutex_unlock(&worlds_mutex);
    if (world == NULL) return 0;
    sqlite3_vfs_unregister(&world->vfs);
    pthread_mutex_destroy(&world->mutex);
    free(world->name);
    free(world);
    return 0;
}

long faultvfs_operations(const char *name) {
    struct world *world = enter(name);
    long count = world->operations;
    leave(world);
    return count;
}

long faultvfs_syncs(const char *name) {
    struct world *world = enter(name);
    long count = world->syncs;
    leave(world);
    return count;
}

long faultvfs_failures(const char *name) {
    struct world *world = enter(name);
    long count = world->failures;
    leave(world);
    return count;
}

int faultvfs_open_handles(const char *name) {
    struct world *world = enter(name);
    int count = world->handle_count;
    leave(world);
    return count;
}

void faultvfs_crash_at(const char *name, long n, enum faultvfs_mode mode, unsigned long long seed) {
    struct world *world = enter(name);
    world->crash_in = n;
    world->mode = mode;
    world->random = seed;
    leave(world);
}

void faultvfs_crash_now(const char *name, enum faultvfs_mode mode, unsigned long long seed) {
    struct world *world = enter(name);
    if (!world->crashed) {
        world->mode = mode;
        world->random = seed;
        world_power_off(world);
    }
    leave(world);
}

int faultvfs_crashed(const char *name) {
    struct world *world = enter(name);
    int crashed = world->crashed;
    leave(world);
    return crashed;
}

int faultvfs_restart(const char *name) {
    struct world *world = enter(name);
    int open = world->handle_count;
    if (open == 0) {
        if (world->crashed && world->mode != FAULTVFS_KILL) world_settle(world);
        world->crashed = world->last_errno = 0;
        world_cancel_plans(world);
    }
    leave(world);
    return open;
}

void faultvfs_fail_at(const char *name, long n, int code, long count) {
    struct world *world = enter(name);
    world->fail_in = n;
    world->fail_left = n == 0 ? 0 : count;
    world->fail_code = code;
    leave(world);
}

void faultvfs_lie_about_sync(const char *name, int lies) {
    struct world *world = enter(name);
    world->lies = lies;
    leave(world);
}
