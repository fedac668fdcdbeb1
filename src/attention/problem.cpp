#include "attention/problem.hpp"

#include <cmath>

#include "check.hpp"
#include "strided.hpp"
#include "text.hpp"

namespace qkv {
namespace {

Shape head_of(const Shape& shape, int axes) {
  return Shape(shape.begin(), static_cast<std::size_t>(axes));
}

template <class Element>
BasicRows<Element> rows_of(const BasicView<Element>& view) {
  BasicRows<Element> rows;
  rows.data = view.data;
  rows.row_step = view.strides.back(1);
  rows.step = view.strides.back(0);
  return rows;
}

Status check_score(const ConstTensorView& query, const ConstTensorView& key, Problem& problem) {
  const Index query_width = problem.query_width, key_width = problem.key_width;
  problem.score_width = key_width;
  if (const auto* additive = std::get_if<score::Additive>(&problem.options->score)) {
    const Index hidden = additive->vector.shape.rank() > 0 ? additive->vector.shape[0] : 0;
    QKV_TRY(check_shape("score.additive.vector", additive->vector, {hidden}));
    QKV_TRY(check_shape("score.additive.queryWeight", additive->query_weight,
                         {hidden, query_width}));
    QKV_TRY(check_shape("score.additive.keyWeight", additive->key_weight, {hidden, key_width}));
    problem.score_width = hidden;
    return {};
  }
  if (const auto* bilinear = std::get_if<score::Bilinear>(&problem.options->score)) {
    return check_shape("score.bilinear.weight", bilinear->weight, {query_width, key_width});
  }
  if (query_width != key_width) {
    return shape_error("query and key differ in width: ", query_width, " in ", query.shape,
                       " and ", key_width, " in ", key.shape);
  }
  return {};
}

Status check_numbers(Problem& problem) {
  const AttentionOptions& options = *problem.options;
  if (options.scale) {
    if (!std::isfinite(*options.scale)) {
      return argument_error("scale: expected a finite number, saw ", *options.scale);
    }
    problem.scale = *options.scale;
  } else if (problem.scores_by<score::ScaledDot>() && problem.key_width > 0) {
    problem.scale = 1 / std::sqrt(static_cast<float>(problem.key_width));
  }
  if (!(std::isfinite(options.softcap) && options.softcap >= 0)) {
    return argument_error("softcap: expected a number of 0 or more, saw ", options.softcap);
  }
  if (options.dropout) {
    const float p = options.dropout->p;
    if (!(p >= 0 && p <= 1)) {
      return argument_error("dropout.p: expected a probability from 0 to 1, saw ", p);
    }
    problem.keep_scale = p < 1 ? 1 / (1 - p) : 0;
  }
  return {};
}

// The call's full shape of scores.
Shape score_shape(const Problem& problem, bool with_head_axis) {
  const int axes = problem.leading.rank();
  Shape shape(problem.leading.begin(), static_cast<std::size_t>(axes) + 2);
  shape[axes] = problem.query_length;
  shape[axes + 1] = problem.key_length;
  return with_head_axis ? shape : Shape(shape.begin() + axes, 2);
}

Status check_extras(bool with_head_axis, Problem& problem) {
  const AttentionOptions& options = *problem.options;
  const int axes = problem.leading.rank();
  const Shape full = score_shape(problem, true);

  if (options.bias) {
    QKV_TRY(check_view("bias", options.bias, 0));
    Strides strides;
    if (!broadcast_strides(options.bias.shape, options.bias.strides, full, strides)) {
      return shape_error("bias: shape ", options.bias.shape, " does not broadcast to ",
                         score_shape(problem, with_head_axis));
    }
    problem.bias = {options.bias.data, strides.back(1), strides.back(0),
                    head_of(strides, axes), 0};
  }

  if (options.sinks) {
    const Shape expected{problem.heads};
    QKV_TRY(check_shape("sinks", options.sinks, expected));
    if (!problem.normalized_by<normalizer::Softmax>()) {
      return argument_error("sinks: they join the softmax; the normalizer is another one");
    }
  }

  // Further results have every leading axis of the output.
  const auto attach = [&](const char* name, const TensorView& view, int tail,
                          OutputRows& rows) -> Status {
    if (!view) return {};
    const Shape all = score_shape(problem, with_head_axis);
    const Shape expected(all.begin(), static_cast<std::size_t>(all.rank() - 2 + tail));
    QKV_TRY(check_shape(name, view, expected));
    rows.data = view.data;
    const int own = view.shape.rank();
    rows.row_step = view.strides[own - tail];
    rows.step = view.strides[own - 1];
    Strides lead(problem.leading);
    for (int axis = 0; axis < axes; ++axis) lead[axis] = with_head_axis ? view.strides[axis] : 0;
    rows.lead = lead;
    return {};
  };
  QKV_TRY(attach("returns.weights", options.returns.weights, 2, problem.weights));
  QKV_TRY(attach("returns.scores", options.returns.scores, 2, problem.scores));
  QKV_TRY(attach("returns.logSumExp", options.returns.log_sum_exp, 1, problem.log_sum_exp));
  if (options.returns.log_sum_exp && !problem.normalized_by<normalizer::Softmax>()) {
    return argument_error("returns.logSumExp: only the softmax has one; the normalizer is another");
  }
  return {};
}

// See resolve. The mask was bound before, and keeps its heads.
void fold_heads(Problem& problem) noexcept {
  if (problem.query_length != 1 || problem.group == 1) return;
  const int head = problem.leading.rank() - 1;
  const auto fold = [&](auto& rows) {
    rows.row_step = rows.lead[head];
    rows.lead[head] *= problem.group;
  };
  fold(problem.query);
  for (OutputRows* rows : {&problem.output, &problem.weights, &problem.scores,
                           &problem.log_sum_exp}) {
    if (rows->data != nullptr) fold(*rows);
  }
  if (problem.bias.data != nullptr) fold(problem.bias);
  problem.folded = problem.query_length = problem.group;
  problem.heads = problem.leading[head] = problem.kv_heads;
  problem.group = 1;
}

}  // namespace

Index Problem::kv_offset(const Rows& rows, Index at_batch, Index kv_head) const noexcept {
  const int axes = leading.rank() - 1;
  return offset_of(at_batch, leading, rows.lead, axes) + kv_head * rows.head_step;
}

Status resolve_shapes(const ConstTensorView& query, const ConstTensorView& key,
                      const ConstTensorView& value, Problem& problem, Shape& result_shape) {
  QKV_TRY(check_view("query", query, 2));
  QKV_TRY(check_view("key", key, 2));
  QKV_TRY(check_view("value", value, 2));
  problem.query_length = query.shape.back(1);
  problem.key_length = key.shape.back(1);
  problem.query_width = query.shape.back(0);
  problem.key_width = key.shape.back(0);
  problem.value_width = value.shape.back(0);
  if (value.shape.back(1) != problem.key_length) {
    return shape_error("key and value differ in length: ", problem.key_length, " tokens in ",
                       key.shape, " and ", value.shape.back(1), " in ", value.shape);
  }

  const auto mismatch = [&](const char* what) {
    return shape_error(what, ": query ", query.shape, ", key ", key.shape, ", value ", value.shape);
  };

  // The head axis: a key/value head may serve several query heads.
  const auto heads_of = [](const ConstTensorView& view) {
    return view.shape.rank() > 2 ? view.shape.back(2) : 1;
  };
  const Index query_heads = heads_of(query), key_heads = heads_of(key);
  const Index value_heads = heads_of(value);
  if (key_heads != value_heads && key_heads != 1 && value_heads != 1) {
    return shape_error("key has ", key_heads, " heads and value ", value_heads, ": key ", key.shape,
                       ", value ", value.shape);
  }
  problem.kv_heads = key_heads == 1 ? value_heads : key_heads;
  if (query_heads == 1 || query_heads == problem.kv_heads) {
    problem.heads = problem.kv_heads;
  } else if (problem.kv_heads > 0 && query_heads % problem.kv_heads == 0) {
    problem.heads = query_heads;
  } else {
    return shape_error("query heads must be a multiple of key/value heads: ", query_heads, " and ",
                       problem.kv_heads, " (query ", query.shape, ", key ", key.shape, ")");
  }
  problem.group = problem.kv_heads > 0 ? problem.heads / problem.kv_heads : 1;

  // The axes before it broadcast.
  const auto batch_of = [](const ConstTensorView& view) {
    const int axes = view.shape.rank() - 3;
    return head_of(view.shape, axes > 0 ? axes : 0);
  };
  Shape batch;
  if (!broadcast(batch_of(query), batch_of(key), batch) ||
      !broadcast(batch, batch_of(value), batch)) {
    return mismatch("leading axes do not broadcast");
  }
  const int axes = batch.rank() + 1;
  problem.leading = Shape(batch.begin(), static_cast<std::size_t>(axes));
  problem.leading[axes - 1] = problem.heads;
  problem.batch = batch.elements();
  const bool with_head_axis = query.shape.rank() > 2 || key.shape.rank() > 2 || value.shape.rank() > 2;
  if (axes + 2 > Shape::max_rank || score_shape(problem, true).elements() < 0) {
    return mismatch("the result would be too large");
  }

  const auto lead_strides = [&](const ConstTensorView& view, Index own_heads, Rows& rows) {
    rows = rows_of(view);
    Strides strides;
    broadcast_strides(batch_of(view), view.strides, batch, strides);
    rows.lead = Strides(strides.begin(), static_cast<std::size_t>(axes));
    rows.head_step = own_heads > 1 ? view.strides.back(2) : 0;
    rows.lead[axes - 1] = rows.head_step;
  };
  lead_strides(query, query_heads, problem.query);
  lead_strides(key, key_heads, problem.key);
  lead_strides(value, value_heads, problem.value);

  Shape shape = with_head_axis ? Shape(problem.leading.begin(), static_cast<std::size_t>(axes) + 2)
                               : Shape{0, 0};
  shape[shape.rank() - 2] = problem.query_length;
  shape[shape.rank() - 1] = problem.value_width;
  if (shape.elements() < 0) return mismatch("the result would be too large");
  result_shape = shape;
  return {};
}

Status resolve(const ConstTensorView& query, const ConstTensorView& key,
               const ConstTensorView& value, const TensorView& result,
               const AttentionOptions& options, Problem& problem) {
  problem.options = &options;
  Shape expected;
  QKV_TRY(resolve_shapes(query, key, value, problem, expected));
  QKV_TRY(check_score(query, key, problem));
  QKV_TRY(check_numbers(problem));
  QKV_TRY(check_shape("result", result, expected));
  const int axes = problem.leading.rank();
  const bool with_head_axis = expected.rank() > 2;
  problem.output = rows_of(result);
  problem.output.lead = problem.leading;
  for (int axis = 0; axis < axes; ++axis) {
    problem.output.lead[axis] = with_head_axis ? result.strides[axis] : 0;
  }
  QKV_TRY(check_extras(with_head_axis, problem));
  QKV_TRY(problem.plan.bind(options.mask,
                            {problem.query_length, problem.key_length, problem.leading}));
  problem.may_exclude = !problem.plan.everything() || problem.bias.data != nullptr;
  fold_heads(problem);
  return {};
}

}  // namespace qkv
