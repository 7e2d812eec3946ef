/* SPDX-License-Identifier: MIT */
/*
 * What outputs are called until they are complete: `.supple-PID-N` beside their destination.
 *
 * Whoever makes one holds a lock on it (flock) while it is in use, which ends with the process
 * however that ends. A later run removes what a killed one left in the folder where it writes: a
 * name whose process is gone, whose lock is free and which was last written a day ago. The process
 * alone would not do: its number may mean another process on another machine or in another
 * container that shares the folder. There the lock is seen, unless the file system locks within one
 * machine only (sshfs, NFS with local_lock): hence the day. Where a file system cannot lock,
 * nothing is removed. A number that was given to another process meanwhile keeps the file until
 * that one has ended, too.
 */
#ifndef SUP_IO_TEMPORARY_H
#define SUP_IO_TEMPORARY_H

#include "supple/base.h"

/* Bytes that a temporary name has beyond the destination's folder, at most. */
#define SUP_TEMPORARY_LENGTH 48

/* Makes a file of a free name beside `path`, writes the name into
 * out_name[strlen(path) + SUP_TEMPORARY_LENGTH] and returns its descriptor, which holds the lock;
 * or -1 with errno, and an empty name. Removes what killed runs left there. */
int sup_temporary_file(const char *path, char *out_name);

/* The same for a folder; false with errno, or true and *out_lock is a descriptor to be closed when
 * it is no longer in use. */
bool sup_temporary_folder(const char *path, char *out_name, int *out_lock);

/* Removes whatever is at `path`, links themselves and not where they lead. Tries again if another
 * thread was just putting something into it. */
void sup_remove_tree(const char *path);

#endif
