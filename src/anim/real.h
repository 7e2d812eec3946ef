/* SPDX-License-Identifier: MIT */
/*
 * The precision of a source that is compiled twice: for float into libsupple, and with
 * SUP_ISA=f64 for double into libsupple_train. REAL_NAME(sup_x) gives the second copy its suffix,
 * REAL(quat, mul) names a function of supple/math.h in that precision.
 */
#ifndef SUP_SRC_ANIM_REAL_H
#define SUP_SRC_ANIM_REAL_H

#ifndef SUP_ISA
#define SUP_ISA scalar
#endif
#include "base/simd.h"
#include "supple/pose.h"
#include "supple/skin.h"

#if SUP_DOUBLE
#define REAL_NAME(name) name##_f64
#define REAL(noun, verb) sup_##noun##d_##verb
typedef SupVec3d RealVec3;
typedef SupQuatd RealQuat;
typedef SupMat3d RealMat3;
typedef SupAffined RealAffine;
typedef SupTransformd RealTransform;
typedef SupPosed RealPose;
typedef SupDualBoned RealDualBone;
typedef SupSkinViewd RealSkinView;
typedef SupSkinCalld RealSkinCall;
typedef SupSkinLayerd RealSkinLayer;
typedef SupSkinOutputd RealSkinOutput;
#else
#define REAL_NAME(name) name
#define REAL(noun, verb) sup_##noun##_##verb
typedef SupVec3 RealVec3;
typedef SupQuat RealQuat;
typedef SupMat3 RealMat3;
typedef SupAffine RealAffine;
typedef SupTransform RealTransform;
typedef SupPose RealPose;
typedef SupDualBone RealDualBone;
typedef SupSkinView RealSkinView;
typedef SupSkinCall RealSkinCall;
typedef SupSkinLayer RealSkinLayer;
typedef SupSkinOutput RealSkinOutput;
#endif

/* Stored data is float; this converts it in the double build. */
SUP_INLINE RealTransform real_transform(SupTransform t) {
  return (RealTransform){{t.translation.x, t.translation.y, t.translation.z},
                         {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
                         {t.scale.x, t.scale.y, t.scale.z}};
}

SUP_INLINE RealAffine real_affine(SupAffine a) {
  RealAffine r;
  for (int i = 0; i < 12; i++) r.m[i] = a.m[i];
  return r;
}

/* Slerp along the shorter arc. Above the threshold a normalised linear blend is less than 1.1e-6
 * radians from the arc (theta^3 / 62 at its worst t, twice that as a rotation) and needs no
 * trigonometry: that is nearly every pair of keys of an ordinary clip. */
#define REAL_SLERP_THRESHOLD 0.9995
SUP_INLINE RealQuat real_slerp(RealQuat a, RealQuat b, sup_real t) {
  sup_real dot = REAL(quat, dot)(a, b);
  if (dot < 0) {
    b = REAL(quat, negate)(b);
    dot = -dot;
  }
  if (dot < (sup_real)REAL_SLERP_THRESHOLD) return REAL(quat, slerp)(a, b, t);
  sup_real s = 1 - t;
  return REAL(quat, normalise)(
      (RealQuat){a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t, a.w * s + b.w * t});
}

#endif
