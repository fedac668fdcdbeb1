// The kernels that work on panels of queries, one by one: each table against plain sums in double
// precision and against the scalar table.
#include <gtest/gtest.h>

#include "support/numbers.hpp"
#include "support/tables.hpp"

namespace qkv::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_float = std::numeric_limits<float>::quiet_NaN();

constexpr Index key_counts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 17, 63, 64};
constexpr Index widths[] = {0, 1, 2, 3, 5, 7, 8, 9, 16, 31, 33};

class PanelKernel : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels_ = *GetParam();
};

std::vector<float> run_scores(const Kernels& kernels, const std::vector<float>& queries,
                              const std::vector<float>& keys, Index count, Index width) {
  std::vector<float> scores(static_cast<std::size_t>(count * columns));
  Block<float> packed = packed_keys(kernels, keys, count, width);
  for (Index first = 0; first < columns; first += kernels.lanes) {
    Block<float> panel = panel_of(kernels, queries, first);
    Block<float> out(count * kernels.lanes, nan_float);
    kernels.scores(out.data(), panel.data(), packed.data(), count, width);
    put_panel(kernels, out, first, scores);
  }
  return scores;
}

TEST_P(PanelKernel, Scores) {
  Numbers numbers(1);
  for (const Index count : key_counts) {
    for (const Index width : widths) {
      const std::vector<float> queries = numbers.list(width * columns);
      const std::vector<float> keys = numbers.list(count * width);
      std::vector<double> want;
      for (Index j = 0; j < count; ++j) {
        for (Index i = 0; i < columns; ++i) {
          double sum = 0;
          for (Index d = 0; d < width; ++d) {
            sum += static_cast<double>(queries[d * columns + i]) * keys[j * width + d];
          }
          want.push_back(sum);
        }
      }
      const std::vector<float> got = run_scores(kernels_, queries, keys, count, width);
      ASSERT_TRUE(agree(got, want)) << count << " keys of width " << width;
      ASSERT_TRUE(agree(got, run_scores(*arch::scalar(), queries, keys, count, width)));
    }
  }
}

// One query or key that is not finite must not touch its neighbours.
TEST_P(PanelKernel, ScoresKeepNanInItsRowAndColumn) {
  std::vector<float> queries(3 * columns, 1.0f), keys(7 * 3, 1.0f);
  queries[1 * columns + 5] = nan_float;
  keys[4 * 3 + 2] = infinity;
  const std::vector<float> got = run_scores(kernels_, queries, keys, 7, 3);
  for (Index j = 0; j < 7; ++j) {
    for (Index i = 0; i < columns; ++i) {
      const float score = got[static_cast<std::size_t>(j * columns + i)];
      if (i == 5) {
        EXPECT_TRUE(std::isnan(score)) << j;
      } else {
        EXPECT_EQ(score, j == 4 ? infinity : 3.0f) << j << " " << i;
      }
    }
  }
}

std::vector<float> run_additive(const Kernels& kernels, const std::vector<float>& queries,
                                std::vector<float> keys, Index key_step,
                                const std::vector<float>& vector, Index count, Index width) {
  std::vector<float> scores(static_cast<std::size_t>(count * columns));
  Block<float> key_block(keys), vector_block(vector);
  for (Index first = 0; first < columns; first += kernels.lanes) {
    Block<float> panel = panel_of(kernels, queries, first);
    Block<float> out(count * kernels.lanes, nan_float);
    kernels.additive_scores(out.data(), panel.data(), key_block.data(), key_step,
                            vector_block.data(), count, width);
    put_panel(kernels, out, first, scores);
  }
  return scores;
}

TEST_P(PanelKernel, AdditiveScores) {
  Numbers numbers(2);
  for (const Index count : {0, 1, 2, 13}) {
    for (const Index width : widths) {
      const Index step = width + 2;
      const std::vector<float> queries = numbers.list(width * columns, -2, 2);
      const std::vector<float> vector = numbers.list(width);
      // The last key ends where its block ends.
      std::vector<float> keys =
          numbers.list(count > 0 ? (count - 1) * step + width : 0, -2, 2);
      std::vector<double> want;
      for (Index j = 0; j < count; ++j) {
        for (Index i = 0; i < columns; ++i) {
          double sum = 0;
          for (Index h = 0; h < width; ++h) {
            sum += vector[h] *
                   std::tanh(static_cast<double>(queries[h * columns + i]) + keys[j * step + h]);
          }
          want.push_back(sum);
        }
      }
      const std::vector<float> got = run_additive(kernels_, queries, keys, step, vector, count, width);
      ASSERT_TRUE(agree(got, want, {1e-6, 2e-6})) << count << " keys of width " << width;
      ASSERT_TRUE(agree(
          got, run_additive(*arch::scalar(), queries, keys, step, vector, count, width), {1e-6, 2e-6}));
    }
  }
}

TEST_P(PanelKernel, SelectClosesExactlyTheClearBits) {
  Numbers numbers(3);
  std::vector<std::uint64_t> allowed;
  for (Index j = 0; j < 13; ++j) allowed.push_back(numbers.bits());
  allowed.insert(allowed.end(), {0, ~std::uint64_t{0}, 1, std::uint64_t{1} << 63});
  const auto count = static_cast<Index>(allowed.size());
  // Behind a closed bit there may be anything.
  std::vector<float> scores = numbers.list(count * columns);
  for (std::size_t i = 0; i < scores.size(); i += 7) scores[i] = nan_float;
  for (std::size_t i = 3; i < scores.size(); i += 11) scores[i] = infinity;
  Block<std::uint64_t> bits(allowed);
  for (Index first = 0; first < columns; first += kernels_.lanes) {
    Block<float> panel = panel_of(kernels_, scores, first);
    kernels_.select(panel.data(), bits.data(), static_cast<int>(first), count);
    for (Index j = 0; j < count; ++j) {
      for (Index i = 0; i < kernels_.lanes; ++i) {
        const bool open = (allowed[static_cast<std::size_t>(j)] >> (first + i) & 1) != 0;
        const float before = scores[static_cast<std::size_t>(j * columns + first + i)];
        const float after = panel[j * kernels_.lanes + i];
        if (!open) {
          ASSERT_EQ(after, -infinity);
        } else if (std::isnan(before)) {
          ASSERT_TRUE(std::isnan(after));
        } else {
          ASSERT_EQ(after, before);
        }
      }
    }
  }
}

// The state of an online softmax after some tiles of keys.
struct SoftmaxRun {
  std::vector<float> weights, maximum, sum, factor;
};

SoftmaxRun run_softmax(const Kernels& kernels, const std::vector<std::vector<float>>& tiles) {
  SoftmaxRun run;
  run.maximum.resize(columns);
  run.sum.resize(columns);
  run.factor.resize(columns);
  for (const auto& tile : tiles) run.weights.insert(run.weights.end(), tile.begin(), tile.end());
  for (Index first = 0; first < columns; first += kernels.lanes) {
    Block<float> maximum(kernels.lanes, -infinity), sum(kernels.lanes, 0), factor(kernels.lanes, nan_float);
    std::size_t at = 0;
    for (const auto& tile : tiles) {
      Block<float> panel = panel_of(kernels, tile, first);
      kernels.softmax(panel.data(), static_cast<Index>(tile.size()) / columns, maximum.data(),
                      sum.data(), factor.data());
      std::vector<float> weights(tile.size());
      for (std::size_t i = 0; i < tile.size(); ++i) weights[i] = run.weights[at + i];
      put_panel(kernels, panel, first, weights);
      std::copy(weights.begin(), weights.end(), run.weights.begin() + static_cast<std::ptrdiff_t>(at));
      at += tile.size();
    }
    for (Index i = 0; i < kernels.lanes; ++i) {
      run.maximum[static_cast<std::size_t>(first + i)] = maximum[i];
      run.sum[static_cast<std::size_t>(first + i)] = sum[i];
      run.factor[static_cast<std::size_t>(first + i)] = factor[i];
    }
  }
  return run;
}

TEST_P(PanelKernel, SoftmaxOfSeveralTiles) {
  Numbers numbers(4);
  // Magnitudes from tile to tile that make the maximum rise, fall, and come late; a tile of no keys.
  std::vector<std::vector<float>> tiles = {numbers.list(5 * columns, -3, 3), {},
                                           numbers.list(64 * columns, -30, -10),
                                           numbers.list(1 * columns, 5, 9),
                                           numbers.list(13 * columns, -1, 10)};
  // Lanes that see nothing at first, late, or ever.
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    for (std::size_t i = 0; i < tiles[t].size(); ++i) {
      const std::size_t lane = i % columns;
      if (lane == 3 || (lane == 4 && t < 2) || (lane == 5 && t > 2) || numbers.chance(0.1)) {
        tiles[t][i] = -infinity;
      }
    }
  }
  const SoftmaxRun got = run_softmax(kernels_, tiles);
  for (Index lane = 0; lane < columns; ++lane) {
    double maximum = -HUGE_VAL, sum = 0;
    for (const auto& tile : tiles) {
      for (std::size_t i = static_cast<std::size_t>(lane); i < tile.size(); i += columns) {
        maximum = std::fmax(maximum, tile[i]);
      }
    }
    for (const auto& tile : tiles) {
      for (std::size_t i = static_cast<std::size_t>(lane); i < tile.size(); i += columns) {
        if (tile[i] != -infinity) sum += std::exp(tile[i] - maximum);
      }
    }
    EXPECT_EQ(got.maximum[static_cast<std::size_t>(lane)], static_cast<float>(maximum));
    EXPECT_NEAR(got.sum[static_cast<std::size_t>(lane)], sum, 1e-6 * sum) << lane;
  }
  EXPECT_EQ(got.sum[3], 0);
  const SoftmaxRun scalar = run_softmax(*arch::scalar(), tiles);
  EXPECT_TRUE(agree(got.weights, scalar.weights));
  EXPECT_TRUE(agree(got.factor, scalar.factor));
  EXPECT_TRUE(agree(got.maximum, scalar.maximum, {0, 0}));
}

TEST_P(PanelKernel, SoftmaxKeepsNanInItsLane) {
  // In every place of a column, and beside infinities.
  for (Index at = 0; at < 5; ++at) {
    std::vector<float> tile(5 * columns, 1.0f);
    tile[static_cast<std::size_t>(at * columns + 2)] = nan_float;
    tile[static_cast<std::size_t>(at * columns + 3)] = infinity;  // infinity less infinity
    const SoftmaxRun got = run_softmax(kernels_, {tile, std::vector<float>(columns, 0.5f)});
    for (std::size_t lane = 0; lane < columns; ++lane) {
      if (lane == 2 || lane == 3) {
        EXPECT_TRUE(std::isnan(got.sum[lane])) << at << " " << lane;
      } else {
        EXPECT_NEAR(got.sum[lane], 5 + std::exp(-0.5), 1e-5) << at << " " << lane;
      }
    }
  }
}

TEST_P(PanelKernel, Relu) {
  Numbers numbers(5);
  for (const Index count : key_counts) {
    std::vector<float> scores = numbers.list(count * columns);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (i % columns == 1) scores[i] = -infinity;
    }
    if (count > 2) scores[2 * columns + 7] = nan_float;
    std::vector<float> weights(scores.size()), sums(columns);
    for (Index first = 0; first < columns; first += kernels_.lanes) {
      Block<float> panel = panel_of(kernels_, scores, first);
      Block<float> sum(kernels_.lanes, 0.25f);
      kernels_.relu(panel.data(), count, sum.data());
      put_panel(kernels_, panel, first, weights);
      for (Index i = 0; i < kernels_.lanes; ++i) sums[static_cast<std::size_t>(first + i)] = sum[i];
    }
    std::vector<double> want_sums(columns, 0.25);
    std::vector<float> want(scores);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (want[i] < 0) want[i] = 0;
      want_sums[i % columns] += want[i];
    }
    ASSERT_TRUE(agree(weights, want, {0, 0})) << count;
    ASSERT_TRUE(agree(sums, want_sums)) << count;
  }
}

std::vector<float> run_aggregate(const Kernels& kernels, const std::vector<float>& start,
                                 const std::vector<float>& weights, const std::vector<float>& values,
                                 Index value_step, Index count, Index width,
                                 const std::vector<float>& factor) {
  std::vector<float> output(start);
  Block<float> value_block(values);
  for (Index first = 0; first < columns; first += kernels.lanes) {
    Block<float> out = panel_of(kernels, start, first);
    Block<float> panel = panel_of(kernels, weights, first);
    Block<float> factors = panel_of(kernels, factor, first);
    kernels.aggregate(out.data(), panel.data(), value_block.data(), value_step, count, width,
                      factors.data());
    put_panel(kernels, out, first, output);
  }
  return output;
}

TEST_P(PanelKernel, Aggregate) {
  Numbers numbers(6);
  for (const Index count : key_counts) {
    for (const Index width : widths) {
      const Index step = width + 3;
      const std::vector<float> start = numbers.list(width * columns);
      const std::vector<float> weights = numbers.list(count * columns, 0, 0.25f);
      const std::vector<float> values = numbers.list(count > 0 ? (count - 1) * step + width : 0);
      const std::vector<float> factor = numbers.list(columns, 0, 1);
      std::vector<double> want;
      for (Index d = 0; d < width; ++d) {
        for (Index i = 0; i < columns; ++i) {
          double sum = static_cast<double>(start[d * columns + i]) * factor[i];
          for (Index j = 0; j < count; ++j) {
            sum += static_cast<double>(weights[j * columns + i]) * values[j * step + d];
          }
          want.push_back(sum);
        }
      }
      const std::vector<float> got =
          run_aggregate(kernels_, start, weights, values, step, count, width, factor);
      ASSERT_TRUE(agree(got, want)) << count << " values of width " << width;
      ASSERT_TRUE(agree(got, run_aggregate(*arch::scalar(), start, weights, values, step, count,
                                           width, factor)));
    }
  }
}

TEST(KernelTables, AreWellFormed) {
  ASSERT_FALSE(kernel_tables().empty());
  EXPECT_EQ(kernel_tables().size(), backends().size());
  EXPECT_STREQ(kernel_tables()[0]->name, "scalar");
  for (const Kernels* table : kernel_tables()) {
    EXPECT_GT(table->lanes, 0) << table->name;
    EXPECT_EQ(64 % table->lanes, 0) << table->name;
    EXPECT_GT(table->rows, 0) << table->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, PanelKernel, testing::ValuesIn(kernel_tables()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace qkv::test
