/* The recursive back end in the plane: M = L' D L without forming M or L (articulated-body inertias; Featherstone,
 * Rigid Body Dynamics Algorithms, 7.3). With the deviation a of the bodies' accelerations from beta,
 *
 *     from the leaves:   U = I S,  D = S.U,   I := I - U U'/D   moved to the parent,      (L^-T x)_k = x_k - S.p,
 *                        p := p + U (L^-T x)_k / D              moved to the parent,
 *     from the root:     (L^-1 y)_k = y_k - (U/D).a,            a := a + S (L^-1 y)_k      moved to the children.
 *
 * Its cost grows linearly with the length of a branch, that of the packed matrix with the cube. All quantities of a
 * body refer to its reference point. For a rotation this is the pin: there S = (0, 0, 1), the remaining I and p have no
 * moment, and most terms vanish. For other joints it is the mass centre. */
#include <assert.h>

#include "kernels/planar/planar.h"

/* Symmetric 3 x 3 at the reference point: force per acceleration, force per angular acceleration, moment per angular
 * acceleration. */
typedef struct inertia {
  mbs_real mxx, mxy, myy, hx, hy, J;
} inertia;

/* A wrench, or an acceleration of the reference point and an angular acceleration. */
typedef struct triple {
  mbs_real x, y, n;
} triple;

/* U / D, U = I S, and 1 / D of one velocity. */
typedef struct pivot {
  mbs_real x, y, n, inverse;
} pivot;

typedef struct planar_articulated {
  inertia *inertias; /* [nB + 1] sums over the children; zero between calls */
  triple *sums;      /* [nB + 1] sums of wrenches over the children; zero between calls */
  triple *motions;   /* [nB + 1] */
  pivot *pivots;     /* [nv] */
  bool *branches;    /* [nB + 1] the body has a child other than the next body */
} planar_articulated;

bool planar_articulated_open(const mbs_model *model, mbs_arena *arena, planar_workspace *workspace) {
  planar_articulated *own = mbs_arena_alloc(arena, 1, sizeof *own);
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

mbs_real *planar_articulated_pivots(const planar_workspace *workspace) {
  assert(workspace->articulated != NULL);
  return (mbs_real *)(void *)workspace->articulated->pivots;
}

/* Returns the x component from the reference point of a body to its mass centre. */
static inline mbs_real reference_x(const planar_joint *joint, const planar_body *body) {
  return joint->motion == PLANAR_TURN ? body->ex : MBS_ALL(0);
}

static inline mbs_real reference_y(const planar_joint *joint, const planar_body *body) {
  return joint->motion == PLANAR_TURN ? body->ey : MBS_ALL(0);
}

/* Returns a column of B at the reference point. */
static inline planar_column column_at(const planar_joint *joint, const planar_column *column) {
  return joint->motion == PLANAR_TURN ? (planar_column){MBS_ALL(0), MBS_ALL(0), column->w} : *column;
}

/* Computes the vector from the reference point of `to` to that of `from`, its child. */
static inline void between(const planar_joint *joints, const planar_body *bodies, size_t from, size_t to,
                           mbs_real d[2]) {
  d[0] = bodies[from].dx - reference_x(&joints[from], &bodies[from]) + reference_x(&joints[to], &bodies[to]);
  d[1] = bodies[from].dy - reference_y(&joints[from], &bodies[from]) + reference_y(&joints[to], &bodies[to]);
}

static inline void carry_inertia(inertia *to, const inertia *from, mbs_real dx, mbs_real dy) {
  /* h_O = h + M perp(d), J_O = J + d x h + d x h_O */
  mbs_real hx = from->hx - from->mxx * dy + from->mxy * dx, hy = from->hy - from->mxy * dy + from->myy * dx;
  to->mxx += from->mxx;
  to->mxy += from->mxy;
  to->myy += from->myy;
  to->J += from->J + (dx * from->hy - dy * from->hx) + (dx * hy - dy * hx);
  to->hx += hx;
  to->hy += hy;
}

static inline void carry_wrench(triple *to, const triple *from, mbs_real dx, mbs_real dy) {
  /* n_O = n + d x f */
  to->x += from->x;
  to->y += from->y;
  to->n += from->n + dx * from->y - dy * from->x;
}

/* Eliminates one degree of freedom from I and p; w = -S.p. Returns D. theory (8.10), (8.11) */
static mbs_real eliminate(inertia *I, triple *p, const planar_column *S, mbs_real shift, pivot *out, mbs_real *w) {
  /* U = I S */
  mbs_real x = I->mxx * S->x + I->mxy * S->y + I->hx * S->w;
  mbs_real y = I->mxy * S->x + I->myy * S->y + I->hy * S->w;
  mbs_real n = I->hx * S->x + I->hy * S->y + I->J * S->w;
  /* D = S.U + mu */
  mbs_real D = S->x * x + S->y * y + S->w * n + shift, inverse = 1 / D;
  mbs_real ix = x * inverse, iy = y * inverse;
  *out = (pivot){ix, iy, n * inverse, inverse};
  /* I := I - U U' / D */
  I->mxx -= ix * x;
  I->mxy -= ix * y;
  I->myy -= iy * y;
  I->hx -= ix * n;
  I->hy -= iy * n;
  I->J -= n * n * inverse;
  /* w = -S.p, p := p + U w / D */
  *w = -(S->x * p->x + S->y * p->y + S->w * p->n);
  p->x += out->x * *w;
  p->y += out->y * *w;
  p->n += out->n * *w;
  return D;
}

/* Eliminates a rotation at its pin, I' = I - U U'/D, and moves the result by d in one step: the remainder has neither h
 * nor J nor a moment. Products that depend on 1 / D only shorten the dependence from one body to the next. theory
 * (8.13) */
static inline void pass_turn(const inertia *I, const triple *p, mbs_real inverse, mbs_real dx, mbs_real dy, inertia *to,
                             triple *sum) {
  /* s = h_y d_x - h_x d_y, a = M perp(d) */
  mbs_real hx = I->hx, hy = I->hy, along = hy * dx - hx * dy;
  mbs_real ax = I->mxy * dx - I->mxx * dy, ay = I->myy * dx - I->mxy * dy;
  to->mxx += I->mxx - hx * hx * inverse;
  to->mxy += I->mxy - hx * hy * inverse;
  to->myy += I->myy - hy * hy * inverse;
  to->hx += ax - hx * along * inverse;
  to->hy += ay - hy * along * inverse;
  to->J += (dx * ay - dy * ax) - along * along * inverse;
  sum->x += p->x - hx * p->n * inverse;
  sum->y += p->y - hy * p->n * inverse;
  sum->n += (dx * p->y - dy * p->x) - along * p->n * inverse;
}

/* Adds inertia and wrench Mb (beta - g) - f of a body to the sums over its children. theory (8.9) */
static inline void add_body(const mbs_real gravity[3], const planar_joint *joint, const planar_constants *numbers,
                            const planar_body *body, inertia *I, triple *p) {
  mbs_real m = numbers->m, rx = reference_x(joint, body), ry = reference_y(joint, body);
  mbs_real fx = m * (body->bx - gravity[0]) - body->fx, fy = m * (body->by - gravity[1]) - body->fy;
  /* diag(m, J) of the mass centre, moved by r to the reference point */
  I->mxx += m;
  I->myy += m;
  I->hx -= m * ry;
  I->hy += m * rx;
  I->J += numbers->J + m * (rx * rx + ry * ry);
  /* p = (m (beta - g) - f, -n), moved likewise */
  p->x += fx;
  p->y += fy;
  p->n += rx * fy - ry * fx - body->n;
}

/* Adds the sums of children that are not the next body to those of body i, and clears them for the next call. */
static void take_sums(planar_articulated *own, size_t i, inertia *I, triple *p) {
  inertia *from = &own->inertias[i];
  I->mxx += from->mxx;
  I->mxy += from->mxy;
  I->myy += from->myy;
  I->hx += from->hx;
  I->hy += from->hy;
  I->J += from->J;
  p->x += own->sums[i].x;
  p->y += own->sums[i].y;
  p->n += own->sums[i].n;
  *from = (inertia){0};
  own->sums[i] = (triple){0};
}

/* Computes D, U / D and w = L^-T h of all velocities, from the leaves. theory (8.10), (8.11) */
int planar_articulated_factor(mbs_system *system, double smallest) {
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  const planar_workspace *workspace = planar_of(system);
  planar_articulated *own = workspace->articulated;
  const planar_constants *numbers = planar_numbers(system);
  const double *shift = system->mass_shifts;
  const mbs_real *rotors = system->constants->rotor_masses;
  const mbs_real *gravity = system->constants->gravity;
  const mbs_real *radius2 = system->constants->radius2;
  bool shifted = system->mass_shift != 0;
  int singular = -1;
  inertia I = {0}; /* sums passed from the previous body, kept in registers along a chain */
  triple p = {0};
  for (size_t i = model->nB; i >= 1; i--) {
    const planar_joint *joint = &joints[i];
    const planar_body *body = &workspace->bodies[i];
    if (workspace->articulated->branches[i]) take_sums(own, i, &I, &p);
    add_body(gravity, joint, &numbers[i], body, &I, &p);
    /* Rounding error of a mass and, with the body's size, of a moment of inertia. */
    mbs_real mass = I.mxx + I.myy, moment = I.J + mass * radius2[i], d[2] = {MBS_ALL(0), MBS_ALL(0)};
    int parent = joint->parent;
    if (parent > 0) between(joints, workspace->bodies, i, (size_t)parent, d);
    inertia to = {0};
    triple sum = {0};
    bool chain = parent == (int)i - 1;
    inertia *next = chain ? &to : &own->inertias[parent];
    triple *next_sum = chain ? &sum : &own->sums[parent];
    if (joint->motion == PLANAR_TURN && !shifted) {
      /* S = (0, sigma): D = J, U / D = sigma (h / J, 1), w = -sigma p_n */
      int k = joint->turn_v;
      mbs_real sign = workspace->columns[k].w, inverse = 1 / I.J;
      if (mbs_any_not_above(I.J, smallest * moment)) singular = k;
      own->pivots[k] = (pivot){sign * I.hx * inverse, sign * I.hy * inverse, sign, inverse};
      system->M_diagonal[k] = inverse;
      system->w[k] = -sign * p.n;
      if (parent > 0) pass_turn(&I, &p, inverse, d[0], d[1], next, next_sum);
    } else {
      for (int k = model->first_v[i + 1] - 1; k >= model->first_v[i]; k--) {
        planar_column S = column_at(joint, &workspace->columns[k]);
        mbs_real D = eliminate(&I, &p, &S, shift[k] + rotors[k], &own->pivots[k], &system->w[k]);
        mbs_real least = smallest * ((S.x * S.x + S.y * S.y) * mass + S.w * S.w * moment);
        if (mbs_any_not_above(D, least)) singular = k;
        system->M_diagonal[k] = own->pivots[k].inverse;
      }
      if (parent > 0) {
        carry_inertia(next, &I, d[0], d[1]);
        carry_wrench(next_sum, &p, d[0], d[1]);
      }
    }
    I = to;
    p = sum;
  }
  return singular;
}

/* Computes x_k := x_k - S.p, and its contribution to p. theory (8.12) */
static inline void sweep_up(const planar_workspace *workspace, const planar_joint *joint, int k, mbs_real *x,
                            triple *p) {
  const pivot *out = &workspace->articulated->pivots[k];
  planar_column S = column_at(joint, &workspace->columns[k]);
  *x -= S.x * p->x + S.y * p->y + S.w * p->n;
  p->x += out->x * *x;
  p->y += out->y * *x;
  p->n += out->n * *x;
}

/* Computes x := L^-T x. theory (8.12) */
void planar_articulated_up(mbs_system *system, mbs_real *x) {
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  const planar_workspace *workspace = planar_of(system);
  triple *sums = workspace->articulated->sums;
  for (size_t i = model->nB; i >= 1; i--) {
    triple p = sums[i];
    mbs_real d[2];
    sums[i] = (triple){0};
    for (int k = model->first_v[i + 1] - 1; k >= model->first_v[i]; k--) sweep_up(workspace, &joints[i], k, &x[k], &p);
    if (joints[i].parent == 0) continue;
    /* p_p += p, moved to the parent's reference point */
    between(joints, workspace->bodies, i, (size_t)joints[i].parent, d);
    carry_wrench(&sums[joints[i].parent], &p, d[0], d[1]);
  }
}

/* Computes Z = L^-T C', row by row along the paths of its block. theory (8.15) */
void planar_articulated_rows(mbs_system *system) {
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  const planar_workspace *workspace = planar_of(system);
  triple *sums = workspace->articulated->sums;
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    if (system->schur_rows.height[b] == 0) continue;
    mbs_real *row = system->Z + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns)
      for (int c = block->columns - 1; c >= 0; c--) {
        int k = pattern[c], body = model->velocity_body[k], before = model->tree.parent[k];
        int carrier = before < 0 ? 0 : model->velocity_body[before];
        triple *p = &sums[body];
        sweep_up(workspace, &joints[body], k, &row[c], p);
        if (carrier == body) continue; /* another velocity of the same joint follows */
        if (carrier > 0) {
          const planar_body *from = &workspace->bodies[body], *to = &workspace->bodies[carrier];
          carry_wrench(&sums[carrier], p,
                       from->x - reference_x(&joints[body], from) - to->x + reference_x(&joints[carrier], to),
                       from->y - reference_y(&joints[body], from) - to->y + reference_y(&joints[carrier], to));
        }
        *p = (triple){0};
      }
  }
}

/* Computes x := L^-1 x. theory (8.12) */
void planar_articulated_down(mbs_system *system, mbs_real *x) {
  const mbs_model *model = system->model;
  const planar_joint *joints = planar_joints(model);
  const planar_workspace *workspace = planar_of(system);
  const pivot *pivots = workspace->articulated->pivots;
  triple *motions = workspace->articulated->motions; /* [0]: the ground, without motion */
  triple a = motions[0];                             /* acceleration of the previous body, in registers along a chain */
  for (size_t i = 1; i <= model->nB; i++) {
    const planar_joint *joint = &joints[i];
    if (joint->parent != (int)i - 1) a = motions[joint->parent];
    mbs_real d[2];
    between(joints, workspace->bodies, i, (size_t)joint->parent, d);
    /* a_p moved by d: a + alpha perp(d) */
    a.x -= a.n * d[1];
    a.y += a.n * d[0];
    if (joint->motion == PLANAR_TURN &&
        system->mass_shift == 0) { /* the joint cancels the angular acceleration of the parent */
      int k = joint->turn_v;
      mbs_real turned = x[k] - pivots[k].x * a.x - pivots[k].y * a.y;
      x[k] = turned - pivots[k].n * a.n;
      a.n = pivots[k].n * turned;
    } else {
      for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) {
        planar_column S = column_at(joint, &workspace->columns[k]);
        /* x_k := x_k - (U / D).a, a := a + S x_k */
        x[k] -= pivots[k].x * a.x + pivots[k].y * a.y + pivots[k].n * a.n;
        a.x += S.x * x[k];
        a.y += S.y * x[k];
        a.n += S.w * x[k];
      }
    }
    motions[i] = a;
  }
}
