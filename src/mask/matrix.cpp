// Masks given as data: explicit matrices, one bit per pair, and segment ids.
#include <algorithm>

#include "check.hpp"
#include "mask/node.hpp"
#include "memory.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {
namespace {

// The bits of a boolean tensor, row by row, each row starting a new word.
struct BitMatrix {
  Shape shape;
  Index words = 0;  // per row
  std::vector<std::uint64_t> bits;
};

BitMatrix pack(const BoolView& matrix) {
  BitMatrix packed;
  packed.shape = matrix.shape;
  if (!check_view("", matrix, 1).ok()) return packed;  // bind refuses it
  const Index width = matrix.shape.back(0);
  packed.words = ceil_div(width, 64);
  for_each_row(matrix.shape, matrix.strides, [&](Index, Index offset) {
    for (Index first = 0; first < width; first += 64) {
      std::uint64_t word = 0;
      for (Index j = first; j < std::min(first + 64, width); ++j) {
        if (matrix.data[offset + j * matrix.strides.back(0)] != 0) {
          word |= std::uint64_t{1} << (j - first);
        }
      }
      packed.bits.push_back(word);
    }
  });
  return packed;
}

// A bit matrix read as if it had all of a call's axes.
class MatrixRule final : public MaskRule {
 public:
  MatrixRule(std::shared_ptr<const BitMatrix> matrix, const Shape& leading, const Strides& rows,
             Index row_step, bool one_column, std::uint64_t flip)
      : matrix_(std::move(matrix)),
        leading_(leading),
        lead_rows_(rows),
        row_step_(row_step),
        one_column_(one_column),
        flip_(flip) {}

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    const Index last = std::min((word + 1) * tiles_in_word, ceil_div(dims.key_length, tile_size));
    TileStates states{0, ~std::uint64_t{0}};
    for (Index i = 0; i < band.rows; ++i) {
      const std::uint64_t* row = row_of(dims, band, i);
      for (Index tile = word * tiles_in_word; tile < last; ++tile) {
        const std::uint64_t bit = std::uint64_t{1} << (tile - word * tiles_in_word);
        const std::uint64_t valid = bit_range(0, dims.key_length - tile * tile_size);
        const std::uint64_t pairs = word_of(row, tile) & valid;
        if (pairs != 0) states.any |= bit;
        if (pairs != valid) states.all &= ~bit;
      }
    }
    return states;
  }

  void bits(const MaskDims& dims, const Band& band, Index tile, std::uint64_t* rows) const override {
    for (Index i = 0; i < band.rows; ++i) rows[i] = word_of(row_of(dims, band, i), tile);
  }

 private:
  const std::uint64_t* row_of(const MaskDims& dims, const Band& band, Index i) const {
    const Index lead = offset_of(band.batch * dims.heads() + band.head, leading_, lead_rows_,
                                 leading_.rank());
    return matrix_->bits.data() + (lead + (band.first + i) * row_step_) * matrix_->words;
  }
  std::uint64_t word_of(const std::uint64_t* row, Index tile) const {
    const std::uint64_t word = one_column_ ? ((row[0] & 1) != 0 ? ~std::uint64_t{0} : 0) : row[tile];
    return word ^ flip_;
  }

  std::shared_ptr<const BitMatrix> matrix_;
  Shape leading_;
  Strides lead_rows_;  // step in rows along each leading axis
  Index row_step_;
  bool one_column_;
  std::uint64_t flip_;
};

class Matrix final : public MaskNode {
 public:
  Matrix(const BoolView& matrix, bool keep)
      : view_(matrix), matrix_(std::make_shared<BitMatrix>(pack(matrix))), keep_(keep) {}

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    QKV_TRY(check_view(keep_ ? "mask.keep" : "mask.ignore", view_, 1));
    Shape full = dims.leading;
    full = Shape(full.begin(), static_cast<std::size_t>(full.rank()) + 2);
    full[full.rank() - 2] = dims.query_length;
    full[full.rank() - 1] = dims.key_length;
    Strides strides;
    const Shape& shape = matrix_->shape;
    if (!broadcast_strides(shape, row_major(shape), full, strides)) {
      return shape_error(keep_ ? "mask.keep" : "mask.ignore", ": a matrix of shape ", shape,
                         " does not broadcast to ", full);
    }
    const Index width = shape.back(0);
    const bool one_column = width == 1 && dims.key_length != 1;
    // From strides in pairs to steps in rows.
    Strides lead(strides.begin(), static_cast<std::size_t>(dims.leading.rank()));
    for (int axis = 0; axis < lead.rank(); ++axis) lead[axis] = width > 0 ? lead[axis] / width : 0;
    const Index row_step = width > 0 ? strides.back(1) / width : 0;
    rule = make_rule<MatrixRule>(matrix_, dims.leading, lead, row_step, one_column,
                                        keep_ ? 0 : ~std::uint64_t{0});
    return {};
  }

 private:
  BoolView view_;  // as it was given, to be checked; its data may be gone
  std::shared_ptr<const BitMatrix> matrix_;
  bool keep_;
};

class Segments final : public SelfRule {
 public:
  Segments(std::vector<Index> query, std::vector<Index> key, Index batch)
      : query_(std::move(query)), key_(std::move(key)), batch_(batch) {
    if (!consistent()) return;  // check refuses it
    key_length_ = static_cast<Index>(key_.size()) / batch_;
    query_length_ = static_cast<Index>(query_.size()) / batch_;
    // Smallest and largest id of each key tile: documents packed in order then skip tiles.
    for (Index row = 0; row < batch_; ++row) {
      for (Index first = 0; first < key_length_; first += tile_size) {
        const auto from = key_.begin() + row * key_length_ + first;
        const auto ends = std::minmax_element(from, from + std::min(tile_size, key_length_ - first));
        ranges_.emplace_back(*ends.first, *ends.second);
      }
    }
  }

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    const Index tiles = ceil_div(dims.key_length, tile_size);
    const Index* ids = query_ids(band);
    const auto ends = std::minmax_element(ids, ids + band.rows);
    TileStates states;
    const Index last = std::min((word + 1) * tiles_in_word, tiles);
    for (Index tile = word * tiles_in_word; tile < last; ++tile) {
      const auto& [low, high] = ranges_[static_cast<std::size_t>(row_of(band) * tiles + tile)];
      const std::uint64_t bit = std::uint64_t{1} << (tile - word * tiles_in_word);
      if (low <= *ends.second && high >= *ends.first) states.any |= bit;
      if (low == high && *ends.first == low && *ends.second == low) states.all |= bit;
    }
    return states;
  }

  void bits(const MaskDims& dims, const Band& band, Index tile, std::uint64_t* rows) const override {
    const Index* ids = query_ids(band);
    const Index* keys = key_.data() + row_of(band) * dims.key_length + tile * tile_size;
    const Index count = std::min(tile_size, dims.key_length - tile * tile_size);
    for (Index i = 0; i < band.rows; ++i) {
      rows[i] = 0;
      for (Index j = 0; j < count; ++j) {
        rows[i] |= std::uint64_t{keys[j] == ids[i]} << j;
      }
    }
  }

 protected:
  Status check(const MaskDims& dims) const override {
    if (!consistent()) {
      return shape_error("mask.segments: ", query_.size(), " query ids and ", key_.size(),
                         " key ids do not form ", batch_, " rows");
    }
    if (query_length_ != dims.query_length || key_length_ != dims.key_length) {
      return shape_error("mask.segments: ids for ", query_length_, " queries and ", key_length_,
                         " keys; the call has ", dims.query_length, " and ", dims.key_length);
    }
    if (batch_ != 1 && batch_ != dims.batch()) {
      return shape_error("mask.segments: ids for a batch of ", batch_, "; the call has ",
                         dims.batch());
    }
    return {};
  }

 private:
  bool consistent() const {
    return batch_ > 0 && static_cast<Index>(query_.size()) % batch_ == 0 &&
           static_cast<Index>(key_.size()) % batch_ == 0;
  }
  Index row_of(const Band& band) const { return batch_ == 1 ? 0 : band.batch; }
  const Index* query_ids(const Band& band) const {
    return query_.data() + row_of(band) * query_length_ + band.first;
  }

  std::vector<Index> query_, key_;
  Index batch_;
  Index query_length_ = 0, key_length_ = 0;
  std::vector<std::pair<Index, Index>> ranges_;
};

}  // namespace

namespace mask {

Mask keep(const BoolView& matrix) { return make_mask<Matrix>(matrix, true); }
Mask ignore(const BoolView& matrix) { return make_mask<Matrix>(matrix, false); }

Mask segments(std::vector<Index> query, std::vector<Index> key, Index batch) {
  return make_mask<Segments>(std::move(query), std::move(key), batch);
}

}  // namespace mask
}  // namespace qkv
