/* The recursive back end in space: M = L' D L without forming M or L (articulated-body inertias; Featherstone, Rigid
 * Body Dynamics Algorithms, 7.3; planar/articulated.c describes the recursions). All quantities of a body refer to its
 * reference point: P2 of a joint without slides, about which its columns rotate, S = (0, w); else the mass centre.
 *
 * An inertia gives the wrench of an acceleration,   f = M a + H alpha,   n = H' a + J alpha.   Moved by d, from Q to O
 * = Q - d:   H_O = H - M [d],   J_O = J - H' [d] + [d] H_O,   [d] x = d x x. */
#include "kernels/spatial/spatial.h"

#include <assert.h>
#include <string.h>

typedef struct inertia {
  mbs_real M[6], J[6]; /* xx, yy, zz, xy, xz, yz */
  mbs_real H[9];       /* row-major */
} inertia;

/* A wrench (force, moment), or an acceleration of the reference point and an angular acceleration. */
typedef struct pair {
  mbs_real v[3], w[3];
} pair;

/* U / D, U = I S, of one velocity; for the first one of a joint also its moment about the reference point of the
 * parent. */
typedef struct pivot {
  pair U;
  mbs_real moved[3];
} pivot;

_Static_assert(sizeof(pivot) == SPATIAL_PIVOT * sizeof(mbs_real), "pivots are numbers");

typedef struct spatial_articulated {
  inertia *inertias; /* [nB + 1] sums over the children; zero between calls */
  pair *sums;        /* [nB + 1] sums of wrenches over the children; zero between calls */
  pair *motions;     /* [nB + 1] */
  pivot *pivots;     /* [nv] */
  bool *branches;    /* [nB + 1] the body has a child other than the next body */
} spatial_articulated;

bool spatial_articulated_open(const mbs_model *model, mbs_arena *arena, spatial_workspace *workspace) {
  spatial_articulated *own = mbs_arena_alloc(arena, 1, sizeof *own);
  if (!own) return false;
  own->inertias = mbs_arena_alloc(arena, model->nB + 1, sizeof *own->inertias);
  own->sums = mbs_arena_alloc(arena, model->nB + 1, sizeof *own->sums);
  own->motions = mbs_arena_alloc(arena, model->nB + 1, sizeof *own->motions);
  own->pivots = mbs_arena_alloc(arena, model->nv + 1, sizeof *own->pivots);
  own->branches = mbs_arena_alloc(arena, model->nB + 1, sizeof *own->branches);
  workspace->articulated = own;
  if (!own->branches) return false;
  for (size_t i = 1; i <= model->nB; i++)
    if (model->parent[i] != (int)i - 1) own->branches[model->parent[i]] = true;
  return own->inertias && own->sums && own->motions && own->pivots;
}

mbs_real *spatial_articulated_pivots(const spatial_workspace *workspace) {
  assert(workspace->articulated != NULL);
  return (mbs_real *)(void *)workspace->articulated->pivots;
}

static inline bool turns_about_p2(const spatial_joint *joint) {
  return !joint->slides && joint->motion != SPATIAL_FLOAT && joint->motion != SPATIAL_RIGID;
}

/* Computes the vector from the reference point of the parent to that of the body; for the ground from its origin. */
static inline void arm(const spatial_joint *joints, const spatial_body *bodies, size_t i, mbs_real d[3]) {
  const spatial_joint *joint = &joints[i], *before = &joints[joint->parent];
  bool own = turns_about_p2(joint), parents = joint->parent > 0 && turns_about_p2(before);
  for (int k = 0; k < 3; k++)
    d[k] = bodies[i].d[k] - (own ? bodies[i].e[k] : MBS_ALL(0)) + (parents ? bodies[joint->parent].e[k] : MBS_ALL(0));
}

static inline mbs_real work_of(const pair *a, const pair *b) { return mbs_dot(a->v, b->v) + mbs_dot(a->w, b->w); }

static inline void add_share(pair *to, const pair *from, mbs_real share) {
  for (int k = 0; k < 3; k++) {
    to->v[k] += share * from->v[k];
    to->w[k] += share * from->w[k];
  }
}

/* Returns a column of B at the reference point. */
static inline pair column_at(const spatial_joint *joint, const spatial_column *column) {
  pair S;
  memcpy(S.w, column->w, sizeof S.w);
  if (turns_about_p2(joint))
    memset(S.v, 0, sizeof S.v);
  else
    memcpy(S.v, column->v, sizeof S.v);
  return S;
}

static inline void carry_wrench(pair *restrict to, const pair *restrict from, const mbs_real d[3]) {
  for (int k = 0; k < 3; k++) {
    to->v[k] += from->v[k];
    to->w[k] += from->w[k];
  }
  mbs_add_cross(d, from->v, to->w);
}

/* Computes U = I S. */
static inline void inertia_times(const inertia *I, const pair *S, bool turn, pair *U) {
  const mbs_real *H = I->H, *v = S->v, *w = S->w;
  /* n = H' a + J alpha, f = M a + H alpha; a = 0 for a rotation */
  spatial_symmetric_times(I->J, w, U->w);
  mbs_rotate(H, w, U->v);
  if (turn) return;
  mbs_real f[3], n[3];
  spatial_symmetric_times(I->M, v, f);
  mbs_rotate_back(H, v, n);
  for (int k = 0; k < 3; k++) {
    U->v[k] += f[k];
    U->w[k] += n[k];
  }
}

/* Computes I := I - U U' / D and p := p + U w / D, with (f, n) = U / D. */
static inline void subtract(inertia *restrict I, pair *restrict p, const pair *restrict U, const mbs_real f[restrict 3],
                            const mbs_real n[restrict 3], mbs_real w) {
  static const int row[] = {0, 1, 2, 0, 0, 1}, column[] = {0, 1, 2, 1, 2, 2};
  /* M -= f U_v', J -= n U_w', H -= f U_w' */
  for (int k = 0; k < 6; k++) {
    I->M[k] -= f[row[k]] * U->v[column[k]];
    I->J[k] -= n[row[k]] * U->w[column[k]];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) I->H[3 * i + j] -= f[i] * U->w[j];
  /* p += (f, n) w */
  for (int i = 0; i < 3; i++) {
    p->v[i] += f[i] * w;
    p->w[i] += n[i] * w;
  }
}

/* Moves I and p by d. */
static inline void move(const inertia *restrict I, const pair *restrict p, const mbs_real d[3], inertia *restrict to,
                        pair *restrict sum) {
  const mbs_real *M = I->M, *H = I->H, *J = I->J;
  mbs_real x = d[0], y = d[1], z = d[2], *N = to->H;
  memcpy(to->M, M, sizeof to->M);
  /* H_O = H - M [d] */
  N[0] = H[0] + (y * M[4] - z * M[3]);
  N[1] = H[1] + (z * M[0] - x * M[4]);
  N[2] = H[2] + (x * M[3] - y * M[0]);
  N[3] = H[3] + (y * M[5] - z * M[1]);
  N[4] = H[4] + (z * M[3] - x * M[5]);
  N[5] = H[5] + (x * M[1] - y * M[3]);
  N[6] = H[6] + (y * M[2] - z * M[5]);
  N[7] = H[7] + (z * M[4] - x * M[2]);
  N[8] = H[8] + (x * M[5] - y * M[4]);
  /* the entries of [d] H_O and [d] H that J needs */
  to->J[0] = J[0] + (y * (N[6] + H[6]) - z * (N[3] + H[3]));
  to->J[1] = J[1] + (z * (N[1] + H[1]) - x * (N[7] + H[7]));
  to->J[2] = J[2] + (x * (N[5] + H[5]) - y * (N[2] + H[2]));
  to->J[3] = J[3] + (y * N[7] - z * N[4]) + (z * H[0] - x * H[6]);
  to->J[4] = J[4] + (y * N[8] - z * N[5]) + (x * H[3] - y * H[0]);
  to->J[5] = J[5] + (z * N[2] - x * N[8]) + (x * H[4] - y * H[1]);
  /* f_O = f, n_O = n + d x f */
  for (int k = 0; k < 3; k++) {
    sum->v[k] = p->v[k];
    sum->w[k] = p->w[k];
  }
  mbs_add_cross(d, p->v, sum->w);
}

/* Adds inertia and wrench Mb (beta - g) - hb of a body to the sums over its children. theory (8.9) */
static inline void add_body(const mbs_real gravity[3], const spatial_joint *joint, mbs_real m, const spatial_body *body,
                            inertia *I, pair *p) {
  mbs_real spin[3], force[3], moment[3];
  const mbs_real *c = body->e;
  /* m (beta - g) - f, J beta_w + omega x J omega - n */
  spatial_symmetric_times(body->J, body->w, spin);
  spatial_symmetric_times(body->J, body->bw, moment);
  mbs_add_cross(body->w, spin, moment);
  for (int k = 0; k < 3; k++) {
    force[k] = m * (body->b[k] - gravity[k]) - body->f[k];
    moment[k] -= body->n[k];
    I->M[k] += m;
    p->v[k] += force[k];
  }
  for (int k = 0; k < 6; k++) I->J[k] += body->J[k];
  if (turns_about_p2(joint)) {
    /* moved by c to the reference point: H = -m [c], J + m (c.c 1 - c c') */
    mbs_real x = m * c[0], y = m * c[1], z = m * c[2];
    mbs_add_cross(c, force, moment);
    I->H[1] += z;
    I->H[2] -= y;
    I->H[3] -= z;
    I->H[5] += x;
    I->H[6] += y;
    I->H[7] -= x;
    I->J[0] += y * c[1] + z * c[2];
    I->J[1] += x * c[0] + z * c[2];
    I->J[2] += x * c[0] + y * c[1];
    I->J[3] -= x * c[1];
    I->J[4] -= x * c[2];
    I->J[5] -= y * c[2];
  }
  for (int k = 0; k < 3; k++) p->w[k] += moment[k];
}

/* Adds an inertia at the same point. theory (8.5) */
static inline void add_articulated(inertia *restrict to, const inertia *restrict from) {
  for (int k = 0; k < 6; k++) {
    to->M[k] += from->M[k];
    to->J[k] += from->J[k];
  }
  for (int k = 0; k < 9; k++) to->H[k] += from->H[k];
}

/* Adds the sums of children that are not the next body to those of body i, and clears them for the next call. */
static void take_sums(spatial_articulated *own, size_t i, inertia *I, pair *p) {
  add_articulated(I, &own->inertias[i]);
  add_share(p, &own->sums[i], MBS_ALL(1));
  own->inertias[i] = (inertia){.M = {MBS_ALL(0)}};
  own->sums[i] = (pair){.v = {MBS_ALL(0)}};
}

/* Eliminates the degrees of freedom of body i from I and p, from the last to the first. The share U U' / D of the first
 * is subtracted only after the move by d to the parent, so that the move does not wait for D. Returns a velocity
 * without inertia, or -1. theory (8.10), (8.11) */
static inline int eliminate(mbs_system *system, const spatial_joint *joint, size_t i, double smallest,
                            const mbs_real d[3], inertia *restrict I, pair *restrict p, inertia *restrict to,
                            pair *restrict sum) {
  const mbs_model *model = system->model;
  const spatial_workspace *workspace = spatial_of(system);
  int singular = -1, first = model->first_v[i];
  bool turn = turns_about_p2(joint);
  /* Rounding error of a mass and, with the body's size, of a moment of inertia. */
  mbs_real mass = smallest * (I->M[0] + I->M[1] + I->M[2]);
  mbs_real moment = smallest * (I->J[0] + I->J[1] + I->J[2]) + mass * system->constants->radius2[i];
  for (int k = model->first_v[i + 1] - 1; k >= first; k--) {
    pivot *out = &workspace->articulated->pivots[k];
    pair S = column_at(joint, &workspace->columns[k]), U;
    /* U = I S, D = S.U + mu + I_a, w = -S.p */
    inertia_times(I, &S, turn, &U);
    mbs_real D = system->mass_shifts[k] + system->constants->rotor_masses[k] +
                 (turn ? mbs_dot(S.w, U.w) : work_of(&S, &U)),
             inverse = 1 / D;
    mbs_real w = turn ? -mbs_dot(S.w, p->w) : -work_of(&S, p);
    if (mbs_any_not_above(D, mbs_dot(S.v, S.v) * mass + mbs_dot(S.w, S.w) * moment)) singular = k;
    system->M_diagonal[k] = inverse;
    system->w[k] = w;
    for (int c = 0; c < 3; c++) {
      out->U.v[c] = U.v[c] * inverse;
      out->U.w[c] = U.w[c] * inverse;
    }
    if (k > first) {
      subtract(I, p, &U, out->U.v, out->U.w, w);
    } else {
      /* U at the parent's reference point, n + d x f */
      mbs_add_cross(d, U.v, U.w);
      for (int c = 0; c < 3; c++) out->moved[c] = U.w[c] * inverse;
      move(I, p, d, to, sum);
      subtract(to, sum, &U, out->U.v, out->moved, w);
    }
  }
  if (model->first_v[i + 1] == first) move(I, p, d, to, sum);
  return singular;
}

/* Computes D, U / D and w = L^-T h of all velocities, from the leaves. theory (8.10), (8.11) */
int spatial_articulated_factor(mbs_system *system, double smallest) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  const spatial_workspace *workspace = spatial_of(system);
  spatial_articulated *own = workspace->articulated;
  int singular = -1;
  inertia I = {.M = {MBS_ALL(0)}},
          to = {.M = {MBS_ALL(0)}}; /* sums passed from the previous body along a chain, and those for the next */
  pair p = {.v = {MBS_ALL(0)}}, sum = {.v = {MBS_ALL(0)}};
  const spatial_constants *numbers = spatial_numbers(system);
  const mbs_real *gravity = system->constants->gravity;
  for (size_t i = model->nB; i >= 1; i--) {
    const spatial_joint *joint = &joints[i];
    size_t parent = (size_t)joint->parent;
    mbs_real d[3];
    if (own->branches[i]) take_sums(own, i, &I, &p);
    add_body(gravity, joint, numbers[i].m, &workspace->bodies[i], &I, &p);
    arm(joints, workspace->bodies, i, d);
    int without = eliminate(system, joint, i, smallest, d, &I, &p, &to, &sum);
    if (without >= 0) singular = without;
    if (parent == i - 1) {
      I = to;
      p = sum;
      continue;
    }
    if (parent > 0) {
      add_articulated(&own->inertias[parent], &to);
      add_share(&own->sums[parent], &sum, MBS_ALL(1));
    }
    I = (inertia){.M = {MBS_ALL(0)}};
    p = (pair){.v = {MBS_ALL(0)}};
  }
  return singular;
}

/* Computes x_k := x_k - S.p, and its contribution to p. theory (8.12) */
static inline void sweep_up(const spatial_workspace *workspace, const spatial_joint *joint, int k, mbs_real *x,
                            pair *p) {
  const pivot *out = &workspace->articulated->pivots[k];
  pair S = column_at(joint, &workspace->columns[k]);
  *x -= work_of(&S, p);
  add_share(p, &out->U, *x);
}

/* Computes x := L^-T x. theory (8.12) */
void spatial_articulated_up(mbs_system *system, mbs_real *x) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  const spatial_workspace *workspace = spatial_of(system);
  pair *sums = workspace->articulated->sums;
  for (size_t i = model->nB; i >= 1; i--) {
    pair p = sums[i];
    mbs_real d[3];
    sums[i] = (pair){.v = {MBS_ALL(0)}};
    for (int k = model->first_v[i + 1] - 1; k >= model->first_v[i]; k--) sweep_up(workspace, &joints[i], k, &x[k], &p);
    if (joints[i].parent == 0) continue;
    /* p_p += p, moved to the parent's reference point */
    arm(joints, workspace->bodies, i, d);
    carry_wrench(&sums[joints[i].parent], &p, d);
  }
}

/* Computes the vector from the body that carries velocity k back to the one that carries the previous velocity on the
 * path, over bodies of rigid joints. */
static void arm_back(const spatial_joint *joints, const spatial_body *bodies, int body, int carrier, mbs_real d[3]) {
  bool own = turns_about_p2(&joints[body]), carriers = turns_about_p2(&joints[carrier]);
  for (int k = 0; k < 3; k++)
    d[k] = bodies[body].r[k] - (own ? bodies[body].e[k] : MBS_ALL(0)) - bodies[carrier].r[k] +
           (carriers ? bodies[carrier].e[k] : MBS_ALL(0));
}

/* Computes Z = L^-T C', row by row along the paths of its block. theory (8.15) */
void spatial_articulated_rows(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  const spatial_workspace *workspace = spatial_of(system);
  pair *sums = workspace->articulated->sums;
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    if (system->schur_rows.height[b] == 0) continue;
    mbs_real *row = system->Z + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns)
      for (int c = block->columns - 1; c >= 0; c--) {
        int k = pattern[c], body = model->velocity_body[k], before = model->tree.parent[k];
        int carrier = before < 0 ? 0 : model->velocity_body[before];
        pair *p = &sums[body];
        sweep_up(workspace, &joints[body], k, &row[c], p);
        if (carrier == body) continue; /* another velocity of the same joint follows */
        if (carrier > 0) {
          mbs_real d[3];
          arm_back(joints, workspace->bodies, body, carrier, d);
          carry_wrench(&sums[carrier], p, d);
        }
        *p = (pair){.v = {MBS_ALL(0)}};
      }
  }
}

/* Computes x := L^-1 x. theory (8.12) */
void spatial_articulated_down(mbs_system *system, mbs_real *x) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  const spatial_workspace *workspace = spatial_of(system);
  const pivot *pivots = workspace->articulated->pivots;
  pair *motions = workspace->articulated->motions; /* [0]: the ground, without motion */
  pair a = motions[0];                             /* acceleration of the previous body, in registers along a chain */
  for (size_t i = 1; i <= model->nB; i++) {
    const spatial_joint *joint = &joints[i];
    int first = model->first_v[i], end = model->first_v[i + 1];
    if (joint->parent != (int)i - 1) a = motions[joint->parent];
    mbs_real d[3], before = MBS_ALL(0);
    arm(joints, workspace->bodies, i, d);
    /* (U / D).a, both at the parent's reference point */
    if (first < end) before = mbs_dot(pivots[first].U.v, a.v) + mbs_dot(pivots[first].moved, a.w);
    /* a_p moved by d: a + alpha x d */
    mbs_add_cross(a.w, d, a.v);
    for (int k = first; k < end; k++) {
      /* x_k := x_k - (U / D).a, a := a + S x_k */
      pair S = column_at(joint, &workspace->columns[k]);
      x[k] -= k == first ? before : work_of(&pivots[k].U, &a);
      add_share(&a, &S, x[k]);
    }
    motions[i] = a;
  }
}
