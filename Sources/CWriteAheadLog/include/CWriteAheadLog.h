#ifndef HUDDLE_CWRITEAHEADLOG_H
#define HUDDLE_CWRITEAHEADLOG_H

/// A file layer of SQLite that gathers the writes of a write-ahead log and gives them to the layer below in one piece.
///
/// SQLite writes each page of a commit to its log with two calls, 24 octets of head and 4,096 of content, and both begin and end within pages of the
/// kernel's cache. This layer keeps what follows on what it keeps already, and hands it on before anybody can ask for it: before a sync, and before
/// anything else is done with the file. Other connections read a page of the log only after the sync of its commit (`PRAGMA synchronous = FULL`),
/// so none of them can miss what is kept here. All other files are those of the layer below, untouched.
///
/// - Parameter below: the name of a registered layer; NULL is the system's.
/// - Returns: the name of the layer, valid for the life of the process; NULL if there is no layer `below`, or no memory. The same name for the same
///   layer: a layer `below` that is taken away has to be taken away here first (`cwal_remove`).
const char *cwal_layer(const char *below);

/// Takes the layer above `below` away again, for tests: no connection may use it.
void cwal_remove(const char *below);

#endif
