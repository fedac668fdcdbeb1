#include <algorithm>
#include <utility>

#include "mask/node.hpp"
#include "mechanisms/synthesizer_call.hpp"
#include "memory.hpp"
#include "qkv/linear.hpp"
#include "strided.hpp"

namespace qkv {
namespace {

// Scores of so many pairs are made at once, over all batch entries and heads, but of at least a
// band of queries: memory then grows with the length and not with its square.
constexpr Index budget = Index{1} << 20;

// A mask of all queries, read for those from `first` on.
class LaterQueries final : public MaskNode {
 public:
  LaterQueries(const Mask& mask, Index first, Index all) : mask_(mask), first_(first), all_(all) {}

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    MaskDims whole = dims;
    whole.query_length = all_;
    RulePointer inner;
    Status status = mask_.node()->bind(whole, inner);
    if (status.ok()) rule = make_rule<Rule>(whole, first_, std::move(inner));
    return status;
  }

 private:
  struct Rule final : MaskRule {
    Rule(const MaskDims& dims, Index first, RulePointer inner)
        : dims(dims), first(first), inner(std::move(inner)) {}
    TileStates tiles(const MaskDims&, const Band& band, Index word) const override {
      return inner->tiles(dims, moved(band), word);
    }
    void bits(const MaskDims&, const Band& band, Index tile, std::uint64_t* rows) const override {
      inner->bits(dims, moved(band), tile, rows);
    }
    Band moved(Band band) const noexcept {
      band.first += first;
      return band;
    }

    const MaskDims dims;
    const Index first;
    const RulePointer inner;
  };

  const Mask mask_;
  const Index first_, all_;
};

// Rows [first, first + count) of the last axis but one.
ConstTensorView rows_of(const ConstTensorView& view, Index first, Index count) noexcept {
  ConstTensorView part = view;
  part.data += first * view.strides.back(1);
  part.shape[part.shape.rank() - 2] = count;
  return part;
}
TensorView rows_of(const TensorView& view, Index first, Index count) noexcept {
  const ConstTensorView part = rows_of(ConstTensorView(view), first, count);
  return {const_cast<float*>(part.data), part.shape, part.strides};
}

ConstTensorView transposed(const ConstTensorView& view) noexcept {
  ConstTensorView turned = view;
  const int last = view.shape.rank() - 1;
  std::swap(turned.shape[last], turned.shape[last - 1]);
  std::swap(turned.strides[last], turned.strides[last - 1]);
  return turned;
}

// One head of an operand with `own` axes behind that of the heads; the operand itself if it has
// none, and its only one if it has one.
ConstTensorView head_of(const ConstTensorView& view, int own, Index head) noexcept {
  const int axis = view.shape.rank() - own - 1;
  if (axis < 0) return view;
  ConstTensorView part(view.data, Shape(view.shape.begin(), view.shape.rank() - 1u),
                       Shape(view.strides.begin(), view.shape.rank() - 1u));
  part.data += (view.shape[axis] > 1 ? head : 0) * view.strides[axis];
  for (int at = axis; at < part.shape.rank(); ++at) {
    part.shape[at] = view.shape[at + 1];
    part.strides[at] = view.strides[at + 1];
  }
  return part;
}

TensorView head_of(const TensorView& view, int own, Index head) noexcept {
  const ConstTensorView part = head_of(ConstTensorView(view), own, head);
  return {const_cast<float*>(part.data), part.shape, part.strides};
}

// The scores of a band of queries, [leading axes, rows, tokens], where the leading axes broadcast
// to those of the result.
class Scores {
 public:
  explicit Scores(const SynthesizerCall& call) noexcept : call_(call), length_(call.length) {}

  // Queries of a band. Errors: memory.
  Status reserve(Index& rows) noexcept {
    Index entries = 0;
    if (call_.dense) {
      dense_shape_ = call_.x.shape;
      with_heads(dense_shape_, call_.dense_heads);
      entries += leading(dense_shape_);
      join(dense_shape_);
    }
    if (call_.factorized) {
      factorized_shape_ = {0, 0};
      with_heads(factorized_shape_, call_.factorized_heads);
      entries += leading(factorized_shape_);
      join(factorized_shape_);
    }
    if (call_.random) join(call_.options.random.shape);
    if (sources_ > 1) entries += leading(sum_shape_);
    rows = length_;
    if (entries == 0) return {};  // what is given is used as it lies
    const Index fitting = budget / std::max<Index>(entries * length_, 1) / tile_size * tile_size;
    rows = std::min(std::max(fitting, tile_size), length_);
    if (call_.dense) {
      QKV_TRY(dense_.reserve(leading(dense_shape_) * rows * length_));
      QKV_TRY(hidden_.reserve(leading(dense_shape_) * rows * hidden()));
    }
    if (call_.factorized) {
      QKV_TRY(factorized_.reserve(leading(factorized_shape_) * rows * length_));
    }
    if (sources_ > 1) QKV_TRY(sum_.reserve(leading(sum_shape_) * rows * length_));
    return {};
  }

  Status make(Index first, Index rows, ConstTensorView& scores) noexcept {
    if (sources_ > 1) {
      scores = {sum_.data(), sized(sum_shape_, rows, length_)};
      std::fill_n(sum_.data(), scores.shape.elements(), 0.0f);
    }
    if (call_.dense) {
      const TensorView made(dense_.data(), sized(dense_shape_, rows, length_));
      QKV_TRY(make_dense(first, rows, made));
      take(made, scores);
    }
    if (call_.factorized) {
      const TensorView made(factorized_.data(), sized(factorized_shape_, rows, length_));
      QKV_TRY(make_factorized(first, rows, made));
      take(made, scores);
    }
    if (call_.random) {
      ConstTensorView part = rows_of(call_.options.random, first, rows);
      part.shape[part.shape.rank() - 1] = length_;
      take(part, scores);
    }
    return {};
  }

 private:
  Index hidden() const noexcept { return call_.options.weight_1.shape.back(1); }

  static Index leading(const Shape& shape) noexcept {
    Index entries = 1;
    for (int axis = 0; axis + 2 < shape.rank(); ++axis) entries *= shape[axis];
    return entries;
  }
  static Shape sized(Shape shape, Index rows, Index columns) noexcept {
    shape[shape.rank() - 2] = rows;
    shape[shape.rank() - 1] = columns;
    return shape;
  }
  // The last leading axis counts `heads`, if there are any.
  static void with_heads(Shape& shape, Index heads) noexcept {
    if (heads == 0) return;
    if (shape.rank() == 2) shape = {1, shape[0], shape[1]};
    Index& own = shape[shape.rank() - 3];
    own = std::max(own, heads);
  }
  void join(Shape shape) noexcept {
    ++sources_;
    broadcast(sum_shape_, sized(shape, 1, 1), sum_shape_);
  }

  // The only scores, or some of several.
  void take(const ConstTensorView& made, ConstTensorView& scores) noexcept {
    if (sources_ == 1) {
      scores = made;
      return;
    }
    Strides strides;
    broadcast_strides(made.shape, made.strides, scores.shape, strides);
    const Index step = strides.back(0);
    for_each_row(scores.shape, scores.strides, [&](Index row, Index to) {
      const float* from =
          made.data + offset_of(row, scores.shape, strides, scores.shape.rank() - 1);
      for (Index j = 0; j < length_; ++j) sum_[to + j] += from[j * step];
    });
  }

  Status make_dense(Index first, Index rows, const TensorView& made) noexcept {
    const ConstTensorView x = rows_of(call_.x, first, rows);
    const SynthesizerOptions& options = call_.options;
    const TensorView hidden(hidden_.data(), sized(dense_shape_, rows, this->hidden()));
    if (call_.dense_heads == 0) {
      return make_dense(x, options.weight_1, options.bias_1, options.weight_2, options.bias_2,
                        hidden, made);
    }
    for (Index head = 0; head < dense_shape_.back(2); ++head) {
      QKV_TRY(make_dense(head_of(x, 2, head), head_of(options.weight_1, 2, head),
                         head_of(options.bias_1, 1, head), head_of(options.weight_2, 2, head),
                         head_of(options.bias_2, 1, head), head_of(hidden, 2, head),
                         head_of(made, 2, head)));
    }
    return {};
  }

  Status make_dense(const ConstTensorView& x, const ConstTensorView& weight_1,
                    const ConstTensorView& bias_1, const ConstTensorView& weight_2,
                    const ConstTensorView& bias_2, const TensorView& hidden,
                    const TensorView& made) noexcept {
    QKV_TRY(try_linear(x, weight_1, bias_1, hidden));
    for_each_row(hidden.shape, hidden.strides, [&](Index, Index at) {
      float* row = hidden.data + at;
      for (Index h = 0; h < hidden.shape.back(0); ++h) row[h] = row[h] < 0 ? 0 : row[h];
    });
    ConstTensorView bias = bias_2;
    if (bias) bias.shape[0] = length_;
    return try_linear(hidden, rows_of(weight_2, 0, length_), bias, made);
  }

  Status make_factorized(Index first, Index rows, const TensorView& made) noexcept {
    const ConstTensorView& left = call_.options.left;
    const ConstTensorView right = rows_of(transposed(call_.options.right), 0, length_);
    const Index heads = std::max<Index>(call_.factorized_heads, 1);
    for (Index head = 0; head < heads; ++head) {
      QKV_TRY(try_linear(rows_of(head_of(left, 2, head), first, rows), head_of(right, 2, head), {},
                         call_.factorized_heads == 0 ? made : head_of(made, 2, head)));
    }
    return {};
  }

  const SynthesizerCall& call_;
  const Index length_;
  int sources_ = 0;
  // Their leading axes count, the last two do not.
  Shape dense_shape_, factorized_shape_, sum_shape_{1, 1};
  Buffer<float> dense_, hidden_, factorized_, sum_;
};

Status synthesize(const SynthesizerCall& call, const ConstTensorView& value,
                  const TensorView& result) {
  Scores scores(call);
  Index rows = 0;
  QKV_TRY(scores.reserve(rows));

  // Queries and keys that score 0: what is left is the bias.
  static constexpr float zero = 0;
  const Index length = call.length;
  Strides same = call.result;
  for (int axis = 0; axis < same.rank(); ++axis) same[axis] = 0;
  const ConstTensorView key(&zero, {length, 1}, {0, 0});
  AttentionOptions options;
  options.score = score::Dot{};
  options.mask = call.options.mask;
  for (Index first = 0; first < length; first += rows) {
    const Index count = std::min(rows, length - first);
    QKV_TRY(scores.make(first, count, options.bias));
    if (rows < length && !call.options.mask.all()) {
      options.mask = make_mask<LaterQueries>(call.options.mask, first, length);
    }
    Shape queries = call.result;
    queries[queries.rank() - 2] = count;
    queries[queries.rank() - 1] = 1;
    QKV_TRY(try_attention({&zero, queries, same}, key, value, rows_of(result, first, count),
                          options));
  }
  return {};
}

}  // namespace

Status synthesizer_shape(const ConstTensorView& x, const ConstTensorView& value,
                         Shape& shape) noexcept {
  return guarded([&]() -> Status {
    QKV_TRY(check_view("x", x, 2));
    QKV_TRY(check_view("value", value, 2));
    if (x.shape.back(1) != value.shape.back(1)) {
      return shape_error("x and value differ in length: ", x.shape.back(1), " tokens in ", x.shape,
                         " and ", value.shape.back(1), " in ", value.shape);
    }
    if (attention_shape(x, value, value, shape).ok()) return {};
    return shape_error("leading axes of x and value do not fit: x ", x.shape, ", value ",
                       value.shape);
  });
}

Status try_synthesizer(const ConstTensorView& x, const ConstTensorView& value,
                       const TensorView& result, const SynthesizerOptions& options) noexcept {
  return guarded([&]() -> Status {
    SynthesizerCall call(options, x);
    QKV_TRY(synthesizer_shape(x, value, call.result));
    QKV_TRY(check_shape("result", result, call.result));
    QKV_TRY(call.check());
    return synthesize(call, value, result);
  });
}

}  // namespace qkv
