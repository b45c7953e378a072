/* mbs.h - the public interface of libmbs, the multibody solver of mbsd.
 *
 * A model document is a tree of nodes (`mbs_node`). Each node has a class (`mbs_class`), which lists its fields with
 * their kinds, units, bounds and defaults. A program that reads documents (api/ reads JSON) walks the tables of
 * classes, so that it knows no element by name. The life of a model:
 *
 *     node tree --mbs_model_build--> mbs_model (immutable) --mbs_run--> mbs_result (arrays and report)
 *
 * libmbs knows no JSON, HTTP, SQL, threads or files, and it has no global variables. examples/ has programs that use
 * it. */
#ifndef MBS_H
#define MBS_H

#define MBS_VERSION "0.3.0"

#include "mbs/arena.h"
#include "mbs/check.h"
#include "mbs/document.h"
#include "mbs/equations.h"
#include "mbs/formula.h"
#include "mbs/inspect.h"
#include "mbs/model.h"
#include "mbs/optimize.h"
#include "mbs/result.h"
#include "mbs/run.h"
#include "mbs/scene.h"
#include "mbs/session.h"
#include "mbs/status.h"
#include "mbs/study.h"
#include "mbs/verification.h"

#endif
