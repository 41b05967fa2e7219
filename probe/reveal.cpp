#include "reveal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "masks.hpp"
#include "random.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::probe {
namespace {

/// What stops a revelation: no tree explains what was counted.
struct NoTree {
  std::string why;
};

class Builder {
 public:
  Builder(Site& site, const Masks& masks, std::uint64_t seed)
      : site_(site), masks_(masks), random_(seed) {}

  SumTree build() {
    std::vector<std::size_t> all(site_.terms());
    std::iota(all.begin(), all.end(), std::size_t{0});
    tree_.root = subtrees(all, all.size() + 1).front();
    check_other_pairs();
    tree_.revealed = true;
    return tree_;
  }

 private:
  /// Splits `set` into subtrees whose terms meet one another below the node of size `top`, where
  /// those of different subtrees meet. The terms that a pivot meets at sizes l1 < l2 < .. join its
  /// subtree in that order; those of one size are one sibling of it, or several that are added at
  /// once (then the recursion returns several).
  std::vector<std::size_t> subtrees(std::vector<std::size_t> set, std::size_t top) {
    std::vector<std::size_t> result;
    while (!set.empty()) {
      std::swap(set[random_.below(set.size())], set.back());
      const std::size_t pivot = set.back();
      set.pop_back();
      std::map<std::size_t, std::vector<std::size_t>> groups;
      for (const std::size_t j : set) groups[measure(pivot, j)].push_back(j);
      std::size_t current = leaf(pivot);
      std::size_t covered = 1;
      set.clear();
      for (auto& [size, members] : groups) {
        if (size > top)
          throw NoTree{fmt::format("term {} meets others in a sum of {} within one of {}", pivot,
                                   size, top)};
        if (size == top) {
          set.insert(set.end(), members.begin(), members.end());
          continue;
        }
        covered += members.size();
        if (covered != size)
          throw NoTree{
              fmt::format("term {} meets {} others in a sum of {}", pivot, covered - 1, size)};
        std::vector<std::size_t> children = subtrees(std::move(members), size);
        children.push_back(current);
        current = join(std::move(children));
      }
      result.push_back(current);
    }
    return result;
  }

  std::size_t measure(std::size_t i, std::size_t j) {
    std::string why;
    const auto size = meeting_size(site_, masks_, i, j, why);
    if (!size) throw NoTree{why};
    return *size;
  }

  std::size_t leaf(std::size_t term) {
    tree_.nodes.push_back({{}, term});
    return tree_.nodes.size() - 1;
  }

  // `term` of an inner node is its least one.
  std::size_t join(std::vector<std::size_t> children) {
    std::sort(children.begin(), children.end(), [&](std::size_t a, std::size_t b) {
      return tree_.nodes[a].term < tree_.nodes[b].term;
    });
    const std::size_t least = tree_.nodes[children.front()].term;
    tree_.nodes.push_back({std::move(children), least});
    return tree_.nodes.size() - 1;
  }

  void check_other_pairs() {
    const std::size_t n = site_.terms();
    const std::size_t pairs = std::min<std::size_t>(2 * n, 128);
    for (std::size_t p = 0; p < pairs; ++p) {
      const std::size_t i = n <= pairs ? p % n : random_.below(n);
      const std::size_t j = (i + 1 + random_.below(n - 1)) % n;
      const std::size_t found = measure(i, j);
      const std::size_t expected = meeting_size(tree_, i, j);
      if (found != expected)
        throw NoTree{
            fmt::format("terms {} and {} meet in a sum of {}, but of {} in the tree that "
                        "other pairs gave: no fixed tree",
                        i, j, found, expected)};
    }
  }

  Site& site_;
  const Masks& masks_;
  Random random_;
  SumTree tree_;
};

bool same_each_time(Site& site, std::span<const Term> terms, int calls) {
  const float first = site.ask(terms);
  for (int call = 1; call < calls; ++call)
    if (!same_bits(site.ask(terms), first)) return false;
  return true;
}

SumTree untold(std::string why) {
  SumTree tree;
  tree.why = std::move(why);
  return tree;
}

}  // namespace

bool repeats_itself(Site& site) {
  std::vector<Term> terms(site.terms());
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = {1.0f + 0.01f * static_cast<float>(i), i % 3 == 0 ? -0.7f : 0.9f};
  constexpr int more_vectors = 15;
  if (!same_each_time(site, terms, 5)) return false;
  Random random(1);
  for (int v = 0; v < more_vectors && !site.subject().deterministic(); ++v) {
    for (Term& t : terms) t = {random.number(), random.number()};
    if (!same_each_time(site, terms, 16)) return false;
  }
  return true;
}

std::optional<std::size_t> lost_term(Site& site) {
  for (std::size_t i = 0; i < site.terms(); ++i)
    if (site.ask({{i, {1, 1}}}) != 1) return i;
  return std::nullopt;
}

SumTree reveal(Site& site, std::uint64_t seed) {
  if (site.terms() < 2) return untold("fewer than two terms");
  if (!repeats_itself(site)) return untold(std::string(other_bits));
  std::string why;
  const std::optional<Masks> masks = choose_masks(site, why);
  if (!masks) return untold("no terms that vanish beside others: " + why);
  try {
    SumTree tree = Builder(site, *masks, seed).build();
    tree.bias = site.has_bias();
    return tree;
  } catch (const NoTree& reason) {
    return untold(std::string(no_tree) + reason.why);
  }
}

std::vector<std::size_t> parents(const SumTree& tree) {
  std::vector<std::size_t> up(tree.nodes.size(), tree.root);
  for (std::size_t id = 0; id < tree.nodes.size(); ++id)
    for (const std::size_t child : tree.nodes[id].children) up[child] = id;
  return up;
}

std::size_t some_leaf(const SumTree& tree, std::size_t id) {
  while (!tree.nodes[id].children.empty()) id = tree.nodes[id].children.front();
  return tree.nodes[id].term;
}

std::size_t meeting_size(const SumTree& tree, std::size_t i, std::size_t j) {
  const std::vector<std::size_t> up = parents(tree);
  std::vector<std::size_t> size(tree.nodes.size());
  std::vector<bool> above_i(tree.nodes.size());
  std::size_t at = 0;
  for (std::size_t id = 0; id < tree.nodes.size(); ++id) {
    const auto& node = tree.nodes[id];
    if (node.children.empty()) size[id] = 1;
    for (const std::size_t child : node.children) size[id] += size[child];
    if (!node.children.empty()) continue;
    if (node.term == j) at = id;
    for (std::size_t a = id; node.term == i && !above_i[a]; a = up[a]) above_i[a] = true;
  }
  while (!above_i[at]) at = up[at];
  return size[at];
}

}  // namespace ulpfuzz::probe
