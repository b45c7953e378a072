/* dap_cuts.c - the constraints of CutJoint.m (DAP_JC). Rows of Phi are terms of the state. Each is compared by value,
 * at several states, with the textbook's constraints between all points and vectors of the model. B, Bd, C and right
 * sides are not read. */
#include "import/dap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATES = 4 };

typedef struct cut_reader {
  dap_model *model;
  mfile *reader;
  import_location place;
  const mfile_value *phi;
  double (*rows)[STATES]; /* values of the rows of Phi */
  double (*points)[STATES][2], (*vectors)[STATES][2], (*bodies)[STATES][3];
  size_t next; /* row */
  size_t cuts, drivers;
} cut_reader;

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b)); }

static void sample_pair(cut_reader *self, const char *global, size_t count, const char *field,
                        double (*out)[STATES][2]) {
  for (size_t i = 0; i < count; i++) {
    mfile_value value;
    if (!dap_member(self->reader, global, (int)i + 1, field, &value)) continue;
    for (unsigned s = 0; s < STATES; s++)
      for (int k = 0; k < 2; k++) out[i][s][k] = mfile_evaluate(value.cells[k], s, NULL);
  }
}

static int body_of_point(const cut_reader *self, size_t point) {
  return dap_body_of(self->model, self->model->points.items[point], self->model->list_files[1]);
}
static int body_of_vector(const cut_reader *self, size_t vector) {
  return dap_body_of(self->model, self->model->vectors.items[vector], self->model->list_files[2]);
}

static json_t *add_cut(cut_reader *self, const char *type, size_t first, size_t second) {
  import_context *context = self->model->context;
  const char *name =
      import_name(context, IMPORT_NAME_BODY, import_text(context, "cut%zu", ++self->cuts), "cut", 1, NULL);
  json_t *joint = import_add(context, context->joints, name, type);
  import_set_pair(context, joint, "points", self->model->points.names[first], self->model->points.names[second]);
  import_set(context, joint, "cut", json_true());
  return joint;
}

/* theta(i) - f(t) */
static bool read_driver(cut_reader *self) {
  import_context *context = self->model->context;
  const mfile_term *row = self->phi->cells[self->next];
  int index = 0;
  double factor = 0;
  for (int i = 1; i <= DAP_COORDINATES && index == 0; i++)
    if (mfile_depends(row, import_text(context, "theta(%d)", i))) index = i;
  const char *atom = import_text(context, "theta(%d)", index);
  if (!index) return false;
  for (unsigned s = 0; s < STATES; s++) {
    const double own = mfile_evaluate(mfile_atom(context, atom), s, NULL);
    const double slope = (mfile_evaluate(row, s, NULL) - mfile_evaluate(row, s, atom)) / own;
    if (s && !near(slope, factor)) return false;
    factor = slope;
  }
  if (!near(fabs(factor), 1)) return false;
  /* f = -(row at theta = 0) / factor */
  const mfile_term *rest = row;
  json_t *function = NULL;
  for (size_t k = 1; k <= self->model->functions.count; k++) {
    const mfile_term *f = mfile_atom(context, import_text(context, "functs(%zu)", k));
    bool equal = true;
    for (unsigned s = 0; s < STATES; s++)
      equal = equal && near(mfile_evaluate(row, s, atom), -factor * mfile_evaluate(f, s, NULL));
    if (equal) function = dap_function(self->model, (int)k, &self->place);
  }
  if (!function && mfile_depends(row, "functs")) return false;
  if (!function) {
    rest = mfile_without(context, row, atom);
    if (factor > 0) rest = mfile_operate(context, "-", mfile_number(context, 0), rest);
    if (mfile_depends(rest, "theta") || mfile_names_state(rest)) return false;
    function = dap_law(context, rest);
  }
  const dap_coordinate *found = NULL;
  for (size_t k = 0; k < self->model->coordinate_count; k++) {
    const dap_coordinate *each = &self->model->coordinates[k];
    if (index >= each->index && index < each->index + each->count) found = each;
  }
  const char *name =
      import_name(context, IMPORT_NAME_DRIVER, import_text(context, "driver%zu", ++self->drivers), "driver", 1, NULL);
  if (!found) {
    import_invalid(context, &self->place, "no joint has the coordinate theta(%d)", index);
    json_decref(function);
  } else {
    json_t *driver = import_add(context, context->drivers, name, "joint");
    import_set_text(context, driver, "joint", found->joint);
    if (found->count > 1) import_set_number(context, driver, "coordinate", index - found->index + 1);
    import_set(context, driver, "function", function);
  }
  self->next++;
  return true;
}

/* Finds c and e with row = c x + e at all states. */
static bool is_linear(const double row[STATES], const double x[STATES], double *c, double *e) {
  const double width = x[1] - x[0];
  if (fabs(width) < 1e-9) return false;
  *c = (row[1] - row[0]) / width;
  *e = row[0] - *c * x[0];
  if (fabs(*c) < 1e-9) return false;
  for (int s = 2; s < STATES; s++)
    if (!near(row[s], *c * x[s] + *e)) return false;
  return true;
}

static bool differs(const cut_reader *self, size_t row, size_t a, size_t b, int axis, double sign) {
  for (int s = 0; s < STATES; s++)
    if (!near(self->rows[row][s], sign * (self->points[a][s][axis] - self->points[b][s][axis]))) return true;
  return false;
}

/* P_a - P_b, two rows */
static bool read_revolute(cut_reader *self, size_t a, size_t b) {
  for (double sign = 1; sign >= -1; sign -= 2)
    if (!differs(self, self->next, a, b, 0, sign) && !differs(self, self->next + 1, a, b, 1, sign)) {
      add_cut(self, "revolute", sign > 0 ? a : b, sign > 0 ? b : a);
      self->next += 2;
      return true;
    }
  return false;
}

static double across(const double u[2], const double d[2]) { return u[0] * d[1] - u[1] * d[0]; } /* perp(u).d */

/* perp(u).(P_a - P_b) and perp(u).u2, in any order */
static bool read_translational(cut_reader *self, size_t a, size_t b) {
  for (size_t u = 0; u < self->model->vectors.count; u++)
    for (size_t w = 0; w < self->model->vectors.count; w++) {
      const int own = body_of_vector(self, u), other = body_of_vector(self, w);
      const bool at_a = body_of_point(self, a) == own && body_of_point(self, b) == other,
                 at_b = body_of_point(self, b) == own && body_of_point(self, a) == other;
      if (u == w || own == other || (!at_a && !at_b)) continue;
      for (int order = 0; order < 2; order++) {
        double c, e, normal[STATES], parallel[STATES];
        for (int s = 0; s < STATES; s++) {
          const double d[2] = {self->points[a][s][0] - self->points[b][s][0],
                               self->points[a][s][1] - self->points[b][s][1]};
          normal[s] = across(self->vectors[u][s], d);
          parallel[s] = across(self->vectors[u][s], self->vectors[w][s]);
        }
        if (!is_linear(self->rows[self->next + order], normal, &c, &e) || !near(e, 0)) continue;
        if (!is_linear(self->rows[self->next + 1 - order], parallel, &c, &e) || !near(e, 0)) continue;
        json_t *joint = add_cut(self, "translational", at_a ? a : b, at_a ? b : a);
        import_set_pair(self->model->context, joint, "vectors", self->model->vectors.names[u],
                        self->model->vectors.names[w]);
        self->next += 2;
        return true;
      }
    }
  return false;
}

/* |P_a - P_b|^2 - L^2, or |P_a - P_b| - L */
static bool read_rod(cut_reader *self, size_t a, size_t b) {
  double square[STATES], length[STATES], c, e;
  for (int s = 0; s < STATES; s++) {
    length[s] = hypot(self->points[a][s][0] - self->points[b][s][0], self->points[a][s][1] - self->points[b][s][1]);
    square[s] = length[s] * length[s];
  }
  const bool squared = is_linear(self->rows[self->next], square, &c, &e);
  if (!squared && !is_linear(self->rows[self->next], length, &c, &e)) return false;
  if (!(-e / c > 0)) return false;
  json_t *joint = add_cut(self, "rod", a, b);
  import_set_number(self->model->context, joint, "length", squared ? sqrt(-e / c) : -e / c);
  self->next++;
  return true;
}

/* perp(u).(P_a - P_b) - L with u on the body of one of the points */
static bool read_slot(cut_reader *self, size_t a, size_t b) {
  for (size_t u = 0; u < self->model->vectors.count; u++) {
    const int own = body_of_vector(self, u);
    const bool at_a = body_of_point(self, a) == own, at_b = body_of_point(self, b) == own;
    double normal[STATES], c, e;
    if (at_a == at_b) continue;
    for (int s = 0; s < STATES; s++) {
      const double d[2] = {self->points[a][s][0] - self->points[b][s][0],
                           self->points[a][s][1] - self->points[b][s][1]};
      normal[s] = across(self->vectors[u][s], d);
    }
    if (!is_linear(self->rows[self->next], normal, &c, &e)) continue;
    json_t *joint = add_cut(self, "revolute-translational", at_a ? a : b, at_a ? b : a);
    import_set(self->model->context, joint, "vectors", json_pack("[s]", self->model->vectors.names[u]));
    import_set_number(self->model->context, joint, "offset", at_b ? -e / c : e / c);
    self->next++;
    return true;
  }
  return false;
}

/* y - R and (x - x0) + R (phi - p0) of a body */
static bool read_disc(cut_reader *self) {
  import_context *context = self->model->context;
  for (size_t i = 0; i < self->model->bodies.count; i++) {
    double x[STATES], y[STATES], c, e, R, c2, e2;
    for (int s = 0; s < STATES; s++) y[s] = self->bodies[i][s][1];
    if (!is_linear(self->rows[self->next], y, &c, &e)) continue;
    R = -e / c;
    for (int s = 0; s < STATES; s++) x[s] = self->bodies[i][s][0] + R * self->bodies[i][s][2];
    if (!(R > 0) || !is_linear(self->rows[self->next + 1], x, &c2, &e2)) continue;
    const char *name =
        import_name(context, IMPORT_NAME_BODY, import_text(context, "cut%zu", ++self->cuts), "cut", 1, NULL);
    json_t *joint = import_add(context, context->joints, name, "disc");
    dap_set_disc(self->model, joint, (int)i + 1, -e2 / c2, R);
    import_set(context, joint, "cut", json_true());
    self->next += 2;
    return true;
  }
  return false;
}

/* Reads the next rows as one constraint. */
static bool read_rows(cut_reader *self) {
  const size_t count = (size_t)(self->phi->rows * self->phi->columns), points = self->model->points.count;
  bool (*const pairs[])(cut_reader *, size_t, size_t) = {read_revolute, read_translational, read_rod, read_slot};
  if (read_driver(self)) return true;
  if (self->next + 1 < count && read_disc(self)) return true;
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    for (size_t a = 0; a < points && (k > 1 || self->next + 1 < count); a++)
      for (size_t b = a + 1; b < points; b++) {
        const int one = body_of_point(self, a), other = body_of_point(self, b);
        if (one != other && pairs[k](self, a, b)) return true;
      }
  return false;
}

/* Returns the number of constraints that inConst.m says; 0 without it. */
static double count_constraints(dap_model *model, import_location *place) {
  const import_file *file = dap_file(model, "inConst");
  double count = 0;
  if (!file) return 0;
  mfile *reader = import_alloc(model->context, 1, sizeof *reader);
  reader->context = model->context;
  mfile_read(reader, file);
  const mfile_value *value = mfile_get(reader, "nConst");
  *place = mfile_location(reader, value ? value->line : 0, NULL);
  if (value) mfile_numbers_of(value, 1, &count);
  return count;
}

static void read_constraints(cut_reader *self) {
  dap_model *model = self->model;
  import_context *context = model->context;
  import_at(context, &self->place);
  const size_t count = (size_t)(self->phi->rows * self->phi->columns);
  self->rows = import_alloc(context, count, sizeof *self->rows);
  self->points = import_alloc(context, model->points.count, sizeof *self->points);
  self->vectors = import_alloc(context, model->vectors.count, sizeof *self->vectors);
  self->bodies = import_alloc(context, model->bodies.count, sizeof *self->bodies);
  for (size_t i = 0; i < count; i++)
    for (unsigned s = 0; s < STATES; s++) self->rows[i][s] = mfile_evaluate(self->phi->cells[i], s, NULL);
  sample_pair(self, "Points", model->points.count, "rP", self->points);
  sample_pair(self, "Uvectors", model->vectors.count, "u", self->vectors);
  for (size_t i = 0; i < model->bodies.count; i++) {
    mfile_value r, p;
    dap_member(self->reader, "Bodies", (int)i + 1, "r", &r);
    dap_member(self->reader, "Bodies", (int)i + 1, "p", &p);
    for (unsigned s = 0; s < STATES; s++) {
      for (int k = 0; k < 2; k++) self->bodies[i][s][k] = mfile_evaluate(r.cells[k], s, NULL);
      self->bodies[i][s][2] = mfile_evaluate(p.cells[0], s, NULL);
    }
  }
  while (self->next < count)
    if (!read_rows(self)) {
      import_not_mapped(context, &self->place, "row %zu of Phi is none of the textbook's constraints: %.200s",
                        self->next + 1, mfile_print(context, self->phi->cells[self->next]));
      self->next++;
    }
}

void dap_add_cuts(dap_model *model) {
  import_context *context = model->context;
  const import_file *file = dap_file(model, "CutJoint");
  import_location where = {.file = file ? file->path : model->list_files[0]};
  const double wanted = count_constraints(model, &where);
  if (!file) {
    if (wanted != 0) import_invalid(context, &where, "nConst is %g, but there is no CutJoint.m", wanted);
    return;
  }
  mfile *reader = dap_read_state(model, file, NULL);
  const mfile_value *phi = mfile_get(reader, "Phi");
  cut_reader self = {.model = model, .reader = reader, .phi = phi};
  self.place = mfile_location(reader, phi ? phi->line : 0, "Phi");
  if (!phi || phi->kind == MFILE_UNREAD) {
    import_not_mapped(context, &self.place, "Phi cannot be read%s%s", phi ? ": " : "", phi ? phi->text : "");
    return;
  }
  if (phi->kind != MFILE_MATRIX) return;
  if ((double)(phi->rows * phi->columns) != wanted)
    import_invalid(context, &self.place, "Phi has %d rows, but nConst is %g", phi->rows * phi->columns, wanted);
  read_constraints(&self);
}
