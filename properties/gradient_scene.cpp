#include "gradient_scene.hpp"

namespace ulpfuzz::properties {
namespace {

Scene empty_scene(const GradientTrial& t, const Network& network, std::size_t batch) {
  return {.network = network,
          .parameters = t.trial.c.parameters,
          .arithmetic = t.trial.subject.arithmetic(),
          .batch = batch};
}

bool full(const Scene& scene) {
  const std::size_t each = scene.elements.size() / scene.entries.size();
  return scene.elements.size() + each > most_elements;
}

}  // namespace

Scene reverse_scene(const GradientTrial& t, const Jacobian& j, const Place& place) {
  const Case& c = t.trial.c;
  Scene scene = empty_scene(t, t.derived.loop, c.batch());
  scene.inputs = [&c](Gather& gather, std::span<const Gather::Entry> entries) {
    return gather.entries(c, entries);
  };
  const auto add = [&](Gather::Entry e) {
    const auto entry = static_cast<std::uint32_t>(scene.entries.size());
    scene.entries.push_back(e);
    for (std::uint32_t w = 0; w < j.blocks.size(); ++w) {
      const auto count = static_cast<std::uint32_t>(j.elements[w]);
      const float* values = j.blocks[w].data() + (e.row * j.outputs + e.column) * count;
      for (std::uint32_t i = 0; i < count; ++i) {
        scene.elements.push_back({entry, w, entry * count + i, values[i]});
      }
    }
  };
  add({place.row, place.column});
  for (std::uint32_t i = 0; i < j.batch * j.outputs && !full(scene); ++i) {
    const auto outputs = static_cast<std::uint32_t>(j.outputs);
    const Gather::Entry e{i / outputs, i % outputs};
    if (e.row != place.row || e.column != place.column) add(e);
  }
  scene.case_rows = static_cast<std::uint32_t>(c.batch());
  scene.columns = static_cast<std::uint32_t>(j.outputs);
  return scene;
}

Scene forward_scene(const GradientTrial& t, const Jacobian& j, const Place& place) {
  const Case& c = t.trial.c;
  const auto count = static_cast<std::uint32_t>(j.elements[place.wrt] * j.outputs);
  Scene scene = empty_scene(t, t.derived.forward[place.wrt], c.batch());
  scene.inputs = [&c](Gather& gather, std::span<const Gather::Entry> entries) {
    std::vector<std::uint32_t> rows;
    for (const Gather::Entry& e : entries) rows.push_back(e.row);
    return gather.rows(c, rows);
  };
  const auto add = [&](std::uint32_t row) {
    const auto entry = static_cast<std::uint32_t>(scene.entries.size());
    scene.entries.push_back({row, 0});
    const float* values = j.blocks[place.wrt].data() + row * count;
    for (std::uint32_t i = 0; i < count; ++i) {
      scene.elements.push_back({entry, 0, entry * count + i, values[i]});
    }
  };
  add(place.row);
  for (std::uint32_t r = 0; r < c.batch() && !full(scene); ++r) {
    if (r != place.row) add(r);
  }
  scene.case_rows = static_cast<std::uint32_t>(c.batch());
  scene.shift = static_cast<std::uint32_t>(j.outputs);
  scene.entry_size = count;
  scene.tangents = true;
  return scene;
}

Scene summed_scene(const GradientTrial& t, const BatchSum& sum) {
  const Case& c = t.trial.c;
  Scene scene = empty_scene(t, t.derived.summed, sum.rows.size());
  scene.inputs = [&c, &sum](Gather& gather, std::span<const Gather::Entry>) {
    return gather.with_cotangents(c, sum.rows);
  };
  scene.entries.emplace_back();
  scene.summed_rows = sum.rows.size();
  for (std::size_t p = 0; p < sum.gradients.size(); ++p) {
    const auto output = static_cast<std::uint32_t>(c.inputs.size() + p);
    for (std::uint32_t i = 0; i < sum.gradients[p].size(); ++i) {
      scene.elements.push_back({0, output, i, sum.gradients[p][i]});
    }
  }
  return scene;
}

}  // namespace ulpfuzz::properties
