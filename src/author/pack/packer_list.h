/* SPDX-License-Identifier: MIT */
/* The packers of this build's techniques, each in its own file. */
#ifndef SUP_SRC_AUTHOR_PACK_PACKER_LIST_H
#define SUP_SRC_AUTHOR_PACK_PACKER_LIST_H

#include "supple/author/packers.h"

extern const SupPacker sup_chunks_packer;
extern const SupPacker sup_correctives_packer;
extern const SupPacker sup_envelope_packer;
extern const SupPacker sup_helpers_packer;
extern const SupPacker sup_modes_packer;
extern const SupPacker sup_popping_packer;
extern const SupPacker sup_skin_packer;

#endif
