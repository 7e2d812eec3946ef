/* SPDX-License-Identifier: MIT */
/*
 * Supple: glTF 2.0 documents, read without loss and edited in place.
 *
 * A document is edited, not rebuilt: whatever Supple does not understand (materials, images,
 * cameras, extras, unknown extensions, the order of keys, the digits of numbers) is written back
 * as it was read. Characters are copies: they live in the caller's arena and stay valid when the
 * document is edited or closed.
 *
 * Spaces. A character's body is in *bind space*: the space that its inverse bind matrices map
 * from. glTF ignores the transform of the node that carries a skinned mesh, so skinning alone
 * leads to scene space: x_scene = sum w * global(joint) * inverse_bind * x_body, with every
 * ancestor of the joints part of the skeleton. `bind_to_scene` below is that map in the rest pose.
 *
 * Threads: one document belongs to one thread at a time. The JSON tree is jansson's (the text is
 * read by Supple itself, so that short memory is a result and never an abort) and comes
 * from jansson's own allocator (json_set_alloc_funcs, the C library's heap by default), because
 * jansson has no allocator per document; Supple never changes that global. All else comes from
 * the options' allocator. The JSON tree counts against `memory_limit` by an upper bound.
 */
#ifndef SUPPLE_IO_GLTF_H
#define SUPPLE_IO_GLTF_H

#include "supple/author/character.h"
#include "supple/author/hard_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupGltf SupGltf;

/* How a document is opened. Start from sup_gltf_options(). */
typedef struct SupGltfOptions {
  SupAllocator allocator; /* for everything the document holds */
  size_t memory_limit;    /* bytes the document may take, decompressed data included; 0: no limit */
  /* Buffers and images outside the document's own folder (links resolved) are refused unless set.
   */
  bool allow_external;
  /* A map to be taken from the red of vertex colours (COLOR_0) in parts that have no attribute for
   * it; NULL: colours are colours. Must live as long as the document. */
  const char *color_map;
} SupGltfOptions;

/* The heap, 4 GiB, nothing external. */
SupGltfOptions sup_gltf_options(void);

/* ---- Opening, saving ------------------------------------------------------------------------ */

/* Opens a .glb or .gltf (told apart by content, not by name) and loads its buffers. `options` may
 * be NULL. On success the caller owns *out_document and closes it. */
SupResult sup_gltf_open(const char *path, const SupGltfOptions *options, SupGltf **out_document,
                        SupError *error);

/* The same from memory, which is copied. External buffers are looked for in `folder`; NULL means
 * that a document with external buffers is refused. */
SupResult sup_gltf_open_memory(const void *data, size_t bytes, const char *folder,
                               const SupGltfOptions *options, SupGltf **out_document,
                               SupError *error);

/* A fresh document that holds the character: nodes, meshes (parts with the same `node` are
 * primitives of one mesh), one skin, morph targets, maps, clips. Materials are glTF's default. */
SupResult sup_gltf_from_character(const SupCharacter *character, const SupGltfOptions *options,
                                  SupGltf **out_document, SupError *error);

/* NULL is allowed. */
void sup_gltf_close(SupGltf *document);

typedef enum SupGltfFormat {
  SUP_GLTF_BY_NAME, /* .glb or .gltf, by the path's ending */
  SUP_GLTF_BINARY,
  SUP_GLTF_TEXT,         /* the binary chunk becomes NAME-HASH.bin beside it */
  SUP_GLTF_TEXT_EMBEDDED /* everything inside as base64 */
} SupGltfFormat;

/* Writes the document: all its files are written before the first gets its name, the .gltf itself
 * last. External buffers and images go into a .glb; beside a .gltf in another folder they are
 * copied under the names they have, and it is refused where another file would be lost (a name by
 * contents is taken instead where the document that is replaced has that file). No file but the
 * .gltf itself is ever replaced, so that it is whole at every moment. Buffers of the document that
 * was replaced are removed if they have its name and no document in the folder names them. The
 * document in memory stays as it is and may be edited and saved again. */
SupResult sup_gltf_save(const SupGltf *document, const char *path, SupGltfFormat format,
                        SupError *error);

/* The document as one .glb in `arena`. */
SupResult sup_gltf_save_memory(const SupGltf *document, SupArena *arena, const uint8_t **out_data,
                               size_t *out_bytes, SupError *error);

/* ---- What is in it -------------------------------------------------------------------------- */

typedef enum SupSpringBones {
  SUP_SPRINGS_NONE,
  SUP_SPRINGS_VRM0, /* VRM.secondaryAnimation */
  SUP_SPRINGS_VRM1  /* VRMC_springBone */
} SupSpringBones;

/* A summary for people. Strings belong to the document and live until it is edited or closed. */
typedef struct SupGltfContents {
  const char *generator; /* asset.generator, never NULL */
  const char *version;   /* asset.version */
  const char *copyright; /* asset.copyright, never NULL, maybe empty */
  bool binary;           /* read from a .glb */
  uint32_t scene_count, node_count, mesh_count, primitive_count, skin_count, animation_count;
  uint32_t material_count, texture_count, image_count, camera_count;
  uint32_t morph_target_count;       /* over all meshes */
  uint32_t skinned_node_count;       /* nodes with a mesh and a skin */
  uint32_t unskinned_node_count;     /* nodes with a mesh and no skin: left alone */
  uint32_t line_or_point_primitives; /* ignored */
  uint32_t model_count;              /* `SUPPLE_model` blocks on all skins */
  uint64_t buffer_bytes;             /* of all buffers */
  uint64_t image_bytes;              /* of the images stored in buffers */
  bool compressed;                   /* EXT_meshopt_compression is used */
  bool quantised;                    /* KHR_mesh_quantization is used */
  const char *const *materials;      /* [material_count] their names, never NULL, maybe empty */
  uint32_t extension_count;
  const char *const *extensions; /* [extension_count] extensionsUsed */
  SupSpringBones springs;
  uint32_t spring_count;       /* VRM 0 bone groups, or VRM 1 springs */
  uint32_t spring_joint_count; /* VRM 0 root bones, or VRM 1 joints */
} SupGltfContents;

/* Never fails on a document that opened, except for memory. */
SupResult sup_gltf_contents(const SupGltf *document, SupArena *arena, SupGltfContents *out_contents,
                            SupError *error);

/* ---- Characters ----------------------------------------------------------------------------- */

/* What was odd about one character's part of the file. */
typedef struct SupGltfReport {
  uint32_t primitives_ignored; /* points, lines, no POSITION, or no JOINTS_0 on a skinned node */
  uint32_t attached_meshes;    /* unskinned mesh nodes under its joints: left alone */
  uint32_t keys_dropped;       /* keys whose time does not rise */
  uint32_t nodes_sheared;      /* matrices that are no translation, rotation and scale */
  uint32_t skins_moved;        /* skins brought to the first skin's bind space */
  uint32_t skins_apart;        /* skins whose bind space could not be related: kept as they are */
} SupGltfReport;

/* A character and where its pieces are in the file. Plain data in the caller's arena. */
typedef struct SupGltfCharacter {
  SupCharacter character;
  const uint32_t *joint_nodes;     /* [joint_count] node index of each joint */
  const uint32_t *clip_animations; /* [clip_count] animation index of each clip */
  const uint32_t *morph_nodes;     /* [morph_count] mesh node of each morph target */
  const uint32_t *morph_targets;   /* [morph_count] its number in that node's mesh */
  uint32_t skin_count;
  const uint32_t *skins; /* [skin_count] skin indices, the first one's bind space is the body's */
  const SupAffine *skin_to_body;     /* [skin_count] that skin's bind space -> body space */
  const uint32_t *const *skin_bones; /* [skin_count][joints of that skin] bone of each slot */
  const uint32_t *skin_joint_counts; /* [skin_count] */
  const uint32_t *part_skins;        /* [part_count] index into `skins` */
  SupAffine bind_to_scene;           /* body -> scene in the rest pose, by the first bone */
  SupGltfReport report;
} SupGltfCharacter;

/* What is damaged in a document that is kept as it is: buffer views beyond their buffers, accessors
 * beyond their views or with members that cannot be, indices of objects that do not exist, damaged
 * model blocks, and, if nothing else is, what makes its characters unreadable. */
typedef struct SupGltfDamage {
  uint32_t count;
  char first[3][sizeof(SupError)]; /* a sentence each, of the first min(count, 3) */
} SupGltfDamage;

/* Looks at every object. What is merely unknown to us is no damage. */
SupResult sup_gltf_find_damage(const SupGltf *document, SupAllocator allocator,
                               SupGltfDamage *out_damage, SupError *error);

/* Reads every character: skins that share a joint, whose joints hang below another skin's joints,
 * or that name the same `skeleton` node make one; other skeletons make others. In order of their
 * first mesh node. Skins that no mesh uses give none. A file without a skinned mesh gives
 * SUP_ERROR_UNSUPPORTED with a sentence; it can still be looked at and saved. */
SupResult sup_gltf_characters(const SupGltf *document, SupArena *arena, uint32_t *out_count,
                              SupGltfCharacter **out_characters, SupError *error);

/* Vertex colours (COLOR_0) on the body: the mean of the file's vertices there, linear red, green,
 * blue and alpha; white where a part has none. *out_colors [4 * body.vertex_count] lives in `arena`
 * and is NULL if no part has colours. */
SupResult sup_gltf_colors(const SupGltf *document, const SupGltfCharacter *character,
                          SupArena *arena, const float **out_colors, SupError *error);

/* How a part looks: factors of its metallic-roughness material, and the file of its base colour
 * texture. */
typedef struct SupGltfLook {
  float base_color[4]; /* linear red, green, blue, alpha; white where the file says nothing */
  float emissive[3];
  float roughness;
  bool blended;         /* alphaMode BLEND: alpha makes it transparent */
  const uint8_t *image; /* the bytes of a PNG, JPEG, ...; NULL: none */
  size_t image_bytes;
} SupGltfLook;

/* The looks of the character's parts: *out_looks [render.part_count] in `arena`, with copies of
 * their images. What is damaged about a material is left out, not refused: a picture is drawn
 * without it. */
SupResult sup_gltf_looks(const SupGltf *document, const SupGltfCharacter *character,
                         SupArena *arena, const SupGltfLook **out_looks, SupError *error);

/* The names, metal and glass of the character's parts: *out_signs [render.part_count] in `arena`.
 * What is damaged about a material is left out. */
SupResult sup_gltf_part_signs(const SupGltf *document, const SupGltfCharacter *character,
                              SupArena *arena, const SupPartSigns **out_signs, SupError *error);

/* ---- Editing --------------------------------------------------------------------------------
 *
 * All take the character as sup_gltf_characters gave it for the present state of the document.
 * After joints, morph targets or weights were written, read the characters again. A call that
 * fails for a reason other than memory leaves the document as it was; after SUP_ERROR_MEMORY it
 * may only be closed. Where two mesh nodes share one mesh, the first one's values are written. */

/* Writes (or replaces) a map as attribute `_SUPPLE_NAME`, float. `values` [body.vertex_count];
 * `name` in lower case letters, digits and underscores. */
SupResult sup_gltf_put_map(SupGltf *document, const SupGltfCharacter *character, const char *name,
                           const float *values, SupError *error);

/* Removes it from every part; nothing happens where it is absent. */
SupResult sup_gltf_remove_map(SupGltf *document, const SupGltfCharacter *character,
                              const char *name, SupError *error);

/* A joint to add. */
typedef struct SupGltfJoint {
  const char *name;
  uint32_t parent;        /* joint of the character's skeleton, or joint_count + an earlier one */
  SupTransform rest;      /* local */
  SupAffine inverse_bind; /* body space -> joint space */
} SupGltfJoint;

/* Adds nodes below their parents and appends them to every skin of the character, in order, so
 * that after reading again they are bones. out_nodes [count] may be NULL. */
SupResult sup_gltf_add_joints(SupGltf *document, const SupGltfCharacter *character, uint32_t count,
                              const SupGltfJoint *joints, uint32_t *out_nodes, SupError *error);

/* Writes skin weights (over the body, bones of the character) as JOINTS_n and WEIGHTS_n of every
 * part; sets that are no longer needed are removed. A bone that a part's skin does not have is
 * appended to that skin. */
SupResult sup_gltf_put_skin(SupGltf *document, const SupGltfCharacter *character,
                            const SupSkin *skin, SupError *error);

/* Keeps the present weights beside those that sup_gltf_put_skin writes next, and only before that:
 * as extension `SUPPLE_original_skin` of every primitive, {"JOINTS_0": N, "WEIGHTS_0": N, ...},
 * accessors as in its attributes. Other programs do not look at it; pages show plain skinning by
 * it. Where a primitive has such an extension, that one stays. */
SupResult sup_gltf_keep_skin(SupGltf *document, const SupGltfCharacter *character, SupError *error);

/* Writes a clip as the animation of that name: the channels that move this character are replaced,
 * others in that animation stay. A weights track must cover all targets of its mesh node. */
SupResult sup_gltf_put_clip(SupGltf *document, const SupGltfCharacter *character,
                            const SupClip *clip, SupError *error);

/* Takes this character's channels out of the animation of that name, and the animation when it is
 * then empty. SUP_ERROR_ARGUMENT if there is none of that name. */
SupResult sup_gltf_remove_clip(SupGltf *document, const SupGltfCharacter *character,
                               const char *name, SupError *error);

/* A muscle clenches: an entry of an animation's extras,
 * {"supple_events": [{"time": 0.5, "muscle": "chest", "strength": 1, "length": 0.2}, ...]}. */
typedef struct SupGltfEvent {
  double time;        /* seconds */
  const char *muscle; /* "*" where the file names none: all */
  double strength;    /* 1 where the file has none; 0: release */
  double length;      /* seconds; 0: until released */
} SupGltfEvent;

/* The events of the clip of that name, in the file's order; names belong to the document. */
SupResult sup_gltf_clip_events(const SupGltf *document, const char *clip, SupArena *arena,
                               uint32_t *out_count, SupGltfEvent **out_events, SupError *error);

/* A morph target to add, on the render vertices, in body space. */
typedef struct SupGltfMorph {
  const char *name;
  float weight;                  /* default */
  const SupVec3 *offsets;        /* [render.vertex_count] */
  const SupVec3 *normal_offsets; /* [render.vertex_count] or NULL */
} SupGltfMorph;

/* Appends targets to every mesh of the character, with their names in mesh.extras.targetNames;
 * existing weight animations of those meshes are widened. */
SupResult sup_gltf_add_morphs(SupGltf *document, const SupGltfCharacter *character, uint32_t count,
                              const SupGltfMorph *morphs, SupError *error);

/* How the weight of a target follows from the angle 2 atan2(axis . v, w) of rest^-1 times the
 * joint's rotation (v, w), wrapped to (-pi, pi]: linear between samples, constant beyond them. */
typedef struct SupGltfDriver {
  const char *target;
  uint32_t joint; /* of the character's skeleton; SUP_NONE: the weight is always 1 */
  SupQuat rest;
  SupVec3 axis;
  uint32_t count;
  const float *at;      /* [count] radians, rising */
  const float *weights; /* [count] */
} SupGltfDriver;

/* Writes them to mesh.extras.supple_drivers of every mesh of the character (docs/formats.md), in
 * place of those that are there. */
SupResult sup_gltf_put_drivers(SupGltf *document, const SupGltfCharacter *character, uint32_t count,
                               const SupGltfDriver *drivers, SupError *error);

/* ---- Model blocks --------------------------------------------------------------------------- */

/* One block of the extension `SUPPLE_model`, which sits on the character's first skin:
 * {"models": [{"kind": KIND, "bufferView": N}, ...]} in the order of the stack. */
typedef struct SupGltfModel {
  const char *kind;
  const uint8_t *data; /* not aligned beyond 8 bytes */
  size_t bytes;
} SupGltfModel;

/* The blocks of a character, in order. Data and names belong to the document and live until it is
 * edited or closed. No check of the blocks themselves. */
SupResult sup_gltf_models(const SupGltf *document, const SupGltfCharacter *character,
                          SupArena *arena, uint32_t *out_count, SupGltfModel **out_models,
                          SupError *error);

/* Replaces the whole list; an empty one removes the extension. Data is copied and may be what
 * sup_gltf_models gave. Space of replaced blocks is used again when the file is saved. */
SupResult sup_gltf_put_models(SupGltf *document, const SupGltfCharacter *character, uint32_t count,
                              const SupGltfModel *models, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
