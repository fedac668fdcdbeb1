// Attention on the edges of a graph, here of a small world.
#include <algorithm>
#include <vector>

#include "mechanisms/patterns.hpp"
#include "memory.hpp"
#include "random/philox.hpp"
#include "text.hpp"

namespace qkv {
namespace {

constexpr MechanismParameter graph_parameters[] = {
    {"neighbours", 4, 0}, {"randomEdges", 2, 0}, {"seed", 0, 0}};

// A ring in which everyone knows itself and `neighbours` on each side, and for each node some edges
// to any others, which go both ways.
class SmallWorld {
 public:
  SmallWorld(Index n, const double* parameters)
      : n_(n),
        reach_(std::min(whole(parameters[0]), n / 2)),
        random_(n > 1 ? std::min(whole(parameters[1]), n) : 0),
        seed_(static_cast<std::uint64_t>(parameters[2])) {}

  double columns() const {
    return static_cast<double>(n_) * static_cast<double>(1 + 2 * reach_ + 2 * random_);
  }

  Status build(Mask& mask) const {
    // A vector cannot report refused memory everywhere; ask first, for the two copies of a mask.
    const Index memory = Shape{3, n_, 2 + 2 * reach_ + 2 * random_}.elements();
    QKV_TRY(Buffer<Index>().reserve(memory >= 0 ? memory : INT64_MAX));
    // Counted, then placed: offsets[i + 1] first counts node i's edges, then walks through them.
    std::vector<Index> offsets(static_cast<std::size_t>(n_) + 2, 0);
    each_edge([&](Index from, Index) { ++offsets[static_cast<std::size_t>(from) + 2]; });
    for (std::size_t node = 2; node < offsets.size(); ++node) offsets[node] += offsets[node - 1];
    std::vector<Index> columns(static_cast<std::size_t>(offsets.back()));
    each_edge([&](Index from, Index to) {
      columns[static_cast<std::size_t>(offsets[static_cast<std::size_t>(from) + 1]++)] = to;
    });
    offsets.pop_back();
    mask = mask::edges(std::move(offsets), std::move(columns));
    return {};
  }

 private:
  template <class Body>
  void each_edge(const Body& body) const {
    for (Index node = 0; node < n_; ++node) {
      for (Index step = -reach_; step <= reach_; ++step) body(node, (node + step + n_) % n_);
      for (Index edge = 0; edge < random_; ++edge) {
        const random::Counter drawn =
            random::draw(seed_, random::Stream::mask, static_cast<std::uint64_t>(node),
                         static_cast<std::uint64_t>(edge));
        const std::uint64_t wide = std::uint64_t{drawn[0]} << 32 | drawn[1];
        const Index away = 1 + static_cast<Index>(wide % static_cast<std::uint64_t>(n_ - 1));
        const Index other = (node + away) % n_;
        body(node, other);
        body(other, node);
      }
    }
  }

  Index n_, reach_, random_;
  std::uint64_t seed_;
};

Status graph_mask(Index n, const double* parameters, Mask& mask) {
  return SmallWorld(n, parameters).build(mask);
}

MechanismCost graph_cost(Index n, Index d, const double* parameters) {
  const double columns = SmallWorld(n, parameters).columns();
  const auto tokens = static_cast<double>(n);
  MechanismCost cost = pair_cost(std::min(columns, tokens * tokens), n, d);
  cost.bytes += 2 * 8 * (columns + tokens);
  return cost;
}

}  // namespace

const Mechanism catalogue::graph = {
    .name = "graph",
    .title = "Graph attention",
    .paper = "Veli\u010dkovi\u0107 et al. 2018, arXiv:1710.10903",
    .year = 2018,
    .family = Family::exact,
    .exact = true,
    .causal = false,
    .time = "n (neighbours + randomEdges) d",
    .memory = "n (d + neighbours + randomEdges)",
    .trap = "A pair without an edge is excluded: scores multiplied by the adjacency matrix give it "
            "the score 0 instead, and with it a weight.",
    .parameters = graph_parameters,
    .cost = graph_cost,
    .run = run_masked<graph_mask>,
    .pattern = show_mask<graph_mask>};

}  // namespace qkv
