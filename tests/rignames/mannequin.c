/* SPDX-License-Identifier: MIT */
#include "mannequin.h"

#include "check.h"

#include <math.h>

/* One joint: name, parent, part (or - for none), share along the part; % is the side. */
typedef struct Convention {
  const char *prefix;   /* of all names */
  const char *sides[2]; /* what stands for % */
  const char *joints;
} Convention;

const char *const convention_names[CONVENTIONS] = {
    "mixamo", "unreal", "rigify", "vrm", "unity", "makehuman", "biped", "kaykit", "numbered"};

static const Convention conventions[CONVENTIONS] = {
    {"mixamorig:",
     {"Left", "Right"},
     "Hips,,hips,0;Spine,Hips,spine,0;Spine1,Spine,spine,.3;Spine2,Spine1,spine,.6;"
     "Neck,Spine2,neck,0;Head,Neck,head,0;HeadTop_End,Head,-,0;%Eye,Head,-,0;"
     "%Shoulder,Spine2,clav,0;%Arm,%Shoulder,uarm,0;%ForeArm,%Arm,larm,0;%Hand,%ForeArm,hand,0;"
     "%HandThumb1,%Hand,thumb,0;%HandThumb2,%HandThumb1,thumb,.4;"
     "%HandIndex1,%Hand,index,0;%HandIndex2,%HandIndex1,index,.4;%HandIndex3,%HandIndex2,index,.7;"
     "%HandIndex4,%HandIndex3,index,1;"
     "%HandMiddle1,%Hand,middle,0;%HandMiddle2,%HandMiddle1,middle,.4;"
     "%HandPinky1,%Hand,little,0;%HandPinky2,%HandPinky1,little,.4;"
     "%UpLeg,Hips,uleg,0;%Leg,%UpLeg,lleg,0;%Foot,%Leg,foot,0;%ToeBase,%Foot,toes,0;"
     "%Toe_End,%ToeBase,-,0"},
    {"",
     {"l", "r"},
     "root,,-,0;pelvis,root,hips,0;spine_01,pelvis,spine,0;spine_02,spine_01,spine,.2;"
     "spine_03,spine_02,spine,.4;spine_04,spine_03,spine,.6;spine_05,spine_04,spine,.8;"
     "neck_01,spine_05,neck,0;neck_02,neck_01,neck,.5;head,neck_02,head,0;"
     "clavicle_%,spine_05,clav,0;upperarm_%,clavicle_%,uarm,0;upperarm_twist_01_%,upperarm_%,-,0;"
     "lowerarm_%,upperarm_%,larm,0;lowerarm_twist_01_%,lowerarm_%,-,0;hand_%,lowerarm_%,hand,0;"
     "thumb_01_%,hand_%,thumb,0;thumb_02_%,thumb_01_%,thumb,.4;"
     "index_metacarpal_%,hand_%,-,0;index_01_%,index_metacarpal_%,index,0;"
     "index_02_%,index_01_%,index,.4;index_03_%,index_02_%,index,.7;"
     "middle_01_%,hand_%,middle,0;middle_02_%,middle_01_%,middle,.4;"
     "pinky_01_%,hand_%,little,0;pinky_02_%,pinky_01_%,little,.4;"
     "thigh_%,pelvis,uleg,0;thigh_twist_01_%,thigh_%,-,0;calf_%,thigh_%,lleg,0;"
     "foot_%,calf_%,foot,0;ball_%,foot_%,toes,0;ik_foot_root,root,-,0;ik_foot_%,ik_foot_root,-,0;"
     "ik_hand_%,root,-,0"},
    {"",
     {"L", "R"},
     "root,,-,0;MCH-torso.parent,root,-,0;DEF-spine,root,hips,0;ORG-upper_arm.%,root,-,0;"
     "upper_arm_fk.%,root,-,0;DEF-pelvis.%,DEF-spine,-,0;"
     "DEF-spine.001,DEF-spine,spine,0;DEF-spine.002,DEF-spine.001,spine,.4;"
     "DEF-spine.003,DEF-spine.002,spine,.7;DEF-spine.004,DEF-spine.003,neck,0;"
     "DEF-spine.005,DEF-spine.004,neck,.5;DEF-spine.006,DEF-spine.005,head,0;"
     "DEF-shoulder.%,DEF-spine.003,clav,0;DEF-upper_arm.%,DEF-shoulder.%,uarm,0;"
     "DEF-upper_arm.%.001,DEF-upper_arm.%,uarm,.5;DEF-forearm.%,DEF-upper_arm.%.001,larm,0;"
     "DEF-forearm.%.001,DEF-forearm.%,larm,.5;DEF-hand.%,DEF-forearm.%.001,hand,0;"
     "DEF-palm.01.%,DEF-hand.%,-,0;DEF-f_index.01.%,DEF-palm.01.%,index,0;"
     "DEF-f_index.02.%,DEF-f_index.01.%,index,.4;DEF-f_middle.01.%,DEF-hand.%,middle,0;"
     "DEF-f_middle.02.%,DEF-f_middle.01.%,middle,.4;DEF-f_pinky.01.%,DEF-hand.%,little,0;"
     "DEF-f_pinky.02.%,DEF-f_pinky.01.%,little,.4;DEF-thumb.01.%,DEF-hand.%,thumb,0;"
     "DEF-thumb.02.%,DEF-thumb.01.%,thumb,.4;DEF-thigh.%,DEF-pelvis.%,uleg,0;"
     "DEF-thigh.%.001,DEF-thigh.%,uleg,.5;DEF-shin.%,DEF-thigh.%.001,lleg,0;"
     "DEF-shin.%.001,DEF-shin.%,lleg,.5;DEF-foot.%,DEF-shin.%.001,foot,0;"
     "DEF-toe.%,DEF-foot.%,toes,0;DEF-breast.%,DEF-spine.003,-,0"},
    {"J_",
     {"L", "R"},
     "Bip_C_Hips,,hips,0;Bip_C_Spine,Bip_C_Hips,spine,0;Bip_C_Chest,Bip_C_Spine,spine,.4;"
     "Bip_C_UpperChest,Bip_C_Chest,spine,.7;Bip_C_Neck,Bip_C_UpperChest,neck,0;"
     "Bip_C_Head,Bip_C_Neck,head,0;Adj_%_FaceEye,Bip_C_Head,-,0;Sec_Hair1_01,Bip_C_Head,-,0;"
     "Sec_%_Bust1,Bip_C_UpperChest,-,0;Bip_%_Shoulder,Bip_C_UpperChest,clav,0;"
     "Bip_%_UpperArm,Bip_%_Shoulder,uarm,0;Bip_%_LowerArm,Bip_%_UpperArm,larm,0;"
     "Bip_%_Hand,Bip_%_LowerArm,hand,0;Bip_%_Thumb1,Bip_%_Hand,thumb,0;"
     "Bip_%_Thumb2,Bip_%_Thumb1,thumb,.4;Bip_%_Index1,Bip_%_Hand,index,0;"
     "Bip_%_Index2,Bip_%_Index1,index,.4;Bip_%_Middle1,Bip_%_Hand,middle,0;"
     "Bip_%_Middle2,Bip_%_Middle1,middle,.4;Bip_%_Little1,Bip_%_Hand,little,0;"
     "Bip_%_Little2,Bip_%_Little1,little,.4;Bip_%_UpperLeg,Bip_C_Hips,uleg,0;"
     "Sec_%_CoatSkirt,Bip_%_UpperLeg,-,0;Bip_%_LowerLeg,Bip_%_UpperLeg,lleg,0;"
     "Bip_%_Foot,Bip_%_LowerLeg,foot,0;Bip_%_ToeBase,Bip_%_Foot,toes,0"},
    {"",
     {"left", "right"},
     "hips,,hips,0;spine,hips,spine,0;chest,spine,spine,.5;neck,chest,neck,0;head,neck,head,0;"
     "%Shoulder,chest,clav,0;%UpperArm,%Shoulder,uarm,0;%LowerArm,%UpperArm,larm,0;"
     "%Hand,%LowerArm,hand,0;%ThumbMetacarpal,%Hand,thumb,0;"
     "%ThumbProximal,%ThumbMetacarpal,thumb,.4;%IndexProximal,%Hand,index,0;"
     "%IndexIntermediate,%IndexProximal,index,.4;%IndexDistal,%IndexIntermediate,index,.7;"
     "%MiddleProximal,%Hand,middle,0;%MiddleIntermediate,%MiddleProximal,middle,.4;"
     "%LittleProximal,%Hand,little,0;%LittleIntermediate,%LittleProximal,little,.4;"
     "%UpperLeg,hips,uleg,0;%LowerLeg,%UpperLeg,lleg,0;%Foot,%LowerLeg,foot,0;"
     "%Toes,%Foot,toes,0"},
    {"",
     {"L", "R"},
     "root,,hips,0;spine05,root,spine,0;spine04,spine05,spine,.2;spine03,spine04,spine,.4;"
     "spine02,spine03,spine,.6;spine01,spine02,spine,.8;neck01,spine01,neck,0;"
     "neck02,neck01,neck,.3;neck03,neck02,neck,.6;head,neck03,head,0;jaw,head,-,0;eye.%,head,-,0;"
     "breast.%,spine02,-,0;clavicle.%,spine01,clav,0;shoulder01.%,clavicle.%,clav,.5;"
     "upperarm01.%,shoulder01.%,uarm,0;upperarm02.%,upperarm01.%,uarm,.5;"
     "lowerarm01.%,upperarm02.%,larm,0;lowerarm02.%,lowerarm01.%,larm,.5;"
     "wrist.%,lowerarm02.%,hand,0;finger1-1.%,wrist.%,thumb,0;finger1-2.%,finger1-1.%,thumb,.4;"
     "metacarpal1.%,wrist.%,-,0;finger2-1.%,metacarpal1.%,index,0;"
     "finger2-2.%,finger2-1.%,index,.4;finger3-1.%,wrist.%,middle,0;"
     "finger3-2.%,finger3-1.%,middle,.4;finger5-1.%,wrist.%,little,0;"
     "finger5-2.%,finger5-1.%,little,.4;pelvis.%,root,-,0;upperleg01.%,pelvis.%,uleg,0;"
     "upperleg02.%,upperleg01.%,uleg,.5;lowerleg01.%,upperleg02.%,lleg,0;"
     "lowerleg02.%,lowerleg01.%,lleg,.5;foot.%,lowerleg02.%,foot,0;toe1-1.%,foot.%,-,0;"
     "toe2-1.%,foot.%,-,0"},
    {"Bip01",
     {" L", " R"},
     ",,-,0; Pelvis,,hips,0; Spine, Pelvis,spine,0; Spine1, Spine,spine,.5;"
     " Neck, Spine1,neck,0; Head, Neck,head,0; HeadNub, Head,-,0;% Clavicle, Neck,clav,0;"
     "% UpperArm,% Clavicle,uarm,0;% Forearm,% UpperArm,larm,0;% Hand,% Forearm,hand,0;"
     "% Finger0,% Hand,thumb,0;% Finger01,% Finger0,thumb,.4;% Finger1,% Hand,index,0;"
     "% Finger11,% Finger1,index,.4;% Finger2,% Hand,middle,0;% Finger21,% Finger2,middle,.4;"
     "% Finger4,% Hand,little,0;% Finger41,% Finger4,little,.4;% Finger4Nub,% Finger41,-,0;"
     "% Thigh, Pelvis,uleg,0;% Calf,% Thigh,lleg,0;% Foot,% Calf,foot,0;% Toe0,% Foot,toes,0"},
    {"",
     {"l", "r"},
     "root,,-,0;hips,root,hips,0;spine,hips,spine,0;chest,spine,spine,.5;head,chest,head,0;"
     "upperarm.%,chest,uarm,0;lowerarm.%,upperarm.%,larm,0;wrist.%,lowerarm.%,hand,0;"
     "hand.%,wrist.%,hand,.4;handslot.%,hand.%,-,0;upperleg.%,hips,uleg,0;"
     "lowerleg.%,upperleg.%,lleg,0;foot.%,lowerleg.%,foot,0;toes.%,foot.%,toes,0;"
     "kneeIK.%,root,-,0;control-foot-roll.%,root,-,0;IK-foot.%,root,-,0;handIK.%,root,-,0"},
    {"Skeleton_",
     {"L", "R"},
     "torso_joint_1,,hips,0;torso_joint_2,torso_joint_1,spine,0;"
     "torso_joint_3,torso_joint_2,spine,.5;neck_joint_1,torso_joint_3,neck,0;"
     "neck_joint_2,neck_joint_1,head,0;arm_joint_%_1,torso_joint_3,uarm,0;"
     "arm_joint_%_2,arm_joint_%_1,larm,0;arm_joint_%_3,arm_joint_%_2,hand,0;"
     "leg_joint_%_1,torso_joint_1,uleg,0;leg_joint_%_2,leg_joint_%_1,lleg,0;"
     "leg_joint_%_3,leg_joint_%_2,foot,0;leg_joint_%_5,leg_joint_%_3,foot,.6"},
};

static const struct {
  const char *name;
  SupHumanoidPart part;
  SupVec3 from, to; /* of the left side, metres; arms straight out */
} landmarks[] = {
    {"hips", SUP_HUMANOID_HIPS, {0, 1, 0}, {0, 1.1f, 0}},
    {"spine", SUP_HUMANOID_SPINE, {0, 1.1f, 0}, {0, 1.5f, 0}},
    {"neck", SUP_HUMANOID_NECK, {0, 1.5f, 0}, {0, 1.6f, 0.02f}},
    {"head", SUP_HUMANOID_HEAD, {0, 1.6f, 0.02f}, {0, 1.8f, 0}},
    {"clav", SUP_HUMANOID_SHOULDER, {0.03f, 1.45f, 0}, {0.18f, 1.45f, -0.02f}},
    {"uarm", SUP_HUMANOID_UPPER_ARM, {0.18f, 1.45f, -0.02f}, {0.45f, 1.45f, -0.03f}},
    {"larm", SUP_HUMANOID_LOWER_ARM, {0.45f, 1.45f, -0.03f}, {0.7f, 1.45f, 0}},
    {"hand", SUP_HUMANOID_HAND, {0.7f, 1.45f, 0}, {0.8f, 1.45f, 0}},
    {"thumb", SUP_HUMANOID_THUMB, {0.72f, 1.44f, 0.03f}, {0.8f, 1.43f, 0.08f}},
    {"index", SUP_HUMANOID_INDEX, {0.8f, 1.45f, 0.03f}, {0.9f, 1.45f, 0.03f}},
    {"middle", SUP_HUMANOID_MIDDLE, {0.8f, 1.45f, 0.01f}, {0.91f, 1.45f, 0.01f}},
    {"little", SUP_HUMANOID_LITTLE, {0.79f, 1.44f, -0.04f}, {0.87f, 1.44f, -0.04f}},
    {"uleg", SUP_HUMANOID_UPPER_LEG, {0.1f, 0.95f, 0}, {0.11f, 0.5f, 0.01f}},
    {"lleg", SUP_HUMANOID_LOWER_LEG, {0.11f, 0.5f, 0.01f}, {0.12f, 0.08f, -0.02f}},
    {"foot", SUP_HUMANOID_FOOT, {0.12f, 0.08f, -0.02f}, {0.13f, 0.02f, 0.12f}},
    {"toes", SUP_HUMANOID_TOES, {0.13f, 0.02f, 0.12f}, {0.13f, 0.02f, 0.19f}},
};

static SupVec3 put(SupVec3 p, SupHumanoidPart part, uint32_t side, float size, float slope,
                   uint32_t facing) {
  if (part >= SUP_HUMANOID_UPPER_ARM && part <= SUP_HUMANOID_LITTLE) {
    const SupVec3 shoulder = landmarks[5].from;
    const float c = cosf(-slope), s = sinf(-slope), x = p.x - shoulder.x, y = p.y - shoulder.y;
    p.x = shoulder.x + c * x - s * y;
    p.y = shoulder.y + s * x + c * y;
  }
  if (side) p.x = -p.x;
  for (uint32_t k = 0; k < facing; k++) p = sup_vec3_make(p.z, p.y, -p.x);
  return sup_vec3_scale(p, size);
}

/* One joint's text in parts, with its side. */
static void fill_in(char *out, size_t size, const Convention *convention, const char *pattern,
                    size_t length, uint32_t side) {
  size_t used = (size_t)snprintf(out, size, "%s", convention->prefix);
  for (size_t k = 0; k < length; k++) {
    if (pattern[k] == '%') {
      used += (size_t)snprintf(out + used, size - used, "%s", convention->sides[side]);
    } else {
      out[used++] = pattern[k];
      out[used] = 0;
    }
  }
}

static int32_t index_of(const Mannequin *m, const char *name) {
  for (uint32_t j = 0; j < m->skeleton.joint_count; j++) {
    if (strcmp(m->text[j], name) == 0) return (int32_t)j;
  }
  return -1;
}

static void add_joint(Mannequin *m, const Convention *convention, const char *row, uint32_t side,
                      float size, float slope, uint32_t facing) {
  const uint32_t j = m->skeleton.joint_count;
  const size_t name = strcspn(row, ",");
  const char *parent = row + name + 1;
  const size_t up = strcspn(parent, ",");
  const char *part = parent + up + 1;
  char text[48];
  assert_true(j < MANNEQUIN_JOINTS);
  fill_in(m->text[j], sizeof m->text[j], convention, row, name, side);
  fill_in(text, sizeof text, convention, parent, up, side);
  m->parents[j] = j ? index_of(m, text) : -1;
  m->parts[j] = SUP_HUMANOID_PARTS;
  m->sides[j] = side;
  SupVec3 place = {0, 0.01f * (float)j, 0};
  for (size_t k = 0; k < sizeof landmarks / sizeof *landmarks; k++) {
    if (strncmp(part, landmarks[k].name, strlen(landmarks[k].name)) != 0) continue;
    m->parts[j] = landmarks[k].part;
    m->shares[j] = strtof(part + strcspn(part, ",") + 1, NULL);
    place = sup_vec3_lerp(landmarks[k].from, landmarks[k].to, m->shares[j]);
  }
  if (m->parts[j] != SUP_HUMANOID_PARTS) {
    m->places[j] = put(place, m->parts[j], side, size, slope, facing);
  } else { /* beside its parent */
    const SupVec3 zero = {0, 0, 0};
    m->places[j] = sup_vec3_add(m->parents[j] < 0 ? zero : m->places[m->parents[j]],
                                sup_vec3_scale(place, 0.02f * size));
  }
  m->names[j] = m->text[j];
  m->skeleton.joint_count++;
}

void mannequin_make(Mannequin *out, uint32_t convention, float size, float slope, uint32_t facing) {
  const Convention *c = &conventions[convention];
  SupRng rng = sup_rng(convention, 7);
  SupQuat axes[MANNEQUIN_JOINTS];
  memset(out, 0, sizeof *out);
  for (const char *row = c->joints; *row; row += strcspn(row, ";"), row += *row == ';') {
    const bool sided = memchr(row, '%', strcspn(row, ";")) != NULL;
    for (uint32_t side = 0; side < (sided ? 2u : 1u); side++) {
      add_joint(out, c, row, side, size, slope, facing);
    }
  }
  for (uint32_t j = 0; j < out->skeleton.joint_count; j++) {
    float q[4];
    for (int k = 0; k < 4; k++) q[k] = sup_rng_float(&rng) - 0.5f;
    axes[j] = sup_quat_normalise(sup_quat_make(q[0], q[1], q[2], q[3]));
    out->rest[j] = (SupTransform){out->places[j], axes[j], {1, 1, 1}};
    const int32_t p = out->parents[j];
    const SupAffine bind = sup_affine_compose(out->rest[j]);
    out->inverse_bind[j] = sup_affine_inverse(bind);
    out->bone_joints[j] = j;
    if (p < 0) continue;
    const SupQuat back = sup_quat_conjugate(axes[p]);
    out->rest[j].rotation = sup_quat_normalise(sup_quat_mul(back, axes[j]));
    out->rest[j].translation = sup_quat_rotate(back, sup_vec3_sub(out->places[j], out->places[p]));
  }
  out->skeleton.bone_count = out->skeleton.joint_count;
  out->skeleton.names = out->names, out->skeleton.parents = out->parents;
  out->skeleton.rest = out->rest, out->skeleton.bone_joints = out->bone_joints;
  out->skeleton.inverse_bind = out->inverse_bind;
}

uint32_t mannequin_joint(const Mannequin *mannequin, SupHumanoidPart part, uint32_t side) {
  for (uint32_t j = 0; j < mannequin->skeleton.joint_count; j++) {
    if (mannequin->parts[j] == part && mannequin->sides[j] == side) return j;
  }
  return SUP_NONE;
}
