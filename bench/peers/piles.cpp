/* piles.cpp - runs a document of MuJoCo: bench/peers/piles FILE SECONDS STEP. Prints processor time, steps, the most
 * contacts at once and the deepest penetration; bench/stacks.py calls it for the same piles as ours. */
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace {

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int run(const char *path, double seconds, double step) {
  char why[1000] = "";
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model(mj_loadXML(path, nullptr, why, sizeof why), mj_deleteModel);
  if (!model) {
    std::fprintf(stderr, "%s: %s\n", path, why);
    return 1;
  }
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(model.get()), mj_deleteData);
  model->opt.timestep = step;
  int contacts = 0, steps = 0;
  double deepest = 0;
  const double before = processor_seconds();
  for (; data->time < seconds - 0.5 * step; steps++) {
    mj_step(model.get(), data.get());
    contacts = std::max(contacts, data->ncon);
    for (int i = 0; i < data->ncon; i++) deepest = std::min(deepest, data->contact[i].dist);
  }
  std::printf("%.4f s %d steps %d contacts %.2g m deep\n", processor_seconds() - before, steps, contacts, -deepest);
  return 0;
}

} // namespace

int main(int count, char **arguments) {
  if (count == 4) return run(arguments[1], std::atof(arguments[2]), std::atof(arguments[3]));
  std::fprintf(stderr, "usage: %s FILE SECONDS STEP\n", arguments[0]);
  return 2;
}
