/* SPDX-License-Identifier: MIT */
/*
 * From a character and its patches to chunks (Guo 2007, chapter 4, corrected;
 * docs/techniques/chunks.md).
 *
 *   what is wrong with the definition                   chunks_train_check.c, chunks_bulges.c
 *   which chunks there are to be                        chunks_zones.c, chunks_resolution.c
 *   the base shell and what lies above it               chunks_shell.c, shell_cross.c
 *   what would be wrong                                 chunks_trial.c
 *   limbs and what their ends meet                      chunks_limbs.c
 *   surfaces, holds and matrices                        chunks_condense.c
 *   skin                                                chunks_skin.c, chunk_register.c
 */
#include "chunks_work.h"
#include "numerics/dense.h"

#define COOKIE SUP_FOURCC('c', 'h', 't', 'r')

SupChunksTrainDef sup_chunks_train_def(const SupCharacter *character) {
  return (SupChunksTrainDef){.cookie = COOKIE,
                             .character = character,
                             .levels = SUP_CHUNKS_AUTOMATIC,
                             .relaxations = SUP_CHUNK_RELAXATIONS};
}

SupChunksOption sup_chunks_option(const char *name) {
  return (SupChunksOption){.name = name, .levels = SUP_CHUNKS_AUTOMATIC};
}

/* ---- Notes and refusals ---------------------------------------------------------------------- */

void sup_chunks_note(ChunksWork *w, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  sup_format_v(text, sizeof text, format, arguments);
  va_end(arguments);
  ChunkNote *note = SUP_ALLOC(w->arena, ChunkNote, 1);
  const char *kept = sup_arena_string(w->arena, text, sup_string_length(text));
  if (!note || !kept) return; /* whoever needs memory next says so */
  note->text = kept;
  *(w->last_note ? &w->last_note->next : &w->notes) = note;
  w->last_note = note;
  w->note_count++;
}

void sup_chunks_refuse(ChunksWork *w, ChunkPiece *piece, const char *sentence) {
  piece->reason = sup_arena_string(w->arena, sentence, sup_string_length(sentence));
  if (!piece->reason) piece->reason = "it cannot be made";
}

/* ---- The definition -------------------------------------------------------------------------- */

/* Those that are, numbered. */
static SupResult number_pieces(ChunksWork *w) {
  uint32_t count = 0;
  const char *reason = NULL;
  for (uint32_t k = 0; k < w->piece_count; k++) {
    if (w->pieces[k].made) w->pieces[k].number = count++;
    if (w->pieces[k].reason && !reason) reason = w->pieces[k].reason;
  }
  w->report.piece_count = count;
  w->report.refusal_count = w->piece_count - count;
  if (count) return SUP_OK;
  if (reason) {
    return sup_fail(w->error, SUP_ERROR_FORMAT, "chunks: not one can be made; the first: %s",
                    reason);
  }
  return sup_fail(w->error, SUP_ERROR_FORMAT,
                  "chunks: no zone of the patches is a stratum or solid; nothing is to be made");
}

static SupResult make_room(ChunksWork *w) {
  SupChunksTrainReport *r = &w->report;
  r->pieces = SUP_ALLOC(w->arena, SupChunksPieceReport, r->piece_count);
  r->refusals = SUP_ALLOC(w->arena, SupChunksRefusal, r->refusal_count);
  w->angles = SUP_ALLOC(w->arena, SupPoseAngle, w->def->bulge_count);
  return r->pieces && r->refusals && w->angles ? SUP_OK : sup_fail_memory(w->error, "chunks");
}

static void report_piece(ChunksWork *w, const ChunkPiece *piece, uint32_t columns) {
  const SupWedgeMesh *mesh = &piece->chunk.mesh;
  ((SupChunksPieceReport *)w->report.pieces)[piece->number] =
      (SupChunksPieceReport){.name = piece->name,
                             .zone = piece->zone->name,
                             .limb = piece->limb,
                             .side_count = piece->chunk.slice.corner_count,
                             .slice_count = piece->chunk.slice_count,
                             .levels = piece->levels,
                             .node_count = mesh->node_count,
                             .wedge_count = mesh->wedge_count,
                             .column_count = columns,
                             .poisson = piece->poisson,
                             .volume = sup_wedge_mesh_size(mesh, mesh->nodes).volume};
  w->report.node_count += mesh->node_count;
  w->report.wedge_count += mesh->wedge_count;
}

static SupResult define_pieces(ChunksWork *w, SupChunksPackDef *io_def) {
  SupChunksPieceDef *pieces = SUP_ALLOC(w->arena, SupChunksPieceDef, w->report.piece_count);
  SupResult result = pieces ? SUP_OK : sup_fail_memory(w->error, "chunks");
  uint32_t refused = 0;
  for (uint32_t k = 0; k < w->piece_count && result == SUP_OK; k++) {
    ChunkPiece *piece = &w->pieces[k];
    if (!piece->made) {
      ((SupChunksRefusal *)w->report.refusals)[refused++] =
          (SupChunksRefusal){piece->name, piece->zone->name, piece->reason};
      continue;
    }
    const uint32_t before = w->report.column_count;
    result = sup_chunks_condense(w, piece, &pieces[piece->number]);
    report_piece(w, piece, w->report.column_count - before);
  }
  io_def->piece_count = w->report.piece_count;
  io_def->pieces = pieces;
  return result;
}

static void define_shell(ChunksWork *w, SupChunksPackDef *io_def) {
  const SupShell *s = &w->shell.shell;
  io_def->root = w->figure.root;
  io_def->limb_count = w->limb_count;
  io_def->limbs = w->limbs;
  io_def->limb_joint_count = w->limb_joint_count;
  io_def->limb_joints = w->limb_joints;
  io_def->point_count = w->point_count;
  io_def->points = w->points;
  io_def->influence_offsets = w->influence_offsets;
  io_def->influences = w->influences;
  io_def->vertex_count = s->vertex_count;
  io_def->face_count = s->face_count;
  io_def->edge_count = s->edge_count;
  io_def->face_offsets = s->offsets;
  io_def->corners = s->corners;
  io_def->corner_edges = s->edges_of;
  io_def->edges = s->edges;
  io_def->vertex_offsets = s->vertex_offsets;
  io_def->vertex_edges = s->vertex_edges;
  io_def->angle_count = w->angle_count;
  io_def->angles = w->angles;
  w->report.shell_vertex_count = s->vertex_count;
  w->report.shell_face_count = s->face_count;
  w->report.raised_count = w->shell.raised_count;
  w->report.depth = w->shell.depth;
}

static SupResult take_notes(ChunksWork *w) {
  const char **notes = sup_arena_alloc(w->arena, w->note_count, sizeof *notes);
  if (!notes) return sup_fail_memory(w->error, "chunks");
  for (const ChunkNote *note = w->notes; note; note = note->next) {
    notes[w->report.note_count++] = note->text;
  }
  w->report.notes = notes;
  return SUP_OK;
}

/* ---- The job --------------------------------------------------------------------------------- */

static SupResult train(ChunksWork *w, SupChunksPackDef *io_def) {
  SupResult result = sup_chunks_check_def(w);
  if (result == SUP_OK) result = sup_chunks_zones(w);
  if (result == SUP_OK) result = sup_chunks_unknown_joints(w);
  if (result == SUP_OK) result = sup_chunks_resolution(w);
  if (result == SUP_OK) result = sup_chunks_above_shell(w);
  if (result == SUP_OK) result = sup_chunks_trial(w);
  if (result == SUP_OK) result = sup_chunks_limbs(w);
  if (result == SUP_OK) result = number_pieces(w);
  if (result == SUP_OK) result = sup_chunks_ends(w);
  if (result == SUP_OK) result = make_room(w);
  if (result == SUP_OK) result = define_pieces(w, io_def);
  if (result == SUP_OK) result = sup_chunks_skin(w, io_def);
  if (result == SUP_OK) define_shell(w, io_def);
  if (result == SUP_OK) sup_chunks_note_bulges(w);
  return result == SUP_OK ? take_notes(w) : result;
}

SupResult sup_chunks_train(SupArena *arena, const SupChunksTrainDef *def,
                           SupChunksTrained *out_trained, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "chunks: start from sup_chunks_train_def()");
  }
  SupArena scratch = sup_scratch(arena);
  SupError own = {{0}}; /* sentences are kept, whether the caller wants them or not */
  ChunksWork w = {.arena = arena, .scratch = &scratch, .def = def, .error = error ? error : &own};
  SupChunksPackDef out = sup_chunks_pack_def();
  sup_dense_one_thread();
  SupResult result = train(&w, &out);
  sup_arena_free(&scratch);
  if (result == SUP_OK) *out_trained = (SupChunksTrained){out, w.report};
  return result;
}
