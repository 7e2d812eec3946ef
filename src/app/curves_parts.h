/* SPDX-License-Identifier: MIT */
/* Curves of a rig, as the sources that make them see them. */
#ifndef SUP_SRC_APP_CURVES_PARTS_H
#define SUP_SRC_APP_CURVES_PARTS_H

#include "supple/app/play_curves.h"
#include "supple/io/rig_process.h"
#include "supple/rig/character_rig.h"
#include "supple/train/rigspace.h"

typedef enum CurvesOutput {
  CURVES_DOCUMENT, /* .glb, .gltf */
  CURVES_CSV,
  CURVES_JSON,
  CURVES_CACHE, /* .pc2, .mdd */
  CURVES_SETUP  /* none: what a set-up holds is made, and nothing is simulated */
} CurvesOutput;

/* A rig of somebody else. */
typedef struct CurvesProcess CurvesProcess;

/* What --keep holds, and where. */
typedef struct CurvesKept CurvesKept;

/* Obstacles and what carries them. */
typedef struct CurvesObstacles CurvesObstacles;

typedef struct CurvesJob {
  const SupAppContext *app;
  const SupCharacterFile *file;
  const SupCurvesDef *def;
  SupCurvesReport *report;
  CurvesOutput output;
  uint32_t clip_count;
  const SupClip **clips; /* [clip_count] */
  const char **paths;    /* [clip_count] one each, or all the same */
  /* The body. */
  SupRigDef description;
  SupDrivenVolume volume;
  double volume_scale;         /* scene units per unit of the volume */
  double unit;                 /* metres per unit of the scene */
  SupMaterialDef material;     /* for lengths in units of the scene */
  const SupCharacterRig *rig;  /* of the vertices that drive the volume */
  const SupCharacterRig *skin; /* of the whole body */
  CurvesProcess *process;      /* or NULL; then there is no `rig` and `skin`, but: */
  const SupRig *driving;       /* of the vertices that drive the volume */
  const SupRig *whole;         /* of the whole body */
  CurvesObstacles *obstacles;
  CurvesKept *kept;          /* or NULL */
  SupRigspaceWeights inside; /* of nodes inside; none: they are in balance */
  SupRigspace *rigspace;
  SupRigspace *still; /* of static balances, for additive output; or NULL */
  uint32_t parameter_count, free_count;
  uint32_t *free;  /* [free_count] parameters */
  double *weights; /* [free_count] how much of the simulation is shown */
  bool *muted;     /* [free_count] */
} CurvesJob;

/* The rig of the vertices that drive the volume, and that of the whole body. */
static inline const SupRig *sup_curves_rig(const CurvesJob *job) {
  return job->process ? job->driving : sup_character_rig(job->rig);
}
static inline const SupRig *sup_curves_skin(const CurvesJob *job) {
  return job->process ? job->whole : sup_character_rig(job->skin);
}

/* Whether a word of --lock, --mute or --weight gives a parameter. */
bool sup_curves_gives(const char *word, const SupRigParameter *parameter);

/* Starts the process, finds the body's vertices among its own, reads the clips; then, with the
 * volume, the rig that drives it. */
SupResult sup_curves_process_open(CurvesJob *job, SupError *error);
SupResult sup_curves_process_drive(CurvesJob *job, SupError *error);
void sup_curves_process_close(CurvesJob *job);

/* Whether there is one that will not answer any more. */
bool sup_curves_process_failed(const CurvesJob *job);

/* The parameters of a role as a clip of the process has them; between its steps linear. */
void sup_curves_process_script(const CurvesJob *job, const SupClip *clip, double time, bool loop,
                               SupRigRole role, double *io_parameters);

/* A number for the names of the process's parameters and its vertices; never 0. */
uint64_t sup_curves_process_key(const CurvesJob *job);

/* Rig description, volume, flesh and weights from the file of --setup, whose rig may be a process,
 * which is then opened; refuses one that is of another character or rig. */
SupResult sup_curves_read_setup(CurvesJob *job, SupError *error);

/* The job's rig, volume, flesh and weights as a block. */
SupResult sup_curves_pack_setup(CurvesJob *job, const SupModel **out_model, SupError *error);

/* "--option: 'word' is no free parameter or zone of the rig", with the nearest name. */
SupResult sup_curves_refuse_name(const char *option, const char *word, const SupRig *rig,
                                 SupError *error);

/* Finds what --keep holds and opens the edited file. */
SupResult sup_curves_open_keeps(CurvesJob *job, SupError *error);
void sup_curves_close_keeps(CurvesJob *job);

/* What of the free parameters is held at a time of a clip; there is a --keep. */
typedef struct CurvesHeld {
  double *fractions; /* [free_count] 0 free .. 1 held */
  double *rates;     /* [free_count] 1 / s at which they are drawn there; infinite: held */
  double *values;    /* [free_count] where */
} CurvesHeld;

/* keyed[parameter_count] are the clip's own keys; `period` is that of a loop, else 0. */
void sup_curves_held(CurvesJob *job, const SupClip *clip, double time, double period,
                     const double *keyed, const CurvesHeld *out_held);

/* Refuses to go on from a frame at which a --keep has begun. */
SupResult sup_curves_check_from(const CurvesJob *job, SupError *error);

/* Finds the joints of obstacles and checks their paths, before anything is computed. */
SupResult sup_curves_open_obstacles(CurvesJob *job, SupError *error);

/* Moves them to where they are at a time: pose[character's joints] of then, or NULL: at rest. The
 * array is always the same. */
const SupRigspaceObstacle *sup_curves_move_obstacles(CurvesJob *job, const SupPosed *pose,
                                                     double time);

/* Rig, volume, flesh and solver. */
SupResult sup_curves_prepare(CurvesJob *job, SupError *error);
void sup_curves_free(CurvesJob *job);

/* Weights of the nodes inside, from poses of the clips: `solver` is of nodes in balance. */
SupResult sup_curves_weights(CurvesJob *job, const SupRigspaceDef *solver,
                             SupRigspaceWeights *out_weights, SupError *error);

/* Simulates a clip: *out_frames [frame_count * parameter_count], all parameters as they are
 * written. */
SupResult sup_curves_simulate(CurvesJob *job, const SupClip *clip, SupCurvesClip *io_report,
                              const double **out_frames, SupError *error);

/* Refuses a rig whose free parameters a glTF file cannot hold. */
SupResult sup_curves_check_document(const CurvesJob *job, SupError *error);

/* The free parameter that a control is, or -1 where it is none or muted. */
int64_t sup_curves_shown(const CurvesJob *job, const SupRigControl *control);

/* A coordinate of a control point of a lattice before skinning, as a morph target. */
typedef struct CurvesColumn {
  uint32_t layer, number; /* of sup_character_rig_lattice_column */
  uint32_t point[4];      /* the point and its axis */
  double reach;           /* units of bind space that a weight of 1 is */
  double tolerance;       /* of the weight's keys */
} CurvesColumn;

/* Those that parameters move which are written. */
SupResult sup_curves_columns(const CurvesJob *job, uint32_t *out_count, CurvesColumn **out_columns,
                             SupError *error);

/* The weight of one by all parameters. */
double sup_curves_column_weight(const CurvesJob *job, const CurvesColumn *column,
                                const double *parameters);

/* Adds them to every mesh of the character *io_now, which is read again. */
SupResult sup_curves_add_columns(const CurvesJob *job, uint32_t count, const CurvesColumn *columns,
                                 const SupGltfCharacter **io_now, SupError *error);

/* Puts helpers and clips into the document and saves it: frames[clip_count] as above. */
SupResult sup_curves_document(CurvesJob *job, const double *const *frames, const char *path,
                              SupError *error);

/* Raw states of the frames of a clip. `key` says what they belong to. */
typedef struct CurvesStates {
  uint64_t key;
  uint32_t frame_count, number_count; /* numbers of one state */
  double *numbers;                    /* [frame_count * number_count] */
} CurvesStates;

SupResult sup_curves_read_states(const SupAppContext *app, const char *path,
                                 const CurvesStates *expected, CurvesStates *out_states,
                                 SupError *error);
SupResult sup_curves_write_states(const SupAppContext *app, const char *path,
                                  const CurvesStates *states, SupError *error);

#endif
