/* SPDX-License-Identifier: MIT */
/*
 * The point of a simplex that lies nearest to the origin, with few corners: what the skin weights
 * of one vertex come down to.
 */
#ifndef SUP_SRC_NUMERICS_SIMPLEX_QP_H
#define SUP_SRC_NUMERICS_SIMPLEX_QP_H

#include "supple/base.h"

#define SUP_SIMPLEX_MOST 16 /* corners that may carry weight at once */

/* Some corners of the simplex and what each carries. */
typedef struct SupSimplexPoint {
  int count;
  int corners[SUP_SIMPLEX_MOST];
  double weights[SUP_SIMPLEX_MOST]; /* > 0, summing to 1 */
  double value;                     /* w^T G w */
} SupSimplexPoint;

/* Minimises w^T G w over w >= 0, sum w = 1. gram[n * n] is symmetric, positive semidefinite: the
 * scalar products of the corners. point->corners[count] is where the search starts (count 0: at the
 * shortest corner); the answer replaces it. Where fewer than n corners are allowed to carry weight
 * at once the answer is that of the first SUP_SIMPLEX_MOST the search met. */
void sup_simplex_nearest(int n, const double *gram, SupSimplexPoint *point);

/* The same among the corners that `point` names only. */
void sup_simplex_within(int n, const double *gram, SupSimplexPoint *point);

/* Leaves out corners, each time the one that is missed least, until `most` are left, and finds the
 * best weights of those. */
void sup_simplex_thin(int n, const double *gram, int most, SupSimplexPoint *point);

/* Exchanges one corner for another, or takes one more where `most` allows it, each time what helps
 * most, while that lowers the value by more than the fraction `least` of it. */
void sup_simplex_exchange(int n, const double *gram, int most, double least,
                          SupSimplexPoint *point);

#endif
