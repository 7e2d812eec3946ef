/* SPDX-License-Identifier: MIT */
/*
 * Supple: a character in a file: opening it, its clips by name, and the names of the files that
 * their motion is written to.
 */
#ifndef SUPPLE_APP_CHARACTER_FILE_H
#define SUPPLE_APP_CHARACTER_FILE_H

#include "supple/app/app_context.h"
#include "supple/author/joint_map.h"
#include "supple/clip.h"
#include "supple/io/cache.h"
#include "supple/io/gltf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a document is opened. Start from sup_open_def. */
typedef struct SupOpenDef {
  uint32_t cookie;
  const char *character; /* which one, by name or number from 1; NULL: the first */
  const char *color_map; /* the red of vertex colours is read as this map; NULL: it is not */
  bool allow_external;   /* a .gltf may use files outside its own folder */
} SupOpenDef;

SupOpenDef sup_open_def(void);

/* An open character. The document belongs to it; all else is in the context's arena. */
typedef struct SupCharacterFile {
  const char *path;
  SupGltf *document;
  const SupGltfCharacter *found; /* where its pieces are in the file */
  const SupCharacter *character;
  const char *clips_path;  /* the file that its clips are from */
  SupGltf *clips_document; /* NULL: `document` */
} SupCharacterFile;

/* Names of clips as somebody gave them; none: all clips of the file. */
typedef struct SupNames {
  uint32_t count;
  const char *const *names; /* [count] */
} SupNames;

/* Marks those of `list` that the names give by sup_name_find, with others of the same name:
 * out_marked[list.count]. One that
 * gives none is refused: "--option: 'X' is not WHOSE; did you mean 'Y'?". */
SupResult sup_names_mark(const SupNames *names, SupNameList list, const char *option,
                         const char *whose, bool *out_marked, SupError *error);

/* Opens a document within app->document_limit; close it with sup_gltf_close. */
SupResult sup_file_open(const SupAppContext *app, const char *path, const SupOpenDef *def,
                        SupGltf **out_document, SupError *error);

/* Opens the file and picks its character. `path` must stay valid. Close it after use. */
SupResult sup_character_open(const SupAppContext *app, const char *path, const SupOpenDef *def,
                             SupCharacterFile *out_file, SupError *error);
void sup_character_close(SupCharacterFile *file);

/* Marks io_character->helper_joints, the joints that a helpers model in the file moves, as
 * sup_character_open does. A model that is not sound is left to whoever plays it. */
SupResult sup_mark_helpers(const SupAppContext *app, const SupCharacterFile *file,
                           SupCharacter *io_character, SupError *error);

/* Notes that joints of helpers stay, where models of the file are about to be dropped: flesh shares
 * its weights with them, and nothing moves them any more. */
void sup_note_helper_joints(const SupAppContext *app, const SupCharacterFile *file);

/* Notes that the file's motion was baked before (see sup_baked_parts), where flesh is about to be
 * made for it, which would move it twice. */
void sup_note_baked(const SupAppContext *app, const SupCharacterFile *file);

/* Writes a character that was made to a new .glb or .gltf. */
SupResult sup_character_save(const SupAppContext *app, const SupCharacter *character,
                             const char *path, SupError *error);

/* ---- Clips ----------------------------------------------------------------------------------- */

/* The clip of that name; otherwise the sentence lists what there is. */
SupResult sup_file_clip(const SupCharacterFile *file, const char *name, const SupClip **out_clip,
                        SupError *error);

/* The same, or the motion that is made for the character where the name is @calibration and no clip
 * is called so: keys at `fps`, in the arena. Whoever takes a motion that need not be in the file
 * asks here. */
#define SUP_CALIBRATION "@calibration"
SupResult sup_named_clip(const SupAppContext *app, const SupCharacterFile *file, const char *name,
                         double fps, const SupClip **out_clip, SupError *error);

/* The clips of those names, or all; in the arena. Fails when the character has none. fps: as above;
 * 0: only clips of the file. */
SupResult sup_file_clips(const SupAppContext *app, const SupCharacterFile *file,
                         const SupNames *names, double fps, const SupClip ***out_clips,
                         uint32_t *out_count, SupError *error);

/* How joints found their partners. */
typedef struct SupClipsReport {
  uint32_t matched;                /* joints of the character that follow one of the other file's */
  bool mapped;                     /* not by equal names alone */
  uint32_t rules[SUP_JOINT_RULES]; /* joints by SupJointRule */
} SupClipsReport;

/* Gives the character the clips of another file in place of its own; where `names` has @calibration
 * also the motion that is made for that one, with keys at `fps`. Where half of the bones have
 * joints of the same names, those are matched (supple/retarget.h); otherwise joints are mapped by
 * what they are (supple/author/joint_map.h), with a note. Fails where the skeletons do not map. */
SupResult sup_clips_of(const SupAppContext *app, const char *path, const SupOpenDef *def,
                       const SupNames *names, double fps, SupCharacterFile *io_file,
                       SupClipsReport *out_report, SupError *error);

/* Joints `amplitude` times as far from their mean over each clip, in place of the given clips; in
 * the arena. */
SupResult sup_clips_amplify(const SupAppContext *app, double amplitude, uint32_t count,
                            const SupClip **io_clips, SupError *error);

/* Frames of a clip at a rate: 0, 1/fps, ... up to its end; UINT32_MAX when there are more than
 * that. */
uint32_t sup_clip_frames(const SupClip *clip, float fps);

/* Refuses clips that are too long to be meant: a million frames. `advice` ends the sentence. */
SupResult sup_clips_check_lengths(uint32_t count, const SupClip *const *clips, float fps,
                                  const char *advice, SupError *error);

/* ---- Names of outputs ------------------------------------------------------------------------ */

/* Where each of clips[count] at `fps` goes: `path` itself for one, NAME-CLIP.EXT for several.
 * Refuses clips that are too long to be meant (a million frames), and two that would go to one
 * file. */
SupResult sup_clip_paths(const SupAppContext *app, const char *path, uint32_t count,
                         const SupClip *const *clips, float fps, const char ***out_paths,
                         SupError *error);

/* Refuses a path whose file name is too long, because the clip's is; to be asked before the first
 * of several outputs is written. */
SupResult sup_clip_path_check(const char *path, const char *clip_name, SupError *error);

/* The format of a point cache to be written; the sentence says what its name must end in. */
SupResult sup_cache_format_of(const char *path, SupCacheFormat *out_format, SupError *error);

/* `path` with the clip's name before its ending, for one of several outputs: a.pc2 -> a-walk.pc2.
 * What a file name cannot hold becomes '_'. In the arena; NULL when memory is short. */
const char *sup_clip_path(const SupAppContext *app, const char *path, const char *clip_name);

#ifdef __cplusplus
}
#endif
#endif
