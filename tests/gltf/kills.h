/* SPDX-License-Identifier: MIT */
/* Ends the process before its n-th call that changes files or folders. */
#ifndef SUP_TESTS_GLTF_KILLS_H
#define SUP_TESTS_GLTF_KILLS_H

/* Which call is not reached, from 1 on; 0: none. Set in a child process. */
extern unsigned kill_at;

#endif
