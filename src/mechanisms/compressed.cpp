// Memory-compressed attention: keys and values pass a convolution with a stride. A window of the
// padded sequence is a row of kernel_size x width numbers that lie side by side, and the next one
// begins a stride later: the convolution is one matrix product.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "check.hpp"
#include "mechanisms/call.hpp"
#include "mechanisms/catalogue.hpp"
#include "mechanisms/drawn.hpp"
#include "memory.hpp"
#include "qkv/fewer_keys.hpp"
#include "qkv/linear.hpp"
#include "text.hpp"
#include "threads/pool.hpp"

namespace qkv {
namespace {

// Where the windows of a sequence lie.
struct Windows {
  Windows(Index length, const CompressedOptions& options) noexcept
      : length(length),
        stride(options.stride),
        kernel_size(options.kernel_size),
        count(length / stride + (length % stride != 0 ? 1 : 0)),
        first_end(length - 1 - (count - 1) * stride),
        padding(std::max<Index>(kernel_size - 1 - first_end, 0)),
        start(first_end - kernel_size + 1 + padding) {}

  // How many windows end at query i or before.
  Index until(Index i) const noexcept {
    return i < first_end ? 0 : std::min(count, (i - first_end) / stride + 1);
  }

  Index length, stride, kernel_size;
  Index count;
  Index first_end;  // the last key of window 0
  Index padding;    // zeros in front of the sequence
  Index start;      // of window 0 in the padded sequence
};

Status check_kernel(const char* name, const ConstTensorView& kernel, Index width, Index size,
                    Heads& heads) {
  QKV_TRY(add_within(name, kernel, 3, heads));
  const Shape own(kernel.shape.begin() + (kernel.shape.rank() - 3), 3);
  if (own == Shape{width, width, size}) return {};
  return shape_error(name, ": expected [", width, ", ", width, ", ", size, "], saw ", kernel.shape);
}

// kernel [out, in, k] to a weight [out, k in], in which what meets one key lies side by side.
void arrange(const ConstTensorView& kernel, float* weight) {
  const Index width = kernel.shape[1], size = kernel.shape[2];
  for (Index out = 0; out < kernel.shape[0]; ++out) {
    const float* from = kernel.data + out * kernel.strides[0];
    for (Index k = 0; k < size; ++k) {
      for (Index in = 0; in < width; ++in) {
        *weight++ = from[in * kernel.strides[1] + k * kernel.strides[2]];
      }
    }
  }
}

// The windows of `rows` through the kernel, for every head, to [..., extra + windows, width]; the
// extra one is `front`.
Status compress(const Heads& heads, const Windows& windows, const ConstTensorView& rows,
                const ConstTensorView& kernel, const ConstTensorView& front,
                Buffer<float>& result) {
  const Index width = rows.shape.back(0), count = heads.count();
  const Index extra = is_given(front) ? 1 : 0;
  const Index long_as = (windows.padding + windows.length) * width;
  const Index step = (extra + windows.count) * width;
  QKV_TRY(result.reserve(count * step));
  if (result.size() == 0) return {};
  Buffer<float> padded, weight;
  QKV_TRY(padded.reserve(count * long_as));
  QKV_TRY(weight.reserve(width * windows.kernel_size * width));

  parallel_for(count, workers_for(static_cast<double>(count * long_as)), [&](Index head, int) {
    float* own = padded.data() + head * long_as;
    std::fill_n(own, windows.padding * width, 0.0f);
    gather_rows(heads.at(rows, 2, head), nullptr, windows.length, own + windows.padding * width);
    if (extra == 0) return;
    gather_rows({front.data, {1, width}, {0, front.strides[0]}}, nullptr, 1,
                result.data() + head * step);
  });
  if (windows.count == 0) return {};
  // A kernel that all heads share takes one product.
  const Index inputs = windows.kernel_size * width;
  const Index together = kernel.shape.rank() == 3 ? count : 1;
  for (Index head = 0; head < count; head += together) {
    arrange(heads.at(kernel, 3, head), weight.data());
    QKV_TRY(try_linear({padded.data() + head * long_as + windows.start * width,
                        {together, windows.count, inputs}, {long_as, windows.stride * width, 1}},
                       {weight.data(), {width, inputs}}, {},
                       {result.data() + head * step + extra * width,
                        {together, windows.count, width}, {step, width, 1}}));
  }
  return {};
}

Status check_options(Index width, Index value_width, const CompressedOptions& options,
                     Heads& heads) {
  if (options.stride < 1) return argument_error("stride: expected 1 or more, saw ", options.stride);
  const Index size = options.kernel_size;
  if (size < 1) return argument_error("kernelSize: expected 1 or more, saw ", size);
  QKV_TRY(check_kernel("keyKernel", options.key_kernel, width, size, heads));
  QKV_TRY(check_kernel("valueKernel", options.value_kernel, value_width, size, heads));
  if (is_given(options.null_key) != is_given(options.null_value)) {
    return argument_error("nullKey and nullValue come together; saw only ",
                          is_given(options.null_key) ? "nullKey" : "nullValue");
  }
  if (!is_given(options.null_key)) return {};
  QKV_TRY(check_shape("nullKey", options.null_key, {width}));
  return check_shape("nullValue", options.null_value, {value_width});
}

}  // namespace

Status try_compressed_attention(const ConstTensorView& query, const ConstTensorView& key,
                                const ConstTensorView& value, const TensorView& result,
                                const CompressedOptions& options) noexcept {
  return guarded([&]() -> Status {
    Heads heads;
    QKV_TRY(check_call(query, key, value, result, heads));
    const Index width = key.shape.back(0), value_width = value.shape.back(0);
    QKV_TRY(check_options(width, value_width, options, heads));

    const Windows windows(key.shape.back(1), options);
    const Index extra = is_given(options.null_key) ? 1 : 0;
    Buffer<float> keys, values;
    QKV_TRY(compress(heads, windows, key, options.key_kernel, options.null_key, keys));
    QKV_TRY(compress(heads, windows, value, options.value_kernel, options.null_value, values));

    AttentionOptions exact;
    Buffer<KeyRange> ranges;
    if (options.causal) {
      const Index queries = query.shape.back(1);
      QKV_TRY(ranges.reserve(queries));
      for (Index i = 0; i < queries; ++i) {
        ranges[i] = {0, static_cast<std::int32_t>(extra + windows.until(i))};
      }
      exact.mask = range_mask(ranges.data(), 0);
    }
    return try_attention(query, {keys.data(), heads.with(extra + windows.count, width)},
                         {values.data(), heads.with(extra + windows.count, value_width)}, result,
                         exact);
  });
}

namespace {

constexpr MechanismParameter parameters[] = {
    {"stride", 3, 1}, {"kernelSize", 3, 1}, {"seed", 0, 0}};

MechanismCost cost(Index n, Index d, const double* p) {
  const double tokens = static_cast<double>(n), windows = std::ceil(tokens / p[0]);
  return {2 * windows * d * (p[1] * d + tokens),
          4 * (tokens * d + 3 * windows * d + 5 * p[1] * d * d)};
}

constexpr const char* weight_names[] = {"keyKernel", "valueKernel"};

Status draw(Index, Index d, const double* p, Tensor* weights) {
  const Shape shape{d, d, static_cast<Index>(p[1])};
  const double deviation = 1 / std::sqrt(static_cast<double>(d) * p[1]);
  QKV_TRY(drawn::normal(p[2], 0, shape, deviation, weights[0]));
  return drawn::normal(p[2], weights[0].size(), shape, deviation, weights[1]);
}

Status run(const ConstTensorView& x, const double* p, const ConstTensorView* weights,
           const TensorView& result) {
  CompressedOptions options;
  options.stride = static_cast<Index>(p[0]);
  options.kernel_size = static_cast<Index>(p[1]);
  options.key_kernel = weights[0];
  options.value_kernel = weights[1];
  return try_compressed_attention(x, x, x, result, options);
}

}  // namespace

const Mechanism catalogue::compressed = {
    .name = "compressed",
    .title = "Memory-compressed attention",
    .paper = "Liu et al. 2018, arXiv:1801.10198",
    .year = 2018,
    .family = Family::fewer_keys,
    .exact = false,
    .causal = true,
    .time = "n^2 d / stride + n kernelSize d^2 / stride",
    .memory = "n d",
    .trap = "Still quadratic, stride times cheaper; a window may be seen only from its last token "
            "on, so the first queries of a causal model see nothing without a null key.",
    .parameters = parameters,
    .weights = weight_names,
    .cost = cost,
    .draw = draw,
    .run = run,
};

}  // namespace qkv
