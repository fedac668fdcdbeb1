#include "attention/band_scratch.hpp"

#include "mask/node.hpp"

namespace qkv {
namespace {

// Distances between the pieces of a scratch, in floats.
struct Pieces {
  Index queries, raw, query_rows, scores, bias, output, row_output, safe_values, rows, pending, all;

  Pieces(const Problem& problem, const Kernels& kernels) noexcept {
    const Index lanes = kernels.lanes, width = problem.score_width, values = problem.value_width;
    Index at = 0;
    const auto cut = [&](Index& piece, Index floats) {
      piece = at;
      at += ceil_div(floats, 16) * 16;  // each begins on a cache line
    };
    cut(queries, tile_size * width);
    cut(raw, lanes * problem.query_width);
    cut(query_rows, tile_size * width);
    cut(scores, tile_size * tile_size);
    cut(bias, problem.bias.data != nullptr ? tile_size * lanes : 0);
    cut(output, tile_size * values);
    cut(row_output, tile_size * values);
    cut(safe_values, problem.may_exclude ? tile_size * values : 0);
    cut(rows, lanes * values);
    static_assert(sizeof(std::int32_t) == sizeof(float));
    cut(pending, tile_size * tile_size);
    all = at;
  }
};

}  // namespace

Index BandScratch::floats(const Problem& problem, const Kernels& kernels) noexcept {
  return Pieces(problem, kernels).all;
}

BandScratch::BandScratch(float* memory, const Problem& problem, const Kernels& kernels) noexcept {
  const Pieces pieces(problem, kernels);
  queries = memory + pieces.queries;
  raw = memory + pieces.raw;
  query_rows = memory + pieces.query_rows;
  scores = memory + pieces.scores;
  bias = memory + pieces.bias;
  output = memory + pieces.output;
  row_output = memory + pieces.row_output;
  safe_values = memory + pieces.safe_values;
  rows = memory + pieces.rows;
  pending = reinterpret_cast<std::int32_t*>(memory + pieces.pending);
}

}  // namespace qkv
