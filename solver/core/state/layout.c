#include "state/layout.h"

#include <assert.h>

mbs_state_layout mbs_state_layout_of(size_t nq, size_t nv, size_t nz, bool has_power, size_t turns) {
  mbs_state_layout at = {.v = nq, .z = nq + nv, .quadratures = nq + nv + nz};
  at.motion = at.quadratures;
  assert(at.motion == nq + nv + nz);
  at.turns = at.quadratures + (has_power ? MBS_QUADRATURES : 0);
  at.size = at.turns + turns;
  return at;
}
