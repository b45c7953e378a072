/* Dry friction that sticks exactly, rigid contact and joint limits, against closed forms: in joint and in body
 * coordinates, in the plane and, where the elements exist there, in space. Every motion keeps its energy balance. */
#include "close.h"
#include "list.h"
#include "model_run.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

static const double pi = 3.14159265358979323846, g = 9.81;
static const char *const formulations[] = {"joint", "body"};

/* ---- runs ---------------------------------------------------------------------------------------------------- */

/* Analyses: dynamics up to a time with rows every dt, both given by the format, or any other one. */
static char *dynamics(int formulation, double t_end, double dt) {
  return models_text(PART("analysis": {"type": "dynamics", "t_end": %.17g, "dt": %.17g, "formulation": "%s",
                                       "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
                                       t_end, dt, formulations[formulation]);
}

static char *analysis(int formulation, const char *type) {
  return models_text(PART("analysis": {"type": "%s", "formulation": "%s"}), type, formulations[formulation]);
}

/* Runs a document; frees both texts. */
static model_run run_with(char *document, char *with) {
  char *more = models_text("{%s}", with);
  free(with);
  return model_run_with(document, more);
}

/* Fails unless the motion keeps kinetic + potential - work + dissipated. */
static void require_balance(const model_run *run) {
  model_run_require(run);
  const mbs_report *report = &run->result->report;
  /* a motion that rests exchanges nothing: then rounding, as a share of the forces times a length of 1 m */
  double force = 0;
  const mbs_array *forces = mbs_result_array(run->result, "forces");
  for (size_t k = 0; forces && k < forces->shape[0] * mbs_array_columns(forces); k++)
    if (isfinite(forces->data[k])) force = fmax(force, fabs(forces->data[k]));
  assert_close(report->energy_change_max, 0, 1e-8 * report->energy_scale + 1e-13 * force);
}

/* Runs a motion; frees the document. */
static model_run move(char *document, int formulation, double t_end, double dt) {
  model_run run = run_with(document, dynamics(formulation, t_end, dt));
  require_balance(&run);
  return run;
}

/* Fails unless the run ended with this status and element at the time t. */
static void require_failure(const model_run *run, mbs_status status, const char *element, double t, double tolerance) {
  if (run->status != status) fail_msg("ended as %s: %s", mbs_status_code(run->status), run->error.message);
  assert_string_equal(run->error.element, element);
  assert_close(run->error.time, t, tolerance);
}

/* ---- friction in slides -------------------------------------------------------------------------------------- */

/* A block of 2 kg on an incline, with a speed up it and a force down along it that grows with time. */
static char *incline(double angle, double speed, double push, double mu_static, double mu_dynamic) {
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [%.17g, %.17g]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], "initial": {"position": 0, "velocity": %.17g}}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_static": %.17g,
                   "mu_dynamic": %.17g},
                  {"name": "push", "type": "force", "body": "b", "value": ["%.17g*t", "%.17g*t"]}]});
  const double c = cos(angle), s = sin(angle);
  return models_text(text, c, s, speed, mu_static, mu_dynamic, -push * c, -push * s);
}

/* It sticks until m g sin a + k t = mu_s m g cos a, and then accelerates. */
static void test_breakaway(void **state) {
  (void)state;
  const double a = 0.3, m = 2, k = 1.5, along = m * g * sin(a), N = m * g * cos(a);
  const double slips = (0.5 * N - along) / k, end = 8, d = end - slips, a0 = (along + k * slips - 0.4 * N) / m;
  EACH(f, dim) {
    model_run run = move(model_run_in(dim, incline(a, 0, k, 0.5, 0.4)), f, end, 0.1);
    assert_close(model_run_event(&run, "dry", "sticks", 0), 0, 0);
    assert_close(model_run_event(&run, "dry", "slips", 0), slips, 1e-9);
    assert_close(model_run_output(&run, "dry.force", 5), N, 1e-12);
    assert_close(model_run_output(&run, "dry.friction", 5), along + k * 0.5, 1e-12);
    assert_close(model_run_output(&run, "dry.sticking", 5), 1, 0);
    assert_close(model_run_value(&run, "rd", 5, 0), 0, 1e-15);
    assert_close(model_run_value(&run, "r", 5, 0), 0, 1e-15);
    assert_close(model_run_output(&run, "dry.friction", -1), 0.4 * N, 1e-12);
    assert_close(model_run_output(&run, "dry.slip", -1), -(a0 * d + k * d * d / (2 * m)), 1e-8);
    assert_close(model_run_output(&run, "dry.sticking", -1), 0, 0);
    assert_close(model_run_value(&run, "r", -1, 0), -cos(a) * (a0 * d * d / 2 + k * d * d * d / (6 * m)), 1e-8);
    model_run_free(&run);
  }
}

/* Thrown up, it comes to rest and remains there, or slides back. */
static void test_thrown_up(void **state) {
  (void)state;
  const double v = 3;
  for (int steep = 0; steep < 2; steep++) {
    const double a = steep ? 0.6 : 0.3, mu = 0.4, t = v / (g * (sin(a) + mu * cos(a))),
                 back = g * (sin(a) - mu * cos(a));
    EACH(f, dim) {
      model_run run = move(model_run_in(dim, incline(a, v, 0, 0.5, mu)), f, 2, 0.1);
      assert_close(model_run_event(&run, "dry", steep ? "reverses" : "sticks", 0), t, 1e-9);
      assert_int_equal(run.result->report.event_count, 1);
      assert_close(model_run_output(&run, "dry.slip", -1), steep ? -back * (2 - t) : 0, 1e-8);
      assert_close(model_run_value(&run, "r", -1, 0), cos(a) * (v * t / 2 - (steep ? back * (2 - t) * (2 - t) / 2 : 0)),
                   1e-8);
      model_run_free(&run);
    }
  }
}

/* A block of mass m on a belt at V, on a spring: from mu_s N/k it slips, until it has the speed of the belt again. With
 * w^2 = k/m and d = (mu_s - mu_d) N/k this takes 2 (pi - atan(d w/V))/w; it sticks for 2 d/V. */
static void test_belt(void **state) {
  (void)state;
  const double V = 0.2, k = 40, m = 1.5, N = 20, w = sqrt(k / m), d = (0.6 - 0.35) * N / k;
  const double slip = 2 * (pi - atan(d * w / V)) / w, stick = 2 * d / V;
  MODEL(belt,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1.5, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], "initial": {"velocity": 0.2}}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_static": 0.6,
                   "mu_dynamic": 0.35, "preload": 20, "belt_speed": 0.2},
                  {"name": "k", "type": "spring-damper", "points": ["ground.O", "b.C"], "stiffness": 40}]});
  EACH(f, dim) {
    model_run run = move(model_run_in(dim, models_text("%s", belt)), f, 6, 0.05);
    for (size_t i = 0; i < 2; i++) {
      const double starts = 0.6 * N / k / V + (double)i * (slip + stick);
      assert_close(model_run_event(&run, "dry", "slips", i), starts, 1e-8);
      assert_close(model_run_event(&run, "dry", "sticks", i + 1), starts + slip, 1e-8);
    }
    assert_close(model_run_output(&run, "dry.friction", 10), k * V * 0.5, 1e-10);
    model_run_free(&run);
  }
}

/* A speed-dependent coefficient: with m v' = -(mu_d + c v) N, v + mu_d/c decays exponentially. */
static void test_viscous(void **state) {
  (void)state;
  const double c = 0.3, N = 5, m = 1.5, mu = 0.2, v = 2, stop = m / (c * N) * log((v + mu / c) / (mu / c));
  MODEL(viscous,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1.5, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], "initial": {"velocity": 2}}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.2,
                   "viscous": 0.3, "preload": -5}]});
  EACH(f, dim) {
    model_run run = move(model_run_in(dim, models_text("%s", viscous)), f, 4, 0.05);
    assert_close(model_run_event(&run, "dry", "sticks", 0), stop, 1e-8);
    assert_close(model_run_output(&run, "dry.slip", 10), (v + mu / c) * exp(-c * N / m * 0.5) - mu / c, 1e-9);
    assert_close(model_run_output(&run, "dry.friction", 10), -(mu + c * model_run_output(&run, "dry.slip", 10)) * N,
                 1e-12);
    model_run_free(&run);
  }
}

/* A drawer of length L pulled at the distance e beside its middle: its pads carry 2 F e / L. It accelerates with
 * F (1 - 2 mu e/L)/m, or jams, however large the force. */
static char *drawer(double force, double e, double mu) {
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [0.6, 0.8]}},
       "bodies": [{"name": "b", "mass": 3, "inertia": 0.2, "points": {"C": [0, 0], "H": [0.2, %.17g]},
                   "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], "initial": {"position": 0}}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": %.17g,
                   "length": 0.5},
                  {"name": "pull", "type": "force", "point": "b.H", "frame": "body", "value": [%.17g, 0]}]});
  return models_text(text, e, mu, force);
}

static void test_drawer(void **state) {
  (void)state;
  EACH(f, dim) {
    model_run run = move(model_run_in(dim, drawer(30, 0.3, 0.4)), f, 2, 0.1);
    assert_close(model_run_output(&run, "dry.slip", -1), 2 * 30 * (1 - 2 * 0.4 * 0.3 / 0.5) / 3, 1e-8);
    assert_close(model_run_output(&run, "dry.force", -1), 2 * 30 * 0.3 / 0.5, 1e-9);
    model_run_free(&run);
    for (int k = 0; k < 2; k++) {
      run = move(model_run_in(dim, drawer(k ? 3e4 : 3, 0.3, 0.9)), f, 2, 0.1);
      assert_close(model_run_event(&run, "dry", "sticks", 0), 0, 0);
      assert_close(model_run_output(&run, "dry.slip", -1), 0, 1e-14);
      assert_close(model_run_output(&run, "dry.friction", -1), k ? -3e4 : -3, 1e-9 * (k ? 3e4 : 3));
      model_run_free(&run);
    }
  }
}

/* ---- friction on driven slides ------------------------------------------------------------------------------- */

/* A body of 2 kg on a slide, or on a floor, which a driver moves along x. */
static char *driven_slide(const char *function, const char *sensor) {
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"]}],
       "drivers": [{"name": "d", "type": "joint", "joint": "j", "function": "%s"}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.3}],
       "sensors": [{"name": "shown", "value": "%s"}]});
  return models_text(text, function, sensor);
}

static char *driven_on_floor(const char *function, const char *sensor) {
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}}],
       "drivers": [{"name": "d", "type": "x", "point": "b.C", "function": "%s"},
                   {"name": "a", "type": "angle", "body": "b", "function": "0"}],
       "forces": [{"name": "dry", "type": "contact", "law": "rigid", "point": "b.C",
                   "line": ["ground.O", "ground.u"], "friction": {"law": "coulomb", "mu_dynamic": 0.3}}],
       "sensors": [{"name": "shown", "value": "%s"}]});
  return models_text(text, function, sensor);
}

/* Friction that does not keep a driven coordinate from moving: it slips at any time, against the motion that the driver
 * prescribes, and the driver overcomes it. */
static void test_driven_slip(void **state) {
  (void)state;
  static const struct {
    const char *function;
    double end, first;  /* it slips from the start unless `first` is positive */
    double reverses[3]; /* NAN: no more */
  } cases[] = {{"sin(3*t)", 2, 0, {3.14159265358979323846 / 6, 3.14159265358979323846 / 2, NAN}},
               {"0.5*t^2", 1, 0, {NAN}},
               {"-0.5*t^2", 1, 0, {NAN}},
               {"1 - cos(2*t)", 4, 0, {3.14159265358979323846 / 2, 3.14159265358979323846, NAN}},
               {"t - sin(t)", 6, 2e-5, {NAN}},
               {"if(t < 0.5, 0, (t - 0.5)^3)", 1.5, 0.50001, {NAN}}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int floor = 0; floor < 2; floor++) {
      EACH_FORMULATION(f) {
        model_run run =
            move((floor ? driven_on_floor : driven_slide)(cases[c].function, "d.effort"), f, cases[c].end, 0.05);
        size_t count = 0;
        for (; !isnan(cases[c].reverses[count]); count++)
          assert_close(model_run_event(&run, "dry", "reverses", count), cases[c].reverses[count], 1e-8);
        assert_int_equal(model_run_events(&run, "dry", "reverses"), count);
        assert_int_equal(model_run_events(&run, "dry", "sticks"), cases[c].first > 0);
        assert_int_equal(model_run_events(&run, "dry", "slips"), cases[c].first > 0);
        if (cases[c].first > 0) assert_true(model_run_event(&run, "dry", "slips", 0) <= cases[c].first);
        for (long row = 1; row <= lround(cases[c].end / 0.05); row++) {
          const double v = model_run_value(&run, "rd", row, 0), a = model_run_value(&run, "rdd", row, 0);
          const double T = fabs(v) > 1e-9 ? -copysign(0.3 * 2 * g, v) : 0;
          if (fabs(v) <= 1e-9 && cases[c].first == 0) continue; /* it reverses at this time */
          assert_close(model_run_output(&run, "dry.friction", row), T, 1e-9);
          assert_close(model_run_output(&run, "dry.slip", row), v, 1e-9);
          assert_close(model_run_value(&run, "shown", row, 0), 2 * a - T, 1e-7);
        }
        model_run_free(&run);
      }
    }
  }
}

/* At the start of a driven motion the first row is that of an assembly, and of inverse dynamics where it slips. */
static void test_driven_start(void **state) {
  (void)state;
  static const char *const types[] = {"assembly", "dynamics"};
  for (int k = 0; k < 2; k++) {
    EACH(f, dim) {
      char *with = k == 0 ? analysis(f, types[k]) : dynamics(f, 1, 1);
      model_run run = run_with(model_run_in(dim, driven_slide("0.5*t^2", "d.effort")), with);
      model_run_require(&run);
      assert_close(model_run_output(&run, "dry.friction", 0), -0.3 * 2 * g, 1e-12);
      assert_close(model_run_output(&run, "dry.sticking", 0), 0, 0);
      if (dim == 2) assert_close(model_run_value(&run, "shown", 0, 0), 2 + 0.3 * 2 * g, 1e-12);
      model_run_free(&run);
    }
  }
}

/* The slider of a driven crank passes its dead centres. */
static void test_driven_crank(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "crank", "mass": 1, "inertia": 0.01, "points": {"O": [0, 0], "A": [0.1, 0]}},
                  {"name": "rod", "mass": 0.5, "inertia": 0.01, "points": {"A": [-0.2, 0], "B": [0.2, 0]},
                   "initial": {"position": [0.28, 0.03], "angle": -0.2}},
                  {"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
                   "initial": {"position": [0.48, 0]}}],
       "joints": [{"name": "o", "type": "revolute", "points": ["ground.O", "crank.O"]},
                  {"name": "a", "type": "revolute", "points": ["crank.A", "rod.A"]},
                  {"name": "p", "type": "revolute", "points": ["rod.B", "b.C"]},
                  {"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"]}],
       "drivers": [{"name": "d", "type": "joint", "joint": "o", "function": "0.5 + 2*t"}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.2}],
       "sensors": [{"name": "effort", "value": "d.effort"}]});
  EACH_FORMULATION(f) {
    model_run run = move(models_text("%s", text), f, 4, 0.1);
    assert_close(model_run_event(&run, "dry", "reverses", 0), (pi - 0.5) / 2, 1e-8);
    assert_close(model_run_event(&run, "dry", "reverses", 1), (2 * pi - 0.5) / 2, 1e-8);
    assert_int_equal(run.result->report.event_count, 2);
    model_run inverse =
        run_with(models_text("%s", text),
                 models_text(PART("analysis": {"type": "inverse-dynamics", "t_end": 4, "dt": 0.1,
                                                               "formulation": "%s"}),
                                  formulations[f]));
    model_run_require(&inverse);
    for (long row = 0; row <= 40; row++) {
      assert_close(model_run_output(&run, "dry.friction", row), model_run_output(&inverse, "dry.friction", row), 1e-6);
      assert_close(model_run_value(&run, "effort", row, 0), model_run_value(&inverse, "effort", row, 0), 1e-6);
    }
    model_run_free(&run);
    model_run_free(&inverse);
  }
}

/* Kinematics and inverse dynamics compute the friction of the motion; at rest it is taken as zero, with a note. */
static void test_prescribed(void **state) {
  (void)state;
  static const char *const types[] = {"kinematics", "inverse-dynamics"}, *const outputs[] = {"force", "friction",
                                                                                             "slip"};
  for (int type = 0; type < 2; type++) {
    for (int rests = 0; rests < 2; rests++) {
      for (int k = 0; k < 3; k++) {
        EACH_FORMULATION(f) {
          char *sensor = models_text("dry.%s", outputs[k]);
          char *with = models_text(PART("analysis": {"type": "%s", "t_end": 1, "dt": 0.25, "formulation": "%s"}),
                                        types[type], formulations[f]);
          model_run run = run_with(driven_slide(rests ? "0" : "sin(3*t)", sensor), with);
          model_run_require(&run);
          for (long row = 0; row <= 4; row++) {
            const double v = rests ? 0 : 3 * cos(0.75 * (double)row), T = rests ? 0 : -copysign(0.3 * 2 * g, v);
            assert_close(model_run_value(&run, "shown", row, 0), k == 0 ? 2 * g : k == 1 ? T : v, 1e-9);
          }
          size_t notes = 0;
          for (size_t i = 0; i < run.result->report.note_count; i++)
            notes += strstr(run.result->report.notes[i], "'dry' at t = 0: ") != NULL;
          assert_int_equal(notes, rests);
          model_run_free(&run);
          free(sensor);
        }
      }
    }
  }
}

/* ---- friction in other joints -------------------------------------------------------------------------------- */

/* A wheel with its mass centre at the distance l from its bearing of radius r, without gravity: the reaction is
 * m l sqrt(w^4 + w'^2), so w' = -c w^2 with c J = mu r m l sqrt(1 + c^2). */
static char *unbalanced(double mu, double gravity, double speed) {
  MODEL(text,
      {"space": "planar", "gravity": [0, %.17g],
       "ground": {"points": {"O": [0.1, 0.2]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.3, "points": {"A": [-0.4, 0]}}],
       "joints": [{"name": "j", "type": "revolute", "points": ["ground.O", "b.A"],
                   "initial": {"position": -0.3, "velocity": %.17g}}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": %.17g,
                   "radius": 0.2}]});
  return models_text(text, -gravity, speed, mu);
}

static void test_bearing(void **state) {
  (void)state;
  const double J = 0.3 + 2 * 0.16, share = 0.7 * 0.2 * 2 * 0.4 / J, c = share / sqrt(1 - share * share), w = 5, t = 3;
  EACH(f, dim) {
    model_run run = move(model_run_in(dim, unbalanced(0.7, 0, w)), f, t, 0.1);
    assert_close(model_run_output(&run, "dry.slip", -1), 0.2 * w / (1 + c * w * t), 1e-9);
    assert_close(model_run_output(&run, "dry.friction", -1), -0.7 * model_run_output(&run, "dry.force", -1), 1e-10);
    if (f == 0 && dim == 2) assert_close(model_run_value(&run, "theta", -1, 0), log(1 + c * w * t) / c - 0.3, 1e-8);
    model_run_free(&run);
  }
}

/* The acceleration of such a pendulum: J w' = -m g l cos q - mu r s R, R by the acceleration. */
static double pendulum(double q, double w, double side, double mu, double *load) {
  const double m = 2, l = 0.4, J = 0.3 + m * l * l;
  double a = 0;
  for (int k = 0; k < 60; k++) {
    *load = hypot(-m * l * w * w + m * g * sin(q), m * l * a + m * g * cos(q));
    a = (-m * g * l * cos(q) - side * mu * 0.2 * *load) / J;
  }
  return a;
}

static void step_pendulum(double *q, double *w, double h, double side, double mu) {
  double load, k[4][2];
  for (int i = 0; i < 4; i++) {
    const double part = i == 0 ? 0 : i == 3 ? h : h / 2;
    const double qi = *q + (i ? part * k[i - 1][0] : 0), wi = *w + (i ? part * k[i - 1][1] : 0);
    k[i][0] = wi;
    k[i][1] = pendulum(qi, wi, side, mu, &load);
  }
  *q += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
  *w += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
}

/* It swings down to rest, with the turning points of a separate integration. */
static void test_pendulum_runs_down(void **state) {
  (void)state;
  const double h = 1e-3, mu = 0.5;
  double q = -0.3, w = -1e-300, side = -1, turns[20], last[20];
  size_t count = 0;
  for (double t = 0; count < 20;) {
    double q1 = q, w1 = w;
    step_pendulum(&q1, &w1, h, side, mu);
    t += h;
    if (w1 * side > 0 || (w == 0 && w1 * side >= 0)) {
      q = q1;
      w = w1;
      continue;
    }
    double low = 0, high = h; /* the step to rest */
    for (int k = 0; k < 60; k++) {
      q1 = q;
      w1 = w;
      step_pendulum(&q1, &w1, 0.5 * (low + high), side, mu);
      *(w1 * side > 0 ? &low : &high) = 0.5 * (low + high);
    }
    q = q1;
    t += high - h;
    turns[count] = t;
    last[count++] = q;
    w = 0;
    side = -side;
    /* T r needed: m g l cos q; possible: mu r m g */
    if (fabs(0.4 * cos(q)) <= mu * 0.2) break;
  }
  assert_in_range(count, 2, 19);
  EACH(f, dim) {
    model_run run = move(model_run_in(dim, unbalanced(mu, g, 0)), f, turns[count - 1] + 1, 0.05);
    for (size_t i = 0; i + 1 < count; i++) assert_close(model_run_event(&run, "dry", "reverses", i), turns[i], 1e-6);
    assert_close(model_run_event(&run, "dry", "sticks", 0), turns[count - 1], 1e-6);
    assert_int_equal(run.result->report.event_count, count);
    assert_close(model_run_output(&run, "dry.force", -1), 2 * g, 1e-9);
    assert_close(fabs(model_run_output(&run, "dry.friction", -1)), 2 * g * 0.4 * fabs(cos(last[count - 1])) / 0.2,
                 1e-6);
    model_run_free(&run);
  }
}

/* Two bearings at +-L/2 and a collar: a wheel in space whose axis is horizontal, with its weight at the distance d
 * along it. Each end carries m g (1/2 +- d/L); the axial force rubs at its own radius. */
static void test_long_bearing(void **state) {
  (void)state;
  MODEL(text,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"x": [1, 0, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": [0.3, 0.4, 0.4], "points": {"A": [-0.5, 0, 0], "C": [0, 0, 0]},
                   "vectors": {"x": [1, 0, 0]}}],
       "joints": [{"name": "j", "type": "revolute", "points": ["ground.O", "b.A"], "vectors": ["ground.x", "b.x"],
                   "initial": {"velocity": 6}}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.3,
                   "radius": 0.05, "length": 0.4, "axial_radius": 0.08},
                  {"name": "thrust", "type": "force", "point": "b.C", "value": [7, 0, 0]}]});
  const double N = 2 * g * 2 * 0.5 / 0.4 + 0.08 / 0.05 * 7, stop = 0.3 * 6 / (0.3 * 0.05 * N);
  EACH_FORMULATION(f) {
    model_run run = move(models_text("%s", text), f, stop + 1, 0.1);
    assert_close(model_run_output(&run, "dry.force", 3), N, 1e-9);
    assert_close(model_run_event(&run, "dry", "sticks", 0), stop, 1e-8);
    model_run_free(&run);
  }
}

/* A ball joint: the spin falls by mu m g r / J, about its axis. */
static void test_ball_joint(void **state) {
  (void)state;
  MODEL(text,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": [0.3, 0.3, 0.3], "points": {"C": [0, 0, 0]},
                   "initial": {"angular_velocity": [1, -2, 2]}}],
       "joints": [{"name": "j", "type": "spherical", "points": ["ground.O", "b.C"]}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_static": 0.4,
                   "mu_dynamic": 0.25, "radius": 0.1 %s}]});
  const double rate = 0.25 * 2 * g * 0.1 / 0.3, stop = 3 / rate;
  for (int k = 0; k < 4; k++) {
    model_run run = move(models_text(text, k / 2 ? PART(, "preload": 19.62) : ""), k % 2, stop + 0.5, 0.1);
    assert_close(model_run_output(&run, "dry.force", 3), 2 * g, 1e-10);
    assert_close(model_run_output(&run, "dry.friction", 3), 0.25 * 2 * g, 1e-10);
    assert_close(model_run_output(&run, "dry.slip", 3), 0.1 * (3 - 0.3 * rate), 1e-9);
    assert_close(model_run_value(&run, "omega", 3, 0), (3 - 0.3 * rate) / 3, 1e-8);
    assert_close(model_run_value(&run, "omega", 3, 1), -2 * (3 - 0.3 * rate) / 3, 1e-8);
    assert_close(model_run_event(&run, "dry", "sticks", 0), stop, 1e-8);
    assert_close(model_run_value(&run, "omega", -1, 2), 0, 1e-12);
    model_run_free(&run);
  }
}

/* A sleeve with J = m r^2, so that slip and twist fall together: a screw line. */
static void test_sleeve(void **state) {
  (void)state;
  MODEL(text,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"x": [1, 0, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": [0.02, 0.4, 0.4], "points": {"C": [0, 0, 0]},
                   "vectors": {"x": [1, 0, 0]}}],
       "joints": [{"name": "j", "type": "cylindrical", "points": ["ground.O", "b.C"], "vectors": ["ground.x", "b.x"],
                   "initial": {"position": [0, 0], "velocity": [1.2, 16]}}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.3,
                   "radius": 0.1 %s}]});
  const double s = 2, stop = s / (0.3 * g);
  static const char *const loads[] = {"", PART(, "length": 0.3), PART(, "preload": 19.62)};
  for (int k = 0; k < 6; k++) {
    model_run run = move(models_text(text, loads[k / 2]), k % 2, 1.2, 0.1);
    assert_close(model_run_output(&run, "dry.slip", 3), s - 0.3 * g * 0.3, 1e-9);
    assert_close(model_run_event(&run, "dry", "sticks", 0), stop, 1e-8);
    assert_close(model_run_value(&run, "r", -1, 0), 1.2 * stop / 2, 1e-8);
    model_run_free(&run);
  }
}

/* A disc on a plane, held by a planar joint at its mass centre: a straight line, while it turns on. In the plane seen
 * from above it is a point that rubs. */
static void test_straight_line(void **state) {
  (void)state;
  MODEL(joint,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": [0.1, 0.1, 0.2], "points": {"C": [0, 0, 0]},
                   "vectors": {"z": [0, 0, 1]},
                   "initial": {"velocity": [1.8, 2.4, 0], "angular_velocity": [0, 0, 5]}}],
       "joints": [{"name": "j", "type": "planar", "points": ["ground.O", "b.C"], "vectors": ["ground.z", "b.z"]}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.3 %s}]});
  MODEL(point,
      {"space": "planar", "gravity": [0, 0],
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.2, "points": {"C": [0, 0]},
                   "initial": {"velocity": [1.8, 2.4], "angular_velocity": 5}}],
       "forces": [{"name": "dry", "type": "friction", "point": "b.C", "law": "coulomb", "mu_dynamic": 0.3,
                   "preload": 19.62 %s}]});
  const double stop = 3 / (0.3 * g);
  for (int k = 0; k < 6; k++) {
    const int f = k % 2, dim = k < 2 ? 2 : 3;
    model_run run = move(models_text(dim == 2 ? point : joint, k < 4 ? "" : PART(, "preload": 19.62)), f, 1.5, 0.1);
    assert_close(model_run_output(&run, "dry.force", 3), 2 * g, 1e-10);
    assert_close(model_run_output(&run, "dry.friction", 3), 0.3 * 2 * g, 1e-10);
    assert_close(model_run_event(&run, "dry", "sticks", 0), stop, 1e-8);
    assert_close(model_run_value(&run, "r", -1, 0), 0.6 * 3 * stop / 2, 1e-8);
    assert_close(model_run_value(&run, "r", -1, 1), 0.8 * 3 * stop / 2, 1e-8);
    assert_close(model_run_value(&run, "rd", -1, 1), 0, 1e-12);
    assert_close(model_run_value(&run, dim == 2 ? "pd" : "omega", -1, dim == 2 ? 0 : 2), 5, 1e-9);
    model_run_free(&run);
  }
}

/* A force turns the slip of a disc that comes to rest, at the default tolerance. Under a constant force F the slip ends
 * after (mu N |v| + F.v) m / ((mu N)^2 - F^2). With a spring the times are those of runs at 1e-11. Steps that reached
 * beyond the rest once circled round it without end. */
static void test_turning_slip(void **state) {
  (void)state;
  static const struct {
    double pull[2], v[2], mu;
    const char *spring;
    double stops;
  } cases[] = {
      {{0.4, 0}, {0.3, 0.4}, 0.3, "", 0},
      {{0, -1.2}, {0.3, 0.4}, 0.3, "", 0},
      {{0.5, 0.5}, {-0.6, 0.7}, 0.25, "", 0},
      {{-0.07162001407713015, -0.5973463464223636},
       {-0.39354693051528145, 0.031648536875683586},
       0.2466599325888481,
       "5",
       0.1804282666},
      {{0.7262387653256259, 0.24620676176407374},
       {-0.24712931083635237, -0.9798357471296442},
       0.42530496832458453,
       "5",
       1.068317363},
  };
  MODEL(text,
      {"space": "planar", "gravity": [%.17g, %.17g], "ground": {"points": {"O": [0.5, 0.2]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.3, "points": {"C": [0, 0]},
                   "initial": {"velocity": [%.17g, %.17g]}}],
       "forces": [{"name": "dry", "type": "friction", "point": "b.C", "law": "coulomb", "mu_dynamic": %.17g,
                   "preload": 10} %s]});
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double *pull = cases[k].pull, *v = cases[k].v, mu = cases[k].mu, load = 10 * mu;
    char *spring =
        models_text(PART(, {"name": "s", "type": "spring-damper", "points": ["ground.O", "b.C"],
                                       "stiffness": %s, "damping": 0, "free_length": 0.1}),
                            cases[k].spring);
    char *document = models_text(text, pull[0], pull[1], v[0], v[1], mu, *cases[k].spring ? spring : "");
    model_run run = run_with(document, models_text(PART("analysis": {"type": "dynamics", "t_end": 2, "dt": 0.5})));
    model_run_require(&run);
    const double F[2] = {2 * pull[0], 2 * pull[1]},
                 stops = cases[k].stops > 0 ? cases[k].stops
                                            : (load * hypot(v[0], v[1]) + F[0] * v[0] + F[1] * v[1]) * 2 /
                                                  (load * load - F[0] * F[0] - F[1] * F[1]);
    assert_close(model_run_event(&run, "dry", "sticks", 0), stops, 1e-6);
    model_run_free(&run);
    free(spring);
  }
}

/* A plate on a plane under a given load, pulled by gravity along both directions of the plane: friction is a cone. It
 * holds up to mu N whatever the direction, and slips against the pull beyond that. All analyses agree. */
static void test_given_load(void **state) {
  (void)state;
  MODEL(text,
      {"space": "spatial", "gravity": [%.17g, %.17g, -3],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": [0.1, 0.1, 0.2], "points": {"C": [0, 0, 0]},
                   "vectors": {"z": [0, 0, 1]}}],
       "joints": [{"name": "j", "type": "planar", "points": ["ground.O", "b.C"], "vectors": ["ground.z", "b.z"]}],
       "drivers": [%s],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.3,
                   "preload": 20}],
       "sensors": [{"name": "px", "value": "%s"}]});
  EACH_FORMULATION(f) {
    for (int slips = 0; slips < 2; slips++) {
      const double x = slips ? 1.9 : 1.7, y = 4.0 / 3 * x, pull = 2 * 5.0 / 3 * x, T = slips ? 6 : pull;
      char *document = models_text(text, x, y, "", "b.ax");
      static const char *const types[] = {"dynamics", "assembly", "equilibrium"};
      for (int k = 0; k < (slips ? 2 : 3); k++) {
        model_run run = run_with(models_text("%s", document), k ? analysis(f, types[k]) : dynamics(f, 0.5, 0.5));
        model_run_require(&run);
        assert_close(model_run_output(&run, "dry.force", 0), 20, 1e-12);
        assert_close(model_run_output(&run, "dry.friction", 0), T, 1e-9);
        assert_close(model_run_value(&run, "px", 0, 0), 0.6 * (pull - T) / 2, 1e-9);
        model_run_free(&run);
      }
      free(document);
    }
    const char *drivers = PART({"name": "x", "type": "joint", "joint": "j", "coordinate": 1, "function": "1.5*t"},
                               {"name": "y", "type": "joint", "joint": "j", "coordinate": 2, "function": "2*t"},
                               {"name": "turn", "type": "joint", "joint": "j", "coordinate": 3, "function": "t"});
    model_run run =
        run_with(models_text(text, 0.0, 0.0, drivers, "x.effort"),
                 models_text(PART("analysis": {"type": "inverse-dynamics", "t_end": 1, "dt": 0.5,
                                                           "formulation": "%s"}),
                                  formulations[f]));
    model_run_require(&run);
    assert_close(model_run_output(&run, "dry.slip", 1), 2.5, 1e-12);
    assert_close(model_run_value(&run, "px", 1, 0), 0.6 * 6, 1e-9);
    model_run_free(&run);
  }
}

/* Friction with a given load acts along one coordinate where the document names it; fields without use are refused. */
static void test_one_coordinate(void **state) {
  (void)state;
  MODEL(text,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"x": [1, 0, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": [0.02, 0.4, 0.4], "points": {"C": [0, 0, 0]},
                   "vectors": {"x": [1, 0, 0]}}],
       "joints": [{"name": "j", "type": "%s", "points": ["ground.O", "b.C"] %s}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.3 %s%s}]});
  static const char axes[] = PART(, "vectors": ["ground.x", "b.x"], "initial": {"velocity": [1.2, 16]}),
                                                planar[] = PART(, "vectors": ["ground.x", "b.x"]);
  static const char loaded[] = PART(, "preload": 10);
  static const char *const given[] = {"", PART(, "coordinate": 1), PART(, "coordinate": 2, "radius": 0.1)};
  for (int k = 0; k < 6; k++) {
    const bool turn = k / 2 == 2;
    model_run run = move(models_text(text, "cylindrical", axes, loaded, given[k / 2]), k % 2, 0.5, 0.5);
    assert_close(model_run_value(&run, "rd", -1, 0), 1.2 - (turn ? 0 : 0.5 * 0.3 * 10 / 2), 1e-9);
    assert_close(model_run_value(&run, "omega", -1, 0), 16 - (turn ? 0.5 * 0.3 * 10 * 0.1 / 0.02 : 0), 1e-9);
    model_run_free(&run);
  }
  static const struct {
    const char *type, *joint, *load, *field, *pointer, *part;
  } wrong[] = {{"spherical", "", loaded, "", "", "needs 'radius'"},
               {"planar", planar, loaded, ", \"radius\": 1", "/radius", "has no 'radius'"},
               {"planar", planar, loaded, ", \"belt_speed\": 1", "/belt_speed", "has no use"},
               {"spherical", "", ", \"radius\": 1", ", \"coordinate\": 1", "/coordinate", "has no use"},
               {"spherical", "", loaded, ", \"coordinate\": 1", "/joint", "no coordinate 1"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    mbs_diagnostics list = {0};
    char *document = models_text(text, wrong[k].type, wrong[k].joint, wrong[k].load, wrong[k].field);
    assert_null(models_try_build(document, JSON({"type": "assembly"}), &list));
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].pointer + strlen("/model/forces/0"), wrong[k].pointer);
    assert_non_null(strstr(list.items[0].message, wrong[k].part));
    mbs_diagnostics_free(&list);
    free(document);
  }
}

/* ---- contact ------------------------------------------------------------------------------------------------- */

/* Surfaces whose top is at the origin, with the ball of 0.1 m above. */
static const char *const planar_floors[][2] = {
    {"", PART("point": "b.C", "radius": 0.1, "line": ["ground.O", "ground.u"])},
     {"", PART("shapes": ["b.d"], "line": ["ground.O", "ground.u"])},
      {JSON({"type": "line", "name": "f", "from": [-2, 0], "to": [1, 0]}), PART("shapes": ["b.d", "ground.f"])},
       {JSON({"type": "rectangle", "name": "f", "width": 3, "height": 1, "at": [0.2, -0.5]}),
        PART("shapes": ["b.d", "ground.f"])},
        {JSON({"type": "polygon", "name": "f", "points": [[-2, 0], [0, -3], [2, 0]]}),
         PART("shapes": ["ground.f", "b.d"])},
         {JSON({"type": "arc", "name": "f", "radius": 3, "at": [0, -3], "from": 0.5, "to": 2}),
          PART("shapes": ["ground.f", "b.d"])},
          {JSON({"type": "arc", "name": "f", "radius": 3, "at": [0, 3], "from": 4, "to": 5.5, "side": "inside"}),
           PART("shapes": ["b.d", "ground.f"])},
           {JSON({"type": "circle", "name": "f", "radius": 0.5, "at": [0, -0.5]}), PART("shapes": ["b.d", "ground.f"])},
            {JSON({"type": "capsule", "name": "f", "radius": 0.5, "from": [-1, -0.5], "to": [1, -0.5]}),
             PART("shapes": ["ground.f", "b.d"])}};
static const char *const spatial_floors[][2] = {
    {"", PART("point": "b.C", "radius": 0.1, "plane": ["ground.O", "ground.u"])},
     {"", PART("shapes": ["b.d"], "plane": ["ground.O", "ground.u"])},
      {JSON({"type": "half-space", "name": "f", "at": [3, 0, 0], "normal": [0, 2, 0]}),
       PART("shapes": ["b.d", "ground.f"])},
       {JSON({"type": "box", "name": "f", "size": [3, 1, 2], "at": [0.2, -0.5, 0.1]}),
        PART("shapes": ["b.d", "ground.f"])},
        {JSON({"type": "sphere", "name": "f", "radius": 0.5, "at": [0, -0.5, 0]}), PART("shapes": ["ground.f", "b.d"])},
         {JSON({"type": "capsule", "name": "f", "radius": 0.5, "from": [-1, -0.5, 0], "to": [1, -0.5, 0]}),
          PART("shapes": ["ground.f", "b.d"])}};

static size_t floor_count(int dim) {
  return dim == 2 ? sizeof planar_floors / sizeof *planar_floors : sizeof spatial_floors / sizeof *spatial_floors;
}

/* The ball with its centre at a height above a floor, by its index. */
static char *ball(int dim, size_t floor_index, double height, const char *fields) {
  const char *const *floor = dim == 2 ? planar_floors[floor_index] : spatial_floors[floor_index];
  MODEL(planar,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}, "shapes": [%s]},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": 0.02, "points": {"C": [0, 0]},
                   "shapes": [{"type": "circle", "name": "d", "radius": 0.1}],
                   "initial": {"position": [0, %.17g]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", %s, %s}]});
  MODEL(spatial,
      {"space": "spatial", "gravity": [0, -9.81, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [0, 1, 0]}, "shapes": [%s]},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": [0.02, 0.02, 0.02], "points": {"C": [0, 0, 0]},
                   "shapes": [{"type": "sphere", "name": "d", "radius": 0.1}],
                   "initial": {"position": [0, %.17g, 0]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", %s, %s}]});
  return models_text(dim == 2 ? planar : spatial, floor[0], height, floor[1], fields);
}

/* A ball bounces, each time with e times the speed, until it arrives below least_approach: then it rests. */
static void test_bouncing_ball(void **state) {
  (void)state;
  const double h = 0.4, e = 0.45;
  double v = sqrt(2 * g * h), t = v / g;
  size_t impacts = 1;
  for (; v >= 1e-4; impacts++) {
    v *= e;
    t += 2 * v / g;
  }
  EACH(f, dim) {
    for (size_t k = 0; k < floor_count(dim); k++) {
      model_run run = move(ball(dim, k, 0.1 + h, PART("restitution": 0.45)), f, t + 0.5, 0.05);
      assert_int_equal(model_run_events(&run, "c", "impact"), impacts);
      assert_int_equal(model_run_events(&run, "c", "contact begins"), 1);
      assert_close(model_run_event(&run, "c", "impact", 0), sqrt(2 * h / g), 1e-9);
      assert_close(model_run_event(&run, "c", "contact begins", 0), t, 1e-8);
      assert_close(model_run_output(&run, "c.force", -1), 1.3 * g, 1e-9);
      assert_close(fabs(model_run_output(&run, "c.fy", -1)), 1.3 * g, 1e-9);
      assert_close(model_run_output(&run, "c.gap", -1), 0, 1e-9);
      assert_close(model_run_value(&run, "r", -1, 1), 0.1, 1e-9);
      assert_close(model_run_value(&run, "energy", -1, 3), 1.3 * g * h, 1e-7);
      model_run_free(&run);
    }
  }
}

/* Surfaces that penetrate each other at the start are separated, unless the start must not be corrected. */
static void test_penetrating_start(void **state) {
  (void)state;
  EACH(f, dim) {
    for (size_t k = 0; k < floor_count(dim); k++) {
      model_run run = move(ball(dim, k, 0.07, PART("restitution": 0.45)), f, 0.2, 0.1);
      for (long row = 0; row < 3; row++) {
        assert_close(model_run_value(&run, "r", row, 1), 0.1, 1e-12);
        assert_close(model_run_output(&run, "c.force", row), 1.3 * g, 1e-9);
      }
      model_run_free(&run);
      run = run_with(ball(dim, k, 0.07, PART("restitution": 0.45)),
                          models_text(PART("analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "correct": false,
                                                   "formulation": "%s"}),
                                           formulations[f]));
      require_failure(&run, MBS_NOT_ASSEMBLED, "c", 0, 0);
      model_run_free(&run);
    }
  }
}

/* At the instant of the impact the rows hold what is after it. */
static void test_row_of_an_impact(void **state) {
  (void)state;
  EACH_FORMULATION(f) {
    model_run run = move(ball(2, 0, 0.1 + 0.5 * g * 0.25, PART("restitution": 0.5)), f, 1, 0.5);
    assert_close(model_run_value(&run, "rd", 1, 1), 0.5 * g * 0.5, 1e-8);
    model_run_free(&run);
  }
}

/* Discs in a row: the last ones leave as fast as the first ones arrived. */
static void test_cradle(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "bodies": [%s],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "restitution": 1,
                   "shapes": ["b0.d", "b1.d", "b2.d", "b3.d", "b4.d"]}]});
  for (int k = 0; k < 6; k++) {
    const int moving = k / 2 + 1;
    text_list *bodies = list_open();
    for (int i = 0; i < 5; i++)
      list_add(bodies, PART({"name": "b%d", "mass": 0.7, "inertia": 0.01,
                     "shapes": [{"type": "circle", "name": "d", "radius": 0.1}],
                     "initial": {"position": [%.17g, 0.3], "velocity": [%d, 0]}}), i,
                                        0.2 * i - (i < moving ? 0.5 : 0), i < moving);
    model_run run = move(list_fill(text, bodies), k % 2, 1, 0.1);
    for (size_t i = 0; i < 5; i++)
      assert_close(model_run_value(&run, "rd", -1, 2 * i), i + (size_t)moving >= 5 ? 1 : 0, 1e-12);
    assert_close(model_run_value(&run, "energy", -1, 3), 0, 1e-12);
    model_run_free(&run);
  }
}

/* A ball on a corner: the normal is from the corner to the centre. It falls at 1 m/s, 0.06 m beside the corner. */
static void test_corner(void **state) {
  (void)state;
  MODEL(planar,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"shapes": [{"type": "polygon", "name": "f", "points": [[0, 0], [-1, -1], [1, -1]]}]},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": 0.02,
                   "shapes": [{"type": "circle", "name": "d", "radius": 0.1}],
                   "initial": {"position": [%.17g, %.17g], "velocity": [%.17g, %.17g]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "restitution": 0.5,
                   "shapes": ["ground.f", "b.d"]}]});
  MODEL(spatial,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"shapes": [{"type": "box", "name": "f", "size": [2, 2, 2], "at": [-1, -1, 0]}]},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": [0.02, 0.02, 0.02],
                   "shapes": [{"type": "sphere", "name": "d", "radius": 0.1}],
                   "initial": {"position": [%.17g, %.17g, 0.3], "velocity": [%.17g, %.17g, 0]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "restitution": 0.5,
                   "shapes": ["ground.f", "b.d"]}]});
  EACH(f, dim) {
    model_run run = move(models_text(dim == 2 ? planar : spatial, 0.06, 0.5, 0.0, -1.0), f, 1, 0.1);
    assert_close(model_run_event(&run, "c", "impact", 0), 0.5 - 0.08, 1e-9);
    assert_close(model_run_value(&run, "rd", -1, 0), 0.72, 1e-9);
    assert_close(model_run_value(&run, "rd", -1, 1), -1 + 1.2 * 0.8, 1e-9);
    model_run_free(&run);
    /* a face: at right angles to it */
    const double n = dim == 2 ? sqrt(0.5) : 0, m = dim == 2 ? sqrt(0.5) : 1;
    const double x = dim == 2 ? 0.5 + 0.6 * n : -0.5, y = dim == 2 ? -0.5 + 0.6 * m : 0.6;
    run = move(models_text(dim == 2 ? planar : spatial, x, y, -n + m, -m - n), f, 1, 0.1);
    assert_close(model_run_event(&run, "c", "impact", 0), 0.5, 1e-9);
    assert_close(model_run_value(&run, "rd", -1, 0), m + 0.5 * n, 1e-9);
    assert_close(model_run_value(&run, "rd", -1, 1), -n + 0.5 * m, 1e-9);
    model_run_free(&run);
  }
}

/* Two equal discs, J = m r^2/2, one at rest: along the normal the impulse is m (1 + e) vn/2; across, m s/6 stops the
 * slip s, if mu_s times the normal impulse allows it, else mu_d times that. */
static void test_oblique_discs(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "bodies": [{"name": "a", "mass": 2, "inertia": 0.01,
                   "shapes": [{"type": "circle", "name": "d", "radius": 0.1}],
                   "initial": {"position": [-1, 0.12], "velocity": [3, 0]}},
                  {"name": "b", "mass": 2, "inertia": 0.01,
                   "shapes": [{"type": "circle", "name": "d", "radius": 0.1}]}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "restitution": 0.8, "shapes": ["a.d", "b.d"],
                   "friction": {"law": "coulomb", "mu_static": %g, "mu_dynamic": %g}}]});
  for (int sticks = 0; sticks < 2; sticks++) {
    EACH_FORMULATION(f) {
      /* normal from a to b (0.8, -0.6), across it u = n turned back: (-0.6, -0.8) */
      const double vn = 3 * 0.8, s = 3 * 0.6, pn = 2 * 1.8 * vn / 2, pt = sticks ? 2 * s / 6 : 0.05 * pn;
      model_run run = move(models_text(text, sticks ? 0.5 : 0.06, sticks ? 0.3 : 0.05), f, 1, 0.1);
      assert_close(model_run_event(&run, "c", "impact", 0), (1 - 0.16) / 3, 1e-9);
      assert_close(model_run_value(&run, "rd", -1, 2), (0.8 * pn + 0.6 * pt) / 2, 1e-9);
      assert_close(model_run_value(&run, "rd", -1, 3), (-0.6 * pn + 0.8 * pt) / 2, 1e-9);
      assert_close(model_run_value(&run, "rd", -1, 0), 3 - (0.8 * pn + 0.6 * pt) / 2, 1e-9);
      assert_close(fabs(model_run_value(&run, "pd", -1, 0)), pt * 0.1 / 0.01, 1e-8);
      assert_close(model_run_value(&run, "pd", -1, 1), model_run_value(&run, "pd", -1, 0), 1e-9);
      model_run_free(&run);
    }
  }
}

/* Velocities after the impact of a rod's end with friction, theory (12.8): K is the inverse mass at the end. */
typedef struct rod_impact {
  double vx, vy, w;
} rod_impact;

static rod_impact routh(double angle, double vx, double vy, double e, double mu_static, double mu_dynamic) {
  const double J = 1. / 12, x = -0.5 * cos(angle), y = -0.5 * sin(angle);
  const double Kxx = 1 + y * y / J, Kxy = -x * y / J, Kyy = 1 + x * x / J, dx = -vx, dy = -(1 + e) * vy;
  const double det = Kxx * Kyy - Kxy * Kxy;
  double px = (Kyy * dx - Kxy * dy) / det, py = (Kxx * dy - Kxy * dx) / det;
  if (fabs(px) > mu_static * py) {
    for (int side = -1; side <= 1; side += 2) {
      py = dy / (Kyy - mu_dynamic * side * Kxy);
      px = -mu_dynamic * side * py;
      if (py > 0 && (vx + Kxx * px + Kxy * py) * side > 0) break;
    }
  }
  return (rod_impact){vx + px, vy + py, (x * py - y * px) / J};
}

static void test_rod_impact(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 0.083333333333333333, "points": {"P": [-0.5, 0]},
                   "initial": {"position": [%.17g, %.17g], "angle": %.17g, "velocity": [%.17g, %.17g]}}],
       "forces": [{"name": "c", "type": "contact", "point": "b.P", "line": ["ground.O", "ground.u"], "law": "rigid",
                   "restitution": 0.4, "friction": {"law": "coulomb", "mu_static": 0.5, "mu_dynamic": 0.3}}]});
  static const double cases[][3] = {{1, 1, -2}, {1, -1.2, -2}, {1, 5, -2},   {1, -5, -2},     {1.4, 0.2, -2},
                                    {2, 1, -1}, {2, -3, -1},   {0.5, 0, -1}, {1.4, -0.1, -2}, {0.8, 0.7, -3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double angle = cases[k][0], vx = cases[k][1], vy = cases[k][2];
    const rod_impact after = routh(angle, vx, vy, 0.4, 0.5, 0.3);
    EACH_FORMULATION(f) {
      model_run run = move(models_text(text, 0.5 * cos(angle), 0.5 * sin(angle) + 0.2, angle, vx, vy), f, 0.25, 0.05);
      assert_close(model_run_event(&run, "c", "impact", 0), -0.2 / vy, 1e-9);
      assert_close(model_run_value(&run, "rd", -1, 0), after.vx, 1e-8);
      assert_close(model_run_value(&run, "rd", -1, 1), after.vy, 1e-8);
      assert_close(model_run_value(&run, "pd", -1, 0), after.w, 1e-8);
      model_run_free(&run);
    }
  }
}

/* ---- boxes --------------------------------------------------------------------------------------------------- */

/* A box of 2 kg, 0.4 m wide and 0.8 m high, pushed with t newtons at a height. */
static char *box(int dim, double height, double mu) {
  MODEL(planar,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.13, "points": {"H": [0, %.17g]},
                   "shapes": [{"type": "rectangle", "name": "r", "width": 0.4, "height": 0.8}],
                   "initial": {"position": [0, 0.4]}}],
       "forces": [{"name": "c", "type": "contact", "shapes": ["b.r"], "line": ["ground.O", "ground.u"],
                   "law": "rigid", "friction": {"law": "coulomb", "mu_static": %.17g, "mu_dynamic": 0.2}},
                  {"name": "push", "type": "force", "point": "b.H", "value": ["t", 0]}]});
  MODEL(spatial,
      {"space": "spatial", "gravity": [0, -9.81, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"y": [0, 1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": [0.13, 0.13, 0.13], "points": {"H": [0, %.17g, 0]},
                   "shapes": [{"type": "box", "name": "r", "size": [0.4, 0.8, 0.6]}],
                   "initial": {"position": [0, 0.4, 0]}}],
       "forces": [{"name": "c", "type": "contact", "shapes": ["b.r"], "plane": ["ground.O", "ground.y"],
                   "law": "rigid", "friction": {"law": "coulomb", "mu_static": %.17g, "mu_dynamic": 0.2}},
                  {"name": "push", "type": "force", "point": "b.H", "value": ["t", 0, 0]}]});
  return models_text(dim == 2 ? planar : spatial, height - 0.4, mu);
}

/* It tips about its lower edge at t h = m g w/2, with sticking corners. */
static void test_tipping(void **state) {
  (void)state;
  const double tips = 2 * g * 0.2 / 0.7;
  EACH(f, dim) {
    model_run run = move(box(dim, 0.7, 0.6), f, tips + 0.3, 0.05);
    assert_close(model_run_event(&run, "c", "contact ends", 0), tips, 1e-8);
    assert_int_equal(model_run_events(&run, "c", "slips"), 0);
    assert_close(model_run_output(&run, "c.sticking", -1), 1, 0);
    const double angle = dim == 2 ? model_run_value(&run, "p", -1, 0) : 2 * asin(model_run_value(&run, "p", -1, 3));
    assert_true(angle < -1e-3);
    /* the corner stays: the centre goes round it */
    const double x = 0.2 - 0.2 * cos(angle) - 0.4 * sin(angle), y = -0.2 * sin(angle) + 0.4 * cos(angle);
    assert_close(model_run_value(&run, "r", -1, 0), x, 1e-8);
    assert_close(model_run_value(&run, "r", -1, 1), y, 1e-8);
    model_run_free(&run);
  }
}

/* Its corners have different loads N = m g/2 +- t h/w, but slip together, when t = mu m g. What they hold is shared by
 * the squares of their loads. */
static void test_two_corners(void **state) {
  (void)state;
  const double slips = 0.4 * 2 * g;
  EACH(f, dim) {
    model_run run = move(box(dim, 0.3, 0.4), f, slips + 0.3, 0.05);
    assert_close(model_run_event(&run, "c", "slips", 0), slips, 1e-8);
    assert_int_equal(model_run_events(&run, "c", "contact ends"), 0);
    assert_close(model_run_output(&run, "c.fx", 100), -5, 1e-9);
    assert_close(model_run_output(&run, "c.force", -1), 2 * g, 1e-9);
    const double d = 0.3, a0 = (slips - 0.2 * 2 * g) / 2;
    assert_close(model_run_value(&run, "rd", -1, 0), a0 * d + d * d / 4, 1e-8);
    model_run_free(&run);
  }
}

/* The same of two points, each an element: N and T of each. */
static void test_shares_of_two_points(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.13,
                   "points": {"H": [0, -0.1], "A": [-0.2, -0.4], "B": [0.2, -0.4]},
                   "initial": {"position": [0, 0.4]}}],
       "forces": [{"name": "a", "type": "contact", "point": "b.A", "line": ["ground.O", "ground.u"], "law": "rigid",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.4}},
                  {"name": "b", "type": "contact", "point": "b.B", "line": ["ground.O", "ground.u"], "law": "rigid",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.4}},
                  {"name": "push", "type": "force", "point": "b.H", "value": ["t", 0]}]});
  EACH_FORMULATION(f) {
    model_run run = move(models_text("%s", text), f, 8, 0.1);
    for (long row = 0; row <= 78; row += 13) {
      const double t = 0.1 * (double)row, a = g - t * 0.3 / 0.4, b = g + t * 0.3 / 0.4, sum = a * a + b * b;
      assert_close(model_run_output(&run, "a.force", row), a, 1e-9);
      assert_close(model_run_output(&run, "b.force", row), b, 1e-9);
      const double least = t * b * b / sum, most = 0.4 * b; /* the cone limits the share of b near the end */
      assert_close(model_run_output(&run, "b.friction", row), -fmin(least, most), 1e-9);
      assert_close(model_run_output(&run, "a.friction", row), -t + fmin(least, most), 1e-9);
    }
    assert_close(model_run_event(&run, "a", "slips", 0), 0.4 * 2 * g, 1e-8);
    assert_close(model_run_event(&run, "b", "slips", 0), 0.4 * 2 * g, 1e-8);
    model_run_free(&run);
  }
}

/* Two points on a plane under given loads of 10 N and 20 N hold 8.6 N: the least sum of (T/N)^2 would be 1.72 N and
 * 6.88 N, but the second one holds 0.3 x 20 N at most. In two directions the cone is round. */
static void test_shares_within_cones(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar",
       "bodies": [{"name": "b", "mass": 2, "inertia": 1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}}],
       "forces": [{"name": "a", "type": "friction", "point": "b.A", "law": "coulomb", "mu_dynamic": 0.3,
                   "preload": 10},
                  {"name": "b", "type": "friction", "point": "b.B", "law": "coulomb", "mu_dynamic": 0.3,
                   "preload": 20},
                  {"name": "F", "type": "force", "body": "b", "value": [%.17g, %.17g]},
                  {"name": "M", "type": "torque", "body": "b", "value": %.17g}]});
  EACH_FORMULATION(f) {
    model_run run = run_with(models_text(text, 0.6 * 8.6, 0., 0.), analysis(f, "assembly"));
    model_run_require(&run);
    assert_close(model_run_output(&run, "a.friction", 0), 0.2 * 0.6 * 8.6, 1e-9);
    assert_close(model_run_output(&run, "b.friction", 0), 0.8 * 0.6 * 8.6, 1e-9);
    model_run_free(&run);
    run = run_with(models_text(text, 8.6, 0., 0.), analysis(f, "assembly"));
    model_run_require(&run);
    assert_close(model_run_output(&run, "a.friction", 0), 2.6, 1e-9);
    assert_close(model_run_output(&run, "b.friction", 0), 6, 1e-9);
    model_run_free(&run);
    /* equilibrium of forces across the line of both points, and of moments, gives 0.8 N and -0.8 N in that direction */
    run = run_with(models_text(text, 8., 0., 0.8), analysis(f, "assembly"));
    model_run_require(&run);
    const double b = sqrt(36 - 0.64);
    assert_close(model_run_output(&run, "b.friction", 0), 6, 1e-8);
    assert_close(model_run_output(&run, "a.friction", 0), hypot(8 - b, 0.8), 1e-8);
    model_run_free(&run);
  }
}

/* One element with two bodies on a floor: it sticks while both do, and its slip is the largest. */
static void test_outputs_of_several(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 0.01, "initial": {"position": [0, 0.1], "velocity": [%g, 0]},
                   "shapes": [{"type": "rectangle", "name": "s", "width": 0.4, "height": 0.2}]},
                  {"name": "b", "mass": 1, "inertia": 0.01, "initial": {"position": [9, 0.1], "velocity": [%g, 0]},
                   "shapes": [{"type": "rectangle", "name": "s", "width": 0.4, "height": 0.2}]}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "shapes": ["a.s", "b.s"],
                   "line": ["ground.O", "ground.u"], "friction": {"law": "coulomb", "mu_dynamic": 0.2}}]});
  for (int second = 0; second < 2; second++) {
    EACH_FORMULATION(f) {
      model_run run = move(models_text(text, second ? 0. : -1., second ? -1. : 0.), f, 1, 0.1);
      assert_close(fabs(model_run_output(&run, "c.slip", 2)), 1 - 0.2 * 0.2 * g, 1e-9);
      assert_close(model_run_output(&run, "c.sticking", 2), 0, 0);
      assert_close(model_run_output(&run, "c.slip", -1), 0, 1e-9);
      assert_close(model_run_output(&run, "c.sticking", -1), 1, 0);
      model_run_free(&run);
    }
  }
}

/* Two discs on one another: each contact carries what is above it. */
static void test_stack(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 0.01, "initial": {"position": [0, 0.1]},
                   "shapes": [{"type": "circle", "name": "d", "radius": 0.1}]},
                  {"name": "b", "mass": 2, "inertia": 0.01, "initial": {"position": [0, 0.9], "velocity": [0, 0]},
                   "shapes": [{"type": "circle", "name": "d", "radius": 0.2}]}],
       "forces": [{"name": "c", "type": "contact", "shapes": ["a.d", "b.d"], "law": "rigid"},
                  {"name": "f", "type": "contact", "shapes": ["a.d"], "line": ["ground.O", "ground.u"],
                   "law": "rigid"}]});
  EACH_FORMULATION(f) {
    model_run run = move(models_text("%s", text), f, 1, 0.1);
    assert_close(model_run_event(&run, "c", "impact", 0), sqrt(2 * 0.5 / g), 1e-9);
    assert_close(model_run_output(&run, "f.force", 0), 1 * g, 1e-10);
    assert_close(model_run_output(&run, "f.force", -1), 3 * g, 1e-10);
    assert_close(model_run_output(&run, "c.force", -1), 2 * g, 1e-10);
    assert_close(model_run_value(&run, "energy", -1, 3), 2 * g * 0.5, 1e-8);
    model_run_free(&run);
  }
}

/* Boxes on one another, the last one beside the others: where equal boxes touch two corners meet, and rounding decides
 * which one is within the other's face. Each contact carries what is above it. */
static void test_stack_of_boxes(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"shapes": [{"type": "line", "name": "s", "from": [-9, 0], "to": [9, 0]}]},
       "bodies": [{"name": "b1", "mass": 1, "inertia": 0.2, "initial": {"position": [0, 0.5]},
                   "shapes": [{"type": "rectangle", "name": "s", "width": 1, "height": 1}]},
                  {"name": "b2", "mass": 1, "inertia": 0.2, "initial": {"position": [0, 1.5]},
                   "shapes": [{"type": "rectangle", "name": "s", "width": 1, "height": 1}]},
                  {"name": "b3", "mass": 1, "inertia": 0.2, "initial": {"position": [0, 2.5]},
                   "shapes": [{"type": "rectangle", "name": "s", "width": 1, "height": 1}]},
                  {"name": "b4", "mass": 1, "inertia": 0.2, "initial": {"position": [0, 3.5]},
                   "shapes": [{"type": "rectangle", "name": "s", "width": 1, "height": 1}]},
                  {"name": "b5", "mass": 1, "inertia": 0.2, "initial": {"position": [0.1, 4.5]},
                   "shapes": [{"type": "rectangle", "name": "s", "width": 1, "height": 1}]}],
       "forces": [{"name": "c1", "type": "contact", "shapes": ["ground.s", "b1.s"], "law": "rigid",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.5}},
                  {"name": "c2", "type": "contact", "shapes": ["b1.s", "b2.s"], "law": "rigid",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.5}},
                  {"name": "c3", "type": "contact", "shapes": ["b2.s", "b3.s"], "law": "rigid",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.5}},
                  {"name": "c4", "type": "contact", "shapes": ["b3.s", "b4.s"], "law": "rigid",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.5}},
                  {"name": "c5", "type": "contact", "shapes": ["b4.s", "b5.s"], "law": "rigid",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.5}}]});
  EACH_FORMULATION(f) {
    model_run run = move(models_text("%s", text), f, 2, 0.1);
    for (int i = 0; i < 5; i++) {
      char label[20];
      snprintf(label, sizeof label, "c%d.force", i + 1);
      assert_close(model_run_output(&run, label, 0), (5 - i) * g, 1e-9);
      assert_close(model_run_output(&run, label, -1), (5 - i) * g, 1e-9);
    }
    model_run_free(&run);
  }
}

/* A box slides off a table without friction: it rests on two corners until its centre is beyond the end of the table,
 * then tips about the end, and comes to lie on the floor. */
static void test_end_of_a_table(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"shapes": [{"type": "line", "name": "s", "from": [-9, 0], "to": [0, 0]}],
                  "points": {"O": [0, -5]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 0.2, "initial": {"position": [-1, 0.5], "velocity": [2, 0]},
                   "shapes": [{"type": "rectangle", "name": "s", "width": 1, "height": 1}]}],
       "forces": [{"name": "c", "type": "contact", "shapes": ["ground.s", "b.s"], "law": "rigid"},
                  {"name": "f", "type": "contact", "shapes": ["b.s"], "line": ["ground.O", "ground.u"],
                   "law": "rigid"}],
       "sensors": [{"name": "x", "value": "b.x"}, {"name": "y", "value": "b.y"}, {"name": "turn", "value": "b.phi"}]});
  EACH_FORMULATION(f) {
    model_run run = move(models_text("%s", text), f, 4, 0.05);
    /* the front corners leave the table when x = -0.5, the centre when x = 0 */
    assert_close(model_run_output(&run, "c.force", 9), g, 1e-9);
    assert_close(model_run_value(&run, "turn", 9, 0), 0, 1e-9);
    assert_close(model_run_value(&run, "x", 9, 0), -0.1, 1e-9);
    if (!(model_run_value(&run, "turn", 12, 0) < -1e-3)) fail_msg("the box does not tip");
    assert_close(model_run_value(&run, "y", -1, 0), -4.5, 1e-8);
    assert_close(remainder(model_run_value(&run, "turn", -1, 0), pi / 2), 0, 1e-8);
    model_run_free(&run);
  }
}

/* A ball thrown onto the floor slides until it rolls: v = 5/7 of the start for a sphere, 2/3 for a disc. */
static void test_slides_then_rolls(void **state) {
  (void)state;
  EACH(f, dim) {
    const double k = dim == 2 ? 1. / 2 : 2. / 5, J = k * 1.3 * 0.01, t = 3 * k / (0.2 * g * (1 + k));
    MODEL(planar,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         "bodies": [{"name": "b", "mass": 1.3, "inertia": %.17g, "points": {"C": [0, 0]},
                     "initial": {"position": [0, 0.1], "velocity": [3, 0]}}],
         "forces": [{"name": "c", "type": "contact", "law": "rigid", "point": "b.C", "radius": 0.1,
                     "line": ["ground.O", "ground.u"], "friction": {"law": "coulomb", "mu_dynamic": 0.2}}]});
    MODEL(spatial,
        {"space": "spatial", "gravity": [0, -9.81, 0],
         "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [0, 1, 0]}},
         "bodies": [{"name": "b", "mass": 1.3, "inertia": [%.17g, %.17g, %.17g], "points": {"C": [0, 0, 0]},
                     "initial": {"position": [0, 0.1, 0], "velocity": [1.8, 0, 2.4]}}],
         "forces": [{"name": "c", "type": "contact", "law": "rigid", "point": "b.C", "radius": 0.1,
                     "plane": ["ground.O", "ground.u"], "friction": {"law": "coulomb", "mu_dynamic": 0.2}}]});
    model_run run = move(dim == 2 ? models_text(planar, J) : models_text(spatial, J, J, J), f, 1.5, 0.1);
    assert_close(model_run_event(&run, "c", "sticks", 0), t, 1e-8);
    assert_close(model_run_value(&run, "rd", -1, 0), (dim == 2 ? 3 : 1.8) / (1 + k), 1e-8);
    assert_close(model_run_output(&run, "c.friction", -1), 0, 1e-8);
    model_run_free(&run);
  }
}

/* A disc that crosses the line of a segment beyond its end does not touch it. */
static void test_beyond_the_end(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"shapes": [{"type": "line", "name": "l", "from": [-1, 0], "to": [0, 0]}]},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.01, "initial": {"position": [%g, 1], "velocity": [0, -1]},
                   "shapes": [{"type": "circle", "name": "s", "radius": 0.1}]}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "shapes": ["ground.l", "b.s"]}]});
  EACH_FORMULATION(f) {
    model_run run = move(models_text(text, 0.3), f, 2, 0.1);
    assert_int_equal(model_run_events(&run, "c", "impact"), 0);
    assert_close(model_run_value(&run, "rd", -1, 1), -1, 1e-15);
    model_run_free(&run);
    run = move(models_text(text, -0.3), f, 2, 0.1);
    assert_close(model_run_event(&run, "c", "impact", 0), 0.9, 1e-9);
    model_run_free(&run);
  }
}

/* A capsule lies across two others, which carry it by the law of the lever; or along one, on its whole length. It
 * bounces on a third. */
static void test_capsules(void **state) {
  (void)state;
  MODEL(text,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"shapes": [{"type": "capsule", "name": "%s", "radius": 0.1, "from": [-0.3, -1, 0],
                              "to": [-0.3, 1, 0]},
                             {"type": "capsule", "name": "q", "radius": 0.1, "from": [0.5, -1, 0], "to": [0.5, 2, 0]},
                             {"type": "capsule", "name": "%s", "radius": 0.1, "from": [-2, 0, 0], "to": [2, 0, 0]}]},
       "bodies": [{"name": "b", "mass": 2, "inertia": [0.01, 0.3, 0.3], "initial": {"position": [0, 0, %g]},
                   "shapes": [{"type": "capsule", "name": "s", "radius": 0.05, "from": [-0.7, 0, 0],
                               "to": [0.8, 0, 0]}]}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "shapes": ["ground.p", "b.s"], "restitution": %g},
                  {"name": "d", "type": "contact", "law": "rigid", "shapes": ["b.s", "ground.q"], "restitution": %g}]});
  const double N = 2 * g, fall = sqrt(2 * 0.2 / g);
  EACH_FORMULATION(f) {
    model_run run = move(models_text(text, "p", "r", 0.15, 0., 0.), f, 1, 0.1);
    assert_close(model_run_output(&run, "c.force", -1), N * 0.5 / 0.8, 1e-9);
    assert_close(model_run_output(&run, "d.force", -1), N * 0.3 / 0.8, 1e-9);
    assert_close(model_run_output(&run, "d.fz", -1), -N * 0.3 / 0.8, 1e-9);
    assert_close(model_run_value(&run, "r", -1, 2), 0.15, 1e-12);
    model_run_free(&run);
    run = run_with(models_text(text, "p", "r", 0.15, 0., 0.), analysis(f, "assembly"));
    model_run_require(&run);
    assert_close(model_run_output(&run, "c.force", 0), N * 0.5 / 0.8, 1e-9);
    model_run_free(&run);
    run = move(models_text(text, "r", "p", 0.35, 0.5, 0.5), f, 0.5, 0.1);
    assert_close(model_run_event(&run, "c", "impact", 0), fall, 1e-9);
    assert_close(model_run_value(&run, "rd", 4, 2), 0.5 * g * fall - g * (0.4 - fall), 1e-8);
    model_run_free(&run);
  }
}

/* A ball at rest on a belt of speed s slides until it rolls with 2/7 of s, in the belt's direction. A box on a belt
 * that speeds up moves with it. */
static void test_belt_in_space(void **state) {
  (void)state;
  MODEL(text,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [0, 0, 1]},
                  "shapes": [{"type": "half-space", "name": "h", "normal": [0, 0, 1]}]},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": [0.0052, 0.0052, 0.0052], "points": {"C": [0, 0, 0]},
                   "initial": {"position": [0, 0, 0.1]},
                   "shapes": [{"type": "sphere", "name": "s", "radius": 0.1},
                              {"type": "box", "name": "x", "size": [0.2, 0.2, 0.2]}]}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "surface_velocity": [%s, %s, 7], %s,
                   "friction": {"law": "coulomb", "mu_dynamic": 0.2}}]});
  static const char *const pairs[] = {PART("shapes": ["ground.h", "b.s"]),
                                           PART("shapes": ["b.s", "ground.h"]),
                                                PART("shapes": ["b.s"], "plane": ["ground.O", "ground.u"])};
  for (int k = 0; k < 3; k++) {
    EACH_FORMULATION(f) {
      model_run run = move(models_text(text, "0.3", "-0.4", pairs[k]), f, 0.5, 0.1);
      /* the surface of the first body drives the second, which is the ground if the ball's own surface moves */
      assert_close(model_run_output(&run, "c.fx", 0), 0.2 * 1.3 * g * 0.6, 1e-12);
      assert_close(model_run_output(&run, "c.fy", 0), -0.2 * 1.3 * g * 0.8, 1e-12);
      if (k != 1) {
        assert_close(model_run_event(&run, "c", "sticks", 0), 0.5 / (3.5 * 0.2 * g), 1e-8);
        assert_close(model_run_value(&run, "rd", -1, 0), 0.3 * 2 / 7, 1e-10);
        assert_close(model_run_value(&run, "rd", -1, 1), -0.4 * 2 / 7, 1e-10);
      }
      model_run_free(&run);
    }
  }
  EACH_FORMULATION(f) {
    model_run run = move(models_text(text, "\"0.9*t\"", "\"1.2*t\"", PART("shapes": ["ground.h", "b.x"])), f, 1, 0.1);
    assert_close(model_run_value(&run, "r", -1, 0), 0.45, 1e-9);
    assert_close(model_run_value(&run, "r", -1, 1), 0.6, 1e-9);
    assert_close(model_run_output(&run, "c.fy", 5), 1.3 * 1.2, 1e-9);
    assert_close(model_run_output(&run, "c.sticking", 5), 1, 0);
    model_run_free(&run);
  }
}

/* A disc or ball that rolls, with friction against rolling and spinning: m R^2 and J are slowed by r N. */
static void test_rolling_friction(void **state) {
  (void)state;
  const double R = 0.1, r = 0.01, J = 0.4 * 1.3 * R * R, a = r * g * R / (R * R + J / 1.3), stops = 3 / a;
  const double spins = 7 * J / (0.002 * 1.3 * g);
  MODEL(planar,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": %.17g, "points": {"C": [0, 0]},
                   "initial": {"position": [0, %g], "velocity": [3, 0], "angular_velocity": -30}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "restitution": 0.5, "point": "b.C", "radius": 0.1,
                   "line": ["ground.O", "ground.u"], "rolling_friction": 0.01,
                   "friction": {"law": "coulomb", "mu_dynamic": 0.5}}]});
  MODEL(spatial,
      {"space": "spatial", "gravity": [0, -9.81, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [0, 1, 0]}},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": [%.17g, %.17g, %.17g], "points": {"C": [0, 0, 0]},
                   "initial": {"position": [0, %g, 0], "velocity": [1.8, 0, 2.4],
                               "angular_velocity": [24, 7, -18]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "restitution": 0.5, "point": "b.C", "radius": 0.1,
                   "plane": ["ground.O", "ground.u"], "rolling_friction": 0.01, "spinning_friction": 0.002,
                   "friction": {"law": "coulomb", "mu_dynamic": 0.5}}]});
  /* dropped, it loses at impacts what it would have lost in the same time */
  for (int dropped = 0; dropped < 2; dropped++) {
    const double height = dropped ? 0.3 : 0.1;
    EACH(f, dim) {
      model_run run =
          move(dim == 2 ? models_text(planar, J, height) : models_text(spatial, J, J, J, height), f, 5, 0.5);
      const double speed = dim == 2 ? 1 : 0.6;
      assert_close(model_run_value(&run, "rd", 4, 0), (3 - 2 * a) * speed, 1e-8);
      assert_close(model_run_output(&run, "c.friction", 4), dim == 2 ? -1.3 * a : 1.3 * a, 1e-8);
      assert_close(model_run_output(&run, "c.sticking", 4), 1, 0);
      if (dim == 3) assert_close(model_run_value(&run, "omega", 2, 1), 7 * (1 - 1 / spins), 1e-8);
      const size_t events = model_run_events(&run, "c", "sticks");
      assert_close(model_run_event(&run, "c", "sticks", events - 1), stops, 1e-8);
      if (dim == 3) assert_close(model_run_event(&run, "c", "sticks", events - 2), spins, 1e-8);
      assert_close(model_run_value(&run, "rd", -1, 0), 0, 1e-14);
      model_run_free(&run);
    }
  }
}

/* A ball on a compliant plane, under the gravity (gx, gy), at the height y, with the speed v and rolling friction r. */
static char *compliant_ball(int dim, double gx, double gy, double y, double v, double r) {
  MODEL(planar,
      {"space": "planar", "gravity": [%.17g, %.17g],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": 0.0052, "points": {"C": [0, 0]},
                   "initial": {"position": [0, %.17g], "velocity": [%g, 0]}}],
       "forces": [{"name": "c", "type": "contact", "point": "b.C", "radius": 0.1, "law": "kelvin-voigt",
                   "stiffness": 20000, "line": ["ground.O", "ground.u"], "rolling_friction": %g,
                   "friction": {"law": "coulomb", "mu_static": 0.3, "mu_dynamic": 0.2}}]});
  MODEL(spatial,
      {"space": "spatial", "gravity": [%.17g, %.17g, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"y": [0, 1, 0]}},
       "bodies": [{"name": "b", "mass": 1.3, "inertia": [0.0052, 0.0052, 0.0052], "points": {"C": [0, 0, 0]},
                   "initial": {"position": [0, %.17g, 0], "velocity": [%g, 0, 0]}}],
       "forces": [{"name": "c", "type": "contact", "point": "b.C", "radius": 0.1, "law": "kelvin-voigt",
                   "stiffness": 20000, "plane": ["ground.O", "ground.y"], "rolling_friction": %g,
                   "spinning_friction": 0.01, "friction": {"law": "coulomb", "mu_static": 0.3, "mu_dynamic": 0.2}}]});
  return dim == 2 ? models_text(planar, gx, gy, y, v, r) : models_text(spatial, gx, gy, y, v, r);
}

/* A compliant contact has dry friction, too. A ball at its static depth that does not turn slides until it rolls, with
 * 5/7 of its speed. Then rolling friction r stops it, with the deceleration (g r / R) / 1.4; on an incline it holds. */
static void test_compliant_dry_friction(void **state) {
  (void)state;
  const double depth = 1.3 * g / 20000, rolls = 1 / (3.5 * 0.2 * g), slow = g * 0.01 / 0.1 / 1.4, a = 0.05;
  EACH(f, dim) {
    model_run run = move(compliant_ball(dim, 0., -g, 0.1 - depth, 1., 0.), f, 0.5, 0.1);
    /* what turns about the other axes sticks from the start */
    assert_close(model_run_event(&run, "c", "sticks", 1), rolls, 1e-8);
    assert_close(model_run_value(&run, "rd", -1, 0), 5. / 7, 1e-9);
    assert_close(model_run_output(&run, "c.fx", 1), -0.2 * 1.3 * g, 1e-8);
    assert_close(model_run_output(&run, "c.sticking", -1), 1, 0);
    model_run_free(&run);
    run = move(compliant_ball(dim, 0., -g, 0.1 - depth, 1., 0.01), f, 4, 0.1);
    /* sliding takes v' = -mu g and R w' = (mu g - r N / m R) / 0.4 */
    const double turns = (0.2 * g - 0.1 * g) / 0.4, t = 1 / (0.2 * g + turns);
    const double v = 1 - 0.2 * g * t, way = t - 0.1 * g * t * t + v * v / (2 * slow);
    assert_close(model_run_value(&run, "r", -1, 0), way, 1e-7);
    assert_close(model_run_value(&run, "rd", -1, 0), 0, 1e-9);
    model_run_free(&run);
    run = move(compliant_ball(dim, g * sin(a), -g * cos(a), 0.1 - depth * cos(a), 0., 0.01), f, 1, 0.1);
    assert_close(model_run_value(&run, "r", -1, 0), 0, 1e-12);
    assert_close(model_run_output(&run, "c.fx", -1), -1.3 * g * sin(a), 1e-9);
    model_run_free(&run);
    run = run_with(compliant_ball(dim, g * sin(a), -g * cos(a), 0.1 - depth * cos(a), 0., 0.01),
                   analysis(f, "equilibrium"));
    model_run_require(&run);
    assert_close(model_run_output(&run, "c.fy", -1), 1.3 * g * cos(a), 1e-8);
    assert_int_equal(run.result->report.held_count, 1);
    model_run_free(&run);
  }
}

/* A box of 2 kg falls on a compliant floor, turned by an angle, beside a gravity of 1 m/s^2. Its corners land, bounce,
 * slide, and come to rest, each on its own: the friction of a given load always has a solution. Then both lower corners
 * stick, and share the weight and the force along the floor. */
static void test_compliant_corners(void **state) {
  static const double angles[] = {0, 0.1, -0.4, 0.9};
  (void)state;
  for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) EACH_FORMULATION(f) {
      MODEL(text,
          {"space": "planar", "gravity": [1, -9],
           "ground": {"shapes": [{"type": "rectangle", "width": 8, "height": 0.2, "name": "f", "at": [0, -0.1]}]},
           "bodies": [{"name": "b", "mass": 2, "inertia": 0.1,
                       "initial": {"position": [0, %.17g], "angle": %.17g},
                       "shapes": [{"type": "rectangle", "width": 0.4, "height": 0.2, "name": "s"}]}],
           "forces": [{"name": "c", "type": "contact", "law": "kelvin-voigt", "shapes": ["ground.f", "b.s"],
                       "stiffness": 1e4, "damping": 100, "friction": {"law": "coulomb", "mu_dynamic": 0.3}}]});
      const double height = 0.1 * cos(angles[k]) + 0.2 * fabs(sin(angles[k]));
      model_run run = move(models_text(text, height, angles[k]), f, 3, 1);
      assert_close(model_run_output(&run, "c.sticking", -1), 1, 0);
      assert_close(model_run_output(&run, "c.force", -1), 18, 1e-6);
      assert_close(model_run_output(&run, "c.friction", -1), -2, 1e-6);
      assert_close(model_run_value(&run, "rd", -1, 0), 0, 1e-8);
      model_run_free(&run);
    }
}

/* On a slope the disc stays while tan a <= r/R, in motion and in equilibrium. */
static void test_rolling_friction_holds(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [%.17g, %.17g],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.01, "points": {"C": [0, 0]},
                   "initial": {"position": [0, 0.1]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "point": "b.C", "radius": 0.1,
                   "line": ["ground.O", "ground.u"], "rolling_friction": 0.01,
                   "friction": {"law": "coulomb", "mu_dynamic": 0.5}}]});
  EACH_FORMULATION(f) {
    for (int steep = 0; steep < 2; steep++) {
      const double angle = steep ? 0.11 : 0.09, rolls = 2 * g * (0.1 * sin(angle) - 0.01 * cos(angle)) * 0.1 / 0.03;
      char *document = models_text(text, g * sin(angle), -g * cos(angle));
      model_run run = move(models_text("%s", document), f, 1, 0.1);
      assert_close(model_run_value(&run, "rd", -1, 0), steep ? rolls : 0, 1e-9);
      model_run_free(&run);
      run = run_with(document, analysis(f, "equilibrium"));
      if (steep) {
        assert_int_equal(run.status, MBS_NO_EQUILIBRIUM);
      } else {
        model_run_require(&run);
        assert_int_equal(run.result->report.held_count, 1);
      }
      model_run_free(&run);
    }
  }
}

/* ---- limits -------------------------------------------------------------------------------------------------- */

static char *slider(const char *limits, const char *more) {
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0], "W": [-2, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
                   "initial": {"position": [0, 0], "velocity": [3, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], "limits": {%s} %s}]});
  return models_text(text, limits, more);
}

/* Between rigid limits the speed falls by e at each. The joint may be cut: then its rows are those of the joint. */
static void test_rigid_limits(void **state) {
  (void)state;
  static const char *const cut[] = {"", PART(, "cut": true)};
  for (int k = 0; k < 2; k++) {
    EACH(f, dim) {
      model_run run =
          move(model_run_in(dim, slider(PART("lower": -0.5, "upper": 1, "restitution": 0.7), cut[k])), f, 3, 0.1);
      double t = 1. / 3, v = 3;
      for (size_t i = 0; t < 3; i++) {
        assert_close(model_run_event(&run, "j", "limit reached", i), t, 1e-9);
        v *= 0.7;
        t += 1.5 / v;
      }
      assert_close(fabs(model_run_value(&run, "rd", -1, 0)), v, 1e-9);
      model_run_free(&run);
    }
  }
}

/* A limit holds a force until that turns round. */
static void test_limit_holds(void **state) {
  (void)state;
  char *text = slider(PART("lower": null, "upper": 1), "");
  char *document =
      models_merged(text, JSON({"forces": [{"name": "pull", "type": "force", "body": "b", "value": ["5 - 2*t", 0]}]}));
  free(text);
  EACH(f, dim) {
    model_run run = move(model_run_in(dim, models_text("%s", document)), f, 4, 0.1);
    const double t = 2.5, d = 4 - t;
    assert_close(model_run_output(&run, "j.limit", 10), -3, 1e-10);
    assert_close(model_run_event(&run, "j", "limit left", 0), t, 1e-8);
    assert_close(model_run_value(&run, "r", -1, 0), 1 - d * d * d / 6, 1e-8);
    model_run_free(&run);
  }
  free(document);
}

/* At a compliant limit it stays half a period pi sqrt(m/K). */
static void test_compliant_limits(void **state) {
  (void)state;
  const double K = 800, half = pi * sqrt(2 / K);
  EACH(f, dim) {
    model_run run =
        move(model_run_in(dim, slider(PART("lower": -0.5, "upper": 1, "stiffness": 800), "")), f, 1.5, 0.05);
    double t = 1. / 3 + half + 0.5 + half; /* back at lower, and from there on */
    assert_close(model_run_value(&run, "r", -1, 0), -0.5 + 3 * (1.5 - t), 1e-7);
    assert_close(model_run_value(&run, "rd", -1, 0), 3, 1e-7);
    assert_close(model_run_event(&run, "j", "limit reached", 0), 1. / 3, 1e-9);
    assert_close(model_run_event(&run, "j", "limit left", 0), 1. / 3 + half, 1e-9);
    const double x = 3 * sqrt(2 / K) * sin((0.4 - 1. / 3) * sqrt(K / 2));
    assert_close(model_run_value(&run, "r", 8, 0), 1 + x, 1e-8);
    assert_close(model_run_output(&run, "j.limit", 8), -K * x, 1e-5);
    model_run_free(&run);
  }
}

/* Turns are counted: a wheel stops after two and a half turns. */
static void test_limit_of_turns(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]},
                   "initial": {"position": [0, 0], "angular_velocity": 6}}],
       "joints": [{"name": "j", "type": "revolute", "points": ["ground.O", "b.C"], "cut": %s,
                   "limits": {"upper": "5*pi", "restitution": 0.5}}]});
  for (int cut = 0; cut < 2; cut++) {
    EACH(f, dim) {
      model_run run = move(model_run_in(dim, models_text(text, cut ? "true" : "false")), f, 5, 0.1);
      assert_close(model_run_event(&run, "j", "limit reached", 0), 5 * pi / 6, 1e-9);
      assert_close(model_run_value(&run, dim == 2 ? "pd" : "omega", -1, dim == 2 ? 0 : 2), -3, 1e-9);
      model_run_free(&run);
    }
  }
}

/* Limits without a limit are an error. */
static void test_empty_limits(void **state) {
  (void)state;
  mbs_diagnostics list = {0};
  char *document = slider("", "");
  assert_null(models_try_build(document, JSON({"type": "assembly"}), &list));
  assert_int_equal(list.count, 1);
  assert_string_equal(list.items[0].pointer, "/model/joints/0/limits");
  assert_non_null(strstr(list.items[0].message, "'lower' or 'upper'"));
  mbs_diagnostics_free(&list);
  free(document);
}

/* A prescribed motion, and a start, beyond a limit. */
static void test_limit_exceeded(void **state) {
  (void)state;
  static const char *const types[] = {"kinematics", "inverse-dynamics", "dynamics"};
  char *driven = slider(PART("upper": 1), "");
  char *document =
      models_merged(driven, JSON({"drivers": [{"name": "d", "type": "joint", "joint": "j", "function": "2*sin(t)"}]}));
  free(driven);
  for (int k = 0; k < 3; k++) {
    EACH(f, dim) {
      model_run run = run_with(model_run_in(dim, models_text("%s", document)),
                               models_text(PART("analysis": {"type": "%s", "t_end": 2, "dt": 0.1,
                                                             "formulation": "%s"}),
                                                types[k], formulations[f]));
      require_failure(&run, MBS_LIMIT_EXCEEDED, "j", asin(0.5), 1e-6);
      model_run_free(&run);
    }
  }
  free(document);
  EACH(f, dim) {
    model_run run = run_with(model_run_in(dim, slider(PART("lower": 0.2, "upper": 1), "")), dynamics(f, 1, 0.1));
    require_failure(&run, MBS_LIMIT_EXCEEDED, "j", 0, 0);
    if (!strstr(run.error.message, "beyond its lower limit 0.2 m")) fail_msg("%s", run.error.message);
    model_run_free(&run);
  }
}

/* ---- no solution --------------------------------------------------------------------------------------------- */

/* Two guides of one slider share its weight in any way, so that the load of each is undetermined. */
static void test_undetermined_load(void **state) {
  (void)state;
  MODEL(guides,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [-1, 0], "B": [1, 0]},
                   "vectors": {"u": [1, 0]}, "initial": {"velocity": [1, 0]}}],
       "joints": [
         {"name": "left", "type": "translational", "points": ["ground.O", "b.A"], "vectors": ["ground.u", "b.u"]},
         {"name": "right", "type": "translational", "points": ["ground.O", "b.B"], "vectors": ["ground.u", "b.u"]}],
       "forces": [{"name": "dry", "type": "friction", "joint": "left", "law": "coulomb", "mu_dynamic": 0.2%s}],
       "analysis": {"type": "dynamics", "t_end": 0.1, "dt": 0.1, "formulation": "%s"}});
  for (int k = 0; k < 2; k++) {
    model_run run = model_run_text(guides, "", formulations[k]);
    require_failure(&run, MBS_REACTION_NOT_UNIQUE, "dry", 0, 0);
    assert_non_null(strstr(run.error.message, "the normal force of the friction 'dry' is undetermined: redundant "
                                              "constraints do not determine the reaction of joint 'left'; use a joint "
                                              "with fewer constraints, or give the friction a 'preload'"));
    model_run_free(&run);
    run = model_run_text(guides, PART(, "preload": 5), formulations[k]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "rd", -1, 0), 1 - 0.2 * 5 * 0.1, 1e-9);
    model_run_free(&run);
  }
}

/* The paradox of Painleve: a bearing with mu r m l >= J, and a rod that is pushed along a rough floor. */
static void test_painleve(void **state) {
  (void)state;
  EACH(f, dim) {
    model_run run = run_with(model_run_in(dim, unbalanced(4, 0, 5)), dynamics(f, 1, 0.1));
    require_failure(&run, MBS_PAINLEVE, "dry", 0, 0);
    model_run_free(&run);
  }
  MODEL(rod,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 0.083333333333333333, "points": {"P": [-0.5, 0]},
                   "initial": {"position": [%.17g, %.17g], "angle": 1, "velocity": [-1, 0]}}],
       "forces": [{"name": "c", "type": "contact", "point": "b.P", "line": ["ground.O", "ground.u"], "law": "rigid",
                   "friction": {"law": "coulomb", "mu_dynamic": 2}}]});
  EACH_FORMULATION(f) {
    model_run run = run_with(models_text(rod, 0.5 * cos(1), 0.5 * sin(1)), dynamics(f, 1, 0.1));
    require_failure(&run, MBS_PAINLEVE, "c", 0, 0);
    model_run_free(&run);
  }
}

/* ---- equilibrium, linearization, assembly -------------------------------------------------------------------- */

/* A slider of gravity g sin a on a spring: friction holds it at 0.2 m, or it is at the spring's equilibrium. */
static char *on_spring(double mu) {
  MODEL(text,
      {"space": "planar", "gravity": [3, -9.81],
       "ground": {"points": {"O": [0, 0], "W": [-2, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
                  {"name": "c", "mass": 1, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], "initial": {"position": 0.2}},
                  {"name": "i", "type": "translational", "points": ["ground.O", "c.C"],
                   "vectors": ["ground.u", "c.u"], "initial": {"position": 0.06}}],
       "forces": [{"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": %g},
                  {"name": "s", "type": "spring-damper", "points": ["ground.W", "b.C"], "stiffness": 50,
                   "free_length": 2},
                  {"name": "k", "type": "spring-damper", "points": ["ground.W", "c.C"], "stiffness": 50,
                   "free_length": 2}]});
  return models_text(text, mu);
}

static void test_equilibrium(void **state) {
  (void)state;
  EACH(f, dim) {
    model_run run = run_with(model_run_in(dim, on_spring(0.3)), analysis(f, "equilibrium"));
    model_run_require(&run); /* needed: 50 * 0.2 - 6 = 4 N of 5.886 N */
    assert_close(model_run_value(&run, "r", 0, 0), 0.2, 1e-12);
    assert_close(model_run_output(&run, "dry.friction", 0), 4, 1e-10);
    assert_int_equal(run.result->report.held_count, 1);
    assert_string_equal(run.result->report.held_by_friction[0], "dry");
    model_run_free(&run);
    run = run_with(model_run_in(dim, on_spring(0.1)), analysis(f, "equilibrium"));
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 0), 6. / 50, 1e-9);
    assert_int_equal(run.result->report.held_count, 0);
    model_run_free(&run);
    /* nothing but friction could hold it */
    run = run_with(model_run_in(dim, incline(0.6, 0, 0, 0.5, 0.4)), analysis(f, "equilibrium"));
    assert_int_equal(run.status, MBS_NO_EQUILIBRIUM);
    assert_non_null(strstr(run.error.message, "'dry'"));
    model_run_free(&run);
    run = run_with(model_run_in(dim, incline(0.3, 0, 0, 0.5, 0.4)), analysis(f, "equilibrium"));
    model_run_require(&run);
    assert_close(model_run_output(&run, "dry.friction", 0), 2 * g * sin(0.3), 1e-10);
    model_run_free(&run);
  }
}

/* Contacts and limits press or are open at an equilibrium. */
static void test_equilibrium_at_contact(void **state) {
  (void)state;
  EACH(f, dim) {
    model_run run = run_with(ball(dim, 1, 0.1, PART("restitution": 0.5)), analysis(f, "equilibrium"));
    model_run_require(&run);
    assert_close(model_run_output(&run, "c.force", 0), 1.3 * g, 1e-9);
    model_run_free(&run);
  }
  for (int upper = 0; upper < 2; upper++) {
    char *text = slider(upper ? PART("upper": 0.5) : PART("upper": 2), "");
    char *document = models_merged(
        text, JSON({
          "forces": [
            {"name": "pull", "type": "force", "body": "b", "value": [10, 0]},
            {"name": "s", "type": "spring-damper", "points": ["ground.W", "b.C"], "stiffness": 10, "free_length": 2}
          ]
        }));
    free(text);
    EACH(f, dim) {
      model_run run = run_with(model_run_in(dim, models_text("%s", document)), analysis(f, "equilibrium"));
      model_run_require(&run);
      assert_close(model_run_value(&run, "r", 0, 0), upper ? 0.5 : 1, 1e-9);
      assert_close(model_run_output(&run, "j.limit", 0), upper ? -5 : 0, 1e-9);
      model_run_free(&run);
    }
    free(document);
  }
}

/* Laws that stick have their equilibria whether or not the model has limits: released, a double pendulum hangs down. */
static void test_equilibrium_of_laws(void **state) {
  (void)state;
  MODEL(pendulums,
      {"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 1, "points": {"O": [0, 0.5]}},
                  {"name": "b", "mass": 1, "inertia": 1, "points": {"O": [0, 0.5], "B": [0, -0.5]}}],
       "joints": [{"type": "revolute", "name": "A", "points": ["ground.O", "b.O"], "initial": {"position": 0.9}%s},
                  {"type": "revolute", "name": "B", "points": ["b.B", "a.O"], "initial": {"position": 0.02}}],
       "forces": [{"type": "torque", "name": "f", "body": "a", "value": "-3*sign(B.qd)"}]});
  static const char *const limits[] = {"", PART(, "limits": {"lower": -3, "upper": 3}),
                                                PART(, "limits": {"lower": 0.3})};
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) EACH_FORMULATION(f) {
      model_run run = run_with(models_text(pendulums, limits[k]), analysis(f, "equilibrium"));
      model_run_require(&run);
      const double angle = k == 2 ? 0.3 : 0; /* of body b; body a hangs from its end */
      assert_close(model_run_value(&run, "r", 0, 0), sin(angle), 1e-9);
      assert_close(model_run_value(&run, "r", 0, 1), -cos(angle) - 0.5, 1e-9);
      model_run_free(&run);
    }
}

/* A block of 2 kg on a spring of 50 N/m, 0.09 m from its rest: laws of 5 N hold 4.5 N, and are named; at its rest
 * nothing is held. */
static void test_equilibrium_held_by_laws(void **state) {
  (void)state;
  static const char *const laws[] = {"-5*sign(b.vx)", "if(b.vx == 0, 0, -5*b.vx/abs(b.vx))", "if(b.vx > 0, -5, 5)"};
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0], "W": [-1, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], "initial": {"position": %g}%s}],
       "forces": [{"name": "f", "type": "force", "body": "b", "value": ["%s", 0]},
                  {"name": "s", "type": "spring-damper", "points": ["ground.W", "b.C"], "stiffness": 50,
                   "free_length": 1}]});
  for (int k = 0; k < 12; k++) {
    const bool touches = k / 6, rests = k % 2;
    char *document = models_text(text, rests ? 0. : 0.09,
                                 touches ? PART(, "limits": {"lower": -3, "upper": 3}) : "", laws[k / 2 % 3]);
    EACH_FORMULATION(f) {
      model_run run = run_with(models_text("%s", document), analysis(f, "equilibrium"));
      model_run_require(&run);
      const mbs_report *report = &run.result->report;
      assert_close(model_run_value(&run, "r", 0, 0), rests ? 0 : 0.09, 1e-12);
      assert_int_equal(report->held_count, rests ? 0 : 1);
      if (!rests) assert_string_equal(report->held_by_friction[0], "f");
      model_run_free(&run);
    }
    free(document);
  }
}

static const char *const rigid_and_soft[] = {PART("law": "rigid"),
                                                  PART("law": "kelvin-voigt", "stiffness": 1e6, "damping": 2e3)};

/* A bar falls onto a segment, or from below against one. Parallel to it, both ends touch, and it rests; tilted, one end
 * touches first. */
static void test_bar_on_segment(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, %.17g],
       "ground": {"shapes": [{"type": "line", "from": [%d, 0], "to": [%d, 0], "name": "f"}]},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.06, "initial": {"position": [0, %.17g], "angle": %.17g},
                   "shapes": [{"type": "line", "from": [-0.3, 0], "to": [0.3, 0], "name": "s"}]}],
       "forces": [{"name": "c", "type": "contact", %s, "shapes": [%s]}]});
  for (int k = 0; k < 32; k++) {
    const bool soft = k / 16;
    const double side = k % 2 ? -1 : 1, tilt = k / 2 % 2 ? 0.3 : 0, falls = 0.5 - 0.3 * sin(tilt);
    const int turned = k / 4 % 2 ? -1 : 1;
    EACH_FORMULATION(f) {
      char *document = models_text(text, -side * g, -turned, turned, side * 0.5, tilt, rigid_and_soft[soft],
                                   k / 8 % 2 ? "\"b.s\", \"ground.f\"" : "\"ground.f\", \"b.s\"");
      model_run run = move(document, f, 2, 0.25);
      const double sinks = soft ? g / 1e6 : 0; /* m g = 2 K d */
      assert_close(model_run_event(&run, "c", soft ? "contact begins" : "impact", 0), sqrt(2 * falls / g), 1e-9);
      assert_close(model_run_value(&run, "r", -1, 1), -side * sinks, 1e-9);
      assert_close(model_run_value(&run, "p", -1, 0), 0, 1e-9);
      assert_close(model_run_output(&run, "c.force", -1), 2 * g, 1e-8);
      assert_close(fabs(model_run_output(&run, "c.fy", -1)), 2 * g, 1e-8);
      model_run_free(&run);
    }
  }
}

/* A box is led round the end of a segment and comes up against it from below, with two corners. */
static void test_round_an_end(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0], "parameters": {"to": "pi - 0.33"},
       "ground": {"shapes": [{"type": "line", "from": [-1, 0], "to": [1, 0], "name": "f"}]},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]},
                   "shapes": [{"type": "rectangle", "width": 0.2, "height": 0.2, "name": "s"}]}],
       "drivers": [
         {"name": "x", "type": "x", "point": "b.C",
          "function": "1 + 0.3*cos(pi/2 - (to + pi/2)*t)"},
         {"name": "y", "type": "y", "point": "b.C",
          "function": "0.3*sin(pi/2 - (to + pi/2)*t)"},
         {"name": "turn", "type": "angle", "body": "b", "function": "0"}],
       "forces": [{"name": "c", "type": "contact", "law": "hertz", "exponent": 1, "stiffness": 1e4, "shapes": [%s]}]});
  for (int turned = 0; turned < 2; turned++) EACH_FORMULATION(f) {
      char *document = models_text(text, turned ? "\"b.s\", \"ground.f\"" : "\"ground.f\", \"b.s\"");
      model_run run = move(document, f, 1, 0.25);
      const double force = 2e4 * (0.1 - 0.3 * sin(0.33));
      assert_close(model_run_output(&run, "c.force", -1), force, 1e-6);
      assert_close(model_run_output(&run, "c.fy", -1), turned ? force : -force, 1e-6);
      model_run_free(&run);
    }
}

/* Longest steps [s] of a run; the first one leaves them to its tolerance. */
static const double longest[] = {10, 0.05, 0.005};
enum { LONGEST = sizeof longest / sizeof *longest };

/* A shape is led round the end of a bar, from either side, and hits it from behind. The bar, which was at rest, leaves
 * with twice the speed of the shape. Long steps do not matter. */
static void test_led_round_an_end(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0], "parameters": {"side": %d},
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [0, 1]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]},
                   "initial": {"position": [0.77, "side*0.26"]}, "shapes": [{"name": "s", %s}]},
                  {"name": "bar", "mass": 2, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"u": [0, 1]},
                   "shapes": [{"name": "f", %s}]}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "bar.O"],
                   "vectors": ["ground.u", "bar.u"]}],
       "drivers": [{"name": "x", "type": "x", "point": "b.C", "function": "1 + 0.3*sin(5*t - 0.9)"},
                   {"name": "y", "type": "y", "point": "b.C", "function": "side*0.3*cos(5*t - 0.5)"},
                   {"name": "turn", "type": "angle", "body": "b", "function": "0"}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "restitution": 1, "shapes": [%s]}],
       "analysis": {"type": "dynamics", "t_end": 1.1, "dt": 0.1, "formulation": "%s",
                    "integrator": {"rtol": %g, "atol": %g, "max_step": %.17g}}});
  static const struct {
    const char *shape;
    double height; /* of its highest and lowest places above its middle */
  } shapes[] = {{PART("type": "circle", "radius": 0.1), 0.1},
                 {PART("type": "rectangle", "width": 0.2, "height": 0.2), 0.1},
                  {PART("type": "polygon", "points": [[0, -0.1], [0.1, 0], [0, 0.1], [-0.1, 0]]), 0.1},
                                   {PART("type": "line", "from": [0, 0.1], "to": [0, -0.1]), 0.1},
                                         {PART("type": "arc", "radius": 0.1, "from": "-pi/2", "to": "pi/2"), 0.1}},
                                    bars[] = {
                                        {PART("type": "line", "from": [-1, 0], "to": [1, 0]), 0},
                                              {PART("type": "line", "from": [1, 0], "to": [-1, 0]), 0},
                                                    {PART("type": "rectangle", "width": 2, "height": 0.02), 0.01}};
  for (size_t k = 0; k < 5 * 3 * 4 * LONGEST; k++) EACH_FORMULATION(f) {
      const size_t shape = k % 5, bar = k / 5 % 3, way = k / 15 % 4, step = k / 60;
      const double height = (shapes[shape].height + bars[bar].height) / 0.3, side = way % 2 ? 1 : -1;
      const double hit = (pi + acos(height) + 0.5) / 5, speed = 3 * sqrt(1 - height * height);
      const double tolerance = step ? 1e-10 : 1e-3; /* the longest steps are as long as possible */
      model_run run = model_run_text(text, (int)side, shapes[shape].shape, bars[bar].shape,
                                     way / 2 ? "\"bar.f\", \"b.s\"" : "\"b.s\", \"bar.f\"", formulations[f], tolerance,
                                     tolerance, longest[step]);
      model_run_require(&run);
      if (step) require_balance(&run);
      assert_int_equal(model_run_events(&run, "c", "impact"), 1);
      assert_close(model_run_event(&run, "c", "impact", 0), hit, 10 * tolerance);
      assert_close(model_run_value(&run, "r", -1, 3), side * speed * (1.1 - hit), 100 * tolerance);
      model_run_free(&run);
    }
}

/* A disc that a spring pulls to the end of a segment slides along it, round its end, and back on its other side. */
static void test_slides_round_an_end(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "shapes": [{"name": "f", "type": "line", "from": [-1, 0], "to": [0, 0]}]},
       "bodies": [{"name": "b", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0]},
                   "initial": {"position": [-0.05, %g], "velocity": [0.3, 0]},
                   "shapes": [{"name": "s", "type": "circle", "radius": 0.1}]}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "shapes": ["ground.f", "b.s"]},
                  {"name": "k", "type": "bushing", "points": ["ground.O", "b.C"], "stiffness": [100, 100, 0]}]});
  /* x = -a cos(w t + ...) on both sides; uniformly round the end */
  const double w = 10, v = sqrt(0.3 * 0.3 + w * w * 0.05 * 0.05), end = atan2(0.05 * w, 0.3) / w + pi * 0.1 / v;
  for (int side = -1; side <= 1; side += 2) EACH_FORMULATION(f) {
      model_run run = move(models_text(text, 0.1 * side), f, 0.8, 0.1);
      assert_close(model_run_value(&run, "r", -1, 0), -v / w * sin(w * (0.8 - end)), 1e-8);
      assert_close(model_run_value(&run, "r", -1, 1), -0.1 * side, 1e-8);
      assert_close(model_run_output(&run, "c.force", -1), 10, 1e-6);
      assert_int_equal(model_run_events(&run, "c", "impact"), 0);
      model_run_free(&run);
    }
}

/* The wheel of a Geneva drive rests until the pin touches the side "right3" of its slot, in steps of any length. */
static void test_geneva_drive(void **state) {
  (void)state;
  const double from[2] = {0.1 - 0.02163, -0.014135}, to[2] = {0.1 - 0.053748, -0.046252};
  const double e[2] = {to[0] - from[0], to[1] - from[1]}, length = hypot(e[0], e[1]);
  double low = 0.48, high = 0.5; /* distance of the pin's centre from the side: 0.005 in between */
  for (int k = 0; k < 60; k++) {
    const double t = 0.5 * (low + high), angle = 2.5 + 2 * pi * t;
    const double d[2] = {0.070711 * cos(angle) - from[0], 0.070711 * sin(angle) - from[1]};
    if ((d[1] * e[0] - d[0] * e[1]) / length > 0.005)
      low = t;
    else
      high = t;
  }
  for (size_t k = 0; k < LONGEST; k++) EACH_FORMULATION(f) {
      model_run run = model_run_changed("GenevaDrive",
                                        models_text(JSON({
                                                      "analysis": {
                                                        "type": "dynamics",
                                                        "t_end": 0.6,
                                                        "dt": 0.01,
                                                        "formulation": "%s",
                                                        "integrator": {"rtol": 1e-8, "atol": 1e-10, "max_step": % .17g}
                                                      }
                                                    }),
                                                    formulations[f], longest[k]));
      assert_close(model_run_event(&run, "slots[crank.pin,wheel.right3]", "impact", 0), low, 1e-9);
      assert_close(model_run_value(&run, "theta", 49, 1), 0, 1e-12);
      assert_close(model_run_value(&run, "wheel", -1, 0), -0.7431401802, 1e-6);
      model_run_free(&run);
    }
}

/* A body with an arc falls onto a line, a segment, or a box: its circle touches, or where that is beyond the ends, the
 * ends touch. An arc that is open downwards comes to rest on both ends. */
static void test_falling_arc(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]},
                  "shapes": [{"type": "line", "name": "f", "from": [1, 0], "to": [-1, 0]},
                             {"type": "rectangle", "name": "box", "width": 2, "height": 0.4, "at": [0, -0.2]}]},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "initial": {"position": [0, 0.5]},
                   "shapes": [{"type": "arc", "radius": 0.2, "from": "%s", "to": "%s", "name": "s", "side": "%s"}]}],
       "forces": [{"name": "c", "type": "contact", %s, %s}]});
  static const char *const floors[] = {PART("shapes": ["b.s"], "line": ["ground.O", "ground.u"]),
                                                       PART("shapes": ["b.s", "ground.f"]),
                                                            PART("shapes": ["ground.box", "b.s"])};
  static const struct {
    const char *from, *to, *side;
    double lowest; /* of the arc, below its centre */
    int ends;      /* that touch; 0: the circle does */
  } cases[] = {{"pi", "2*pi", "outside", 0.2, 0},
               {"-5*pi/6", "-pi/6", "outside", 0.2, 0},
               {"pi/6", "5*pi/6", "outside", -0.1, 2},
               {"pi/6", "5*pi/6", "inside", -0.1, 2}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int k = 0; k < 6; k++) EACH_FORMULATION(f) {
        const bool soft = k % 2;
        model_run run =
            move(models_text(text, cases[c].from, cases[c].to, cases[c].side, floors[k / 2], rigid_and_soft[soft]), f,
                 2, 0.25);
        const double lowest = cases[c].lowest, sinks = soft ? 2 * g / 1e6 / (cases[c].ends ? 2 : 1) : 0;
        assert_close(model_run_event(&run, "c", soft ? "contact begins" : "impact", 0), sqrt(2 * (0.5 - lowest) / g),
                     1e-9);
        assert_close(model_run_value(&run, "r", -1, 1), lowest - sinks, 1e-9);
        assert_close(model_run_output(&run, "c.force", -1), 2 * g, 1e-6);
        model_run_free(&run);
      }
}

/* The arc of a wheel, or of a dome, moves as a circle does while its ends do not touch: a wheel that rolls down a board
 * from its edge, a board that rocks on a dome. */
static void test_arc_as_circle(void **state) {
  (void)state;
  MODEL(text,
      {"space": "planar", "gravity": [0.5, -9.81],
       "ground": {"shapes": [%s]},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.03, "shapes": [%s], "initial": %s}],
       "forces": [{"name": "c", "type": "contact", "shapes": ["ground.f", "b.s"], %s,
                   "friction": {"law": "coulomb", "mu_dynamic": 0.4}}]});
  static const struct {
    const char *ground[2], *body[2], *initial;
  } cases[] = {{{PART({"type": "rectangle", "name": "f", "width": 1, "height": 0.2, "at": [0, -0.1], "angle": -0.3})},
                 {PART({"type": "circle", "name": "s", "radius": 0.2}),
                       PART({"type": "arc", "name": "s", "radius": 0.2, "from": -3, "to": 3})},
                       JSON({"position": [-0.5, 0.5], "angle": -2})},
                 {{PART({"type": "circle", "name": "f", "radius": 1, "at": [0, -1]}),
                         PART({"type": "arc", "name": "f", "radius": 1, "at": [0, -1], "from": 0.3, "to": 2.9})},
                         {PART({"type": "rectangle", "name": "s", "width": 0.6, "height": 0.1})},
                          JSON({"position": [0, 0.3], "angle": 0.25})}};
  for (size_t c = 0; c < 2; c++)
    for (int soft = 0; soft < 2; soft++) EACH_FORMULATION(f) {
        model_run runs[2];
        for (int arc = 0; arc < 2; arc++)
          runs[arc] = move(models_text(text, cases[c].ground[c == 1 ? arc : 0], cases[c].body[c == 0 ? arc : 0],
                                       cases[c].initial, rigid_and_soft[soft]),
                           f, 0.8, 0.05);
        for (long row = 0; row <= 16; row++)
          for (size_t k = 0; k < 2; k++) {
            assert_close(model_run_value(&runs[1], "r", row, k), model_run_value(&runs[0], "r", row, k), 1e-6);
            assert_close(model_run_value(&runs[1], "p", row, 0), model_run_value(&runs[0], "p", row, 0), 1e-6);
          }
        assert_true(model_run_events(&runs[1], "c", "contact begins") > 0);
        for (int arc = 0; arc < 2; arc++) model_run_free(&runs[arc]);
      }
}

/* What sticks does not move: the other slider has +-5 sqrt(2) i, the sticking one is noted. */
static void test_linearization(void **state) {
  (void)state;
  EACH(f, dim) {
    model_run run = run_with(model_run_in(dim, on_spring(0.3)), analysis(f, "linearization"));
    model_run_require(&run);
    double largest = 0;
    for (size_t k = 0; k < run.result->report.mode_count; k++) {
      const double *value = run.result->report.modes[k].eigenvalue;
      assert_close(value[0], 0, 1e-5);
      assert_true(fabs(value[1]) < 1e-5 || fabs(fabs(value[1]) - sqrt(50)) < 1e-5);
      largest = fmax(largest, fabs(value[1]));
    }
    assert_close(largest, sqrt(50), 1e-6);
    assert_non_null(models_note(run.result, "'dry'"));
    assert_non_null(models_note(run.result, "stick"));
    model_run_free(&run);
  }
}

/* The balls of a cradle touch at rest without force: these contacts are open, whatever rounding the way to the rest has
 * left. Each ball swings by itself. */
static void test_touching_without_force(void **state) {
  (void)state;
  static const double starts[] = {0, -0.3, -0.7};
  for (size_t k = 0; k < 3; k++) EACH_FORMULATION(f) {
      char *with = models_text(PART({"analysis": {"type": "linearization", "formulation": "%s", "about": "equilibrium"},
                                     "parameters": {"r": 0.05, "L": 0.4, "m": 0.5, "start": %g, "e": 1}}),
                                     formulations[f], starts[k]);
      model_run run = model_run_changed("NewtonsCradle", with);
      const mbs_array *eigenvalues = mbs_result_array(run.result, "eigenvalues");
      assert_int_equal(eigenvalues->shape[0], 10);
      for (size_t i = 0; i < 10; i++)
        assert_close(fabs(eigenvalues->data[2 * i + 1]), sqrt(0.4 * g / (0.16 + 0.4 * 0.0025)), 1e-6);
      model_run_free(&run);
    }
}

/* The slope of friction that slips: m x'' = -(mu_d + c x') N gives -c N/m. */
static void test_linearization_of_slip(void **state) {
  (void)state;
  char *text = slider(PART("upper": 10), "");
  char *document = models_merged(text, JSON({
                                   "forces": [{
                                     "name": "dry",
                                     "type": "friction",
                                     "joint": "j",
                                     "law": "coulomb",
                                     "mu_dynamic": 0.2,
                                     "viscous": 0.4,
                                     "preload": 5
                                   }]
                                 }));
  free(text);
  EACH(f, dim) {
    model_run run =
        run_with(model_run_in(dim, models_text("%s", document)),
                 models_text(PART("analysis": {"type": "linearization", "about": "state",
                                                           "formulation": "%s"}),
                                  formulations[f]));
    model_run_require(&run);
    double least = 0;
    for (size_t k = 0; k < run.result->report.mode_count; k++)
      least = fmin(least, run.result->report.modes[k].eigenvalue[0]);
    assert_close(least, -0.4 * 5 / 2, 1e-6);
    model_run_free(&run);
  }
  free(document);
}

/* Assembly shows the accelerations, forces and reactions of the first row of dynamics. */
static void test_assembly(void **state) {
  (void)state;
  static const char *const arrays[] = {"rdd", "forces", "reactions", "Lam", "energy"};
  EACH(f, dim) {
    char *documents[] = {model_run_in(dim, incline(0.3, 0, 1, 0.5, 0.4)),
                         model_run_in(dim, incline(0.3, -2, 1, 0.5, 0.4)),
                         model_run_in(dim, drawer(30, 0.3, 0.4)),
                         model_run_in(dim, unbalanced(0.5, g, 0)),
                         model_run_in(dim, unbalanced(0.5, g, 3)),
                         model_run_in(dim, unbalanced(5, g, 0)),
                         box(dim, 0.7, 0.4),
                         model_run_in(dim, slider(PART("upper": 0), "")), model_run_in(dim, on_spring(0.3)),
                                      model_run_in(dim, on_spring(0.1)),
                                      ball(dim, dim == 2 ? 5 : 4, 0.1, PART("restitution": 0.5))};
    for (size_t k = 0; k < sizeof documents / sizeof *documents; k++) {
      model_run first = run_with(models_text("%s", documents[k]), dynamics(f, 0.01, 0.01));
      model_run run = run_with(documents[k], analysis(f, "assembly"));
      model_run_require(&first);
      model_run_require(&run);
      for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
        /* work and losses begin with the motion */
        const size_t columns = strcmp(arrays[a], "energy") == 0 ? 2 : models_columns(run.result, arrays[a]);
        for (size_t c = 0; c < columns; c++) {
          const double one = model_run_value(&first, arrays[a], 0, c), two = model_run_value(&run, arrays[a], 0, c);
          if (!(fabs(one - two) <= 1e-10 * (1 + fabs(one))))
            fail_msg("document %zu: %s[%zu] is %.15g, in dynamics %.15g", k, arrays[a], c, two, one);
        }
      }
      assert_int_equal(run.result->report.sticking_count, first.result->report.sticking_count);
      model_run_free(&first);
      model_run_free(&run);
    }
  }
}

/* ---- prescribed motions -------------------------------------------------------------------------------------- */

/* A box that a driver moves comes to a slab from above at t = 0.4, or from its side at 0.7; one that slides along the
 * slab may do so. Kinematics, inverse dynamics and dynamics agree. */
static void test_driven_into_each_other(void **unused) {
  (void)unused;
  MODEL(text,
      {"space": "planar", "gravity": [0, -10],
       "ground": {"points": {"O": [0, %g]}, "vectors": {"u": [1, 0], "v": [0, 1]},
                  "shapes": [{"type": "rectangle", "name": "slab", "at": [0, -0.2], "width": 1, "height": 0.4}]},
       "bodies": [{"name": "b", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0]},
                   "vectors": {"u": [1, 0], "v": [0, 1]},
                   "shapes": [{"type": "rectangle", "name": "box", "width": 0.2, "height": 0.2}]}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.%s", "b.%s"], "initial": {"position": %g}}],
       "drivers": [{"name": "d", "type": "joint", "joint": "j", "function": "%s"}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "shapes": ["ground.slab", "b.box"]}],
       "analysis": {"type": "%s", "t_end": 1, "dt": 0.5, "formulation": "%s"}});
  static const char *const types[] = {"kinematics", "inverse-dynamics", "dynamics"};
  const struct {
    double height, start;
    const char *along, *function;
    double t;
  } cases[] = {{0, 0.5, "v", "0.5 - t", 0.4}, {-0.1, -2, "u", "-2 + 2*t", 0.7}, {0.1, 0, "u", "0.3*sin(t)", NAN}};
  for (int k = 0; k < 18; k++) {
    const size_t i = (size_t)k / 6;
    model_run run = model_run_text(text, cases[i].height, cases[i].along, cases[i].along, cases[i].start,
                                   cases[i].function, types[k / 2 % 3], k % 2 ? "body" : "joint");
    if (isnan(cases[i].t)) {
      model_run_require(&run);
    } else {
      assert_int_equal(run.status, MBS_LOCK_UP);
      assert_string_equal(run.error.element, "c");
      assert_close(run.error.time, cases[i].t, 1e-8);
    }
    model_run_free(&run);
  }
}

/* A driven plate presses a ball onto the floor: the impacts between them do not end. The error names the contact. */
static void test_crushed(void **unused) {
  (void)unused;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0], "v": [0, 1]}},
       "bodies": [{"name": "ball", "mass": 1, "inertia": 0.01,
                   "shapes": [{"type": "circle", "name": "rim", "radius": 0.1}],
                   "initial": {"position": [0, 0.5], "velocity": [0, 1]}},
                  {"name": "plate", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"v": [0, 1]},
                   "shapes": [{"type": "rectangle", "name": "r", "width": 2, "height": 0.1}]}],
       "joints": [{"name": "g", "type": "translational", "points": ["ground.O", "plate.C"],
                   "vectors": ["ground.v", "plate.v"], "initial": {"position": 1.05}}],
       "drivers": [{"name": "d", "type": "joint", "joint": "g", "function": "1.05 - t"}],
       "forces": [{"name": "c", "type": "contact", "shapes": ["ball.rim", "plate.r"], "line": ["ground.O", "ground.u"],
                   "law": "rigid"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "formulation": "%s"}});
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(text, f ? "body" : "joint");
    assert_int_equal(run.status, MBS_LOCK_UP);
    assert_non_null(strstr(run.error.element, "c["));
    assert_null(strstr(run.error.message, "null"));
    assert_close(run.error.time, 0.8, 1e-8);
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_driven_into_each_other),
      cmocka_unit_test(test_crushed),
      cmocka_unit_test(test_breakaway),
      cmocka_unit_test(test_thrown_up),
      cmocka_unit_test(test_belt),
      cmocka_unit_test(test_viscous),
      cmocka_unit_test(test_drawer),
      cmocka_unit_test(test_driven_slip),
      cmocka_unit_test(test_driven_start),
      cmocka_unit_test(test_driven_crank),
      cmocka_unit_test(test_prescribed),
      cmocka_unit_test(test_bearing),
      cmocka_unit_test(test_pendulum_runs_down),
      cmocka_unit_test(test_long_bearing),
      cmocka_unit_test(test_ball_joint),
      cmocka_unit_test(test_sleeve),
      cmocka_unit_test(test_straight_line),
      cmocka_unit_test(test_turning_slip),
      cmocka_unit_test(test_given_load),
      cmocka_unit_test(test_one_coordinate),
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_penetrating_start),
      cmocka_unit_test(test_row_of_an_impact),
      cmocka_unit_test(test_cradle),
      cmocka_unit_test(test_corner),
      cmocka_unit_test(test_oblique_discs),
      cmocka_unit_test(test_rod_impact),
      cmocka_unit_test(test_tipping),
      cmocka_unit_test(test_two_corners),
      cmocka_unit_test(test_shares_of_two_points),
      cmocka_unit_test(test_shares_within_cones),
      cmocka_unit_test(test_outputs_of_several),
      cmocka_unit_test(test_stack),
      cmocka_unit_test(test_stack_of_boxes),
      cmocka_unit_test(test_end_of_a_table),
      cmocka_unit_test(test_slides_then_rolls),
      cmocka_unit_test(test_beyond_the_end),
      cmocka_unit_test(test_capsules),
      cmocka_unit_test(test_belt_in_space),
      cmocka_unit_test(test_rolling_friction),
      cmocka_unit_test(test_rolling_friction_holds),
      cmocka_unit_test(test_compliant_dry_friction),
      cmocka_unit_test(test_compliant_corners),
      cmocka_unit_test(test_rigid_limits),
      cmocka_unit_test(test_limit_holds),
      cmocka_unit_test(test_compliant_limits),
      cmocka_unit_test(test_limit_of_turns),
      cmocka_unit_test(test_empty_limits),
      cmocka_unit_test(test_limit_exceeded),
      cmocka_unit_test(test_undetermined_load),
      cmocka_unit_test(test_painleve),
      cmocka_unit_test(test_equilibrium),
      cmocka_unit_test(test_equilibrium_at_contact),
      cmocka_unit_test(test_equilibrium_of_laws),
      cmocka_unit_test(test_bar_on_segment),
      cmocka_unit_test(test_round_an_end),
      cmocka_unit_test(test_led_round_an_end),
      cmocka_unit_test(test_slides_round_an_end),
      cmocka_unit_test(test_geneva_drive),
      cmocka_unit_test(test_falling_arc),
      cmocka_unit_test(test_arc_as_circle),
      cmocka_unit_test(test_equilibrium_held_by_laws),
      cmocka_unit_test(test_linearization),
      cmocka_unit_test(test_linearization_of_slip),
      cmocka_unit_test(test_touching_without_force),
      cmocka_unit_test(test_assembly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
