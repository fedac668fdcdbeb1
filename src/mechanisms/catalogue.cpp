#include "mechanisms/catalogue.hpp"

#include <cmath>
#include <string_view>

#include "mechanisms/heads.hpp"
#include "text.hpp"

namespace qkv {
namespace {

#define QKV_ENTRY(name) &catalogue::name,
constexpr const Mechanism* entries[] = {QKV_EACH_MECHANISM(QKV_ENTRY)};
#undef QKV_ENTRY

constexpr Index most_parameters = 8;
constexpr std::size_t most_weights = 4;

// The numbers of a run in `values`: what is given, checked, or those of the list.
Status fill(const Mechanism& mechanism, std::span<const double> given, double* values) {
  const auto list = mechanism.parameters;
  if (!given.empty() && given.size() != list.size()) {
    return argument_error(mechanism.name, ": takes ", list.size(), " parameters, saw ",
                          given.size());
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    values[i] = given.empty() ? list[i].value : given[i];
    if (!(values[i] >= list[i].least) || std::floor(values[i]) != values[i] ||
        values[i] > 9007199254740992.0) {
      return argument_error(mechanism.name, ": ", list[i].name, " is a whole number of ",
                            list[i].least, " or more; saw ", values[i]);
    }
  }
  return {};
}

Status check_count(const Mechanism& mechanism, std::size_t count) {
  if (count == mechanism.weights.size()) return {};
  return argument_error(mechanism.name, ": has ", mechanism.weights.size(), " weights, saw ", count);
}

Status draw(const Mechanism& mechanism, Index n, Index d, const double* values, Tensor* weights) {
  if (n < 0 || d < 0) {
    return argument_error(mechanism.name, ": sizes are 0 or more; saw ", n, " tokens of ", d,
                          " features");
  }
  return mechanism.draw == nullptr ? Status() : mechanism.draw(n, d, values, weights);
}

}  // namespace

const char* family_name(Family family) noexcept {
  static constexpr const char* names[] = {"exact",     "pattern",    "content", "fewer keys",
                                          "reordered", "query-free", "mixer",   "picking",
                                          "baseline"};
  return names[static_cast<int>(family)];
}

std::span<const Mechanism* const> mechanisms() noexcept { return entries; }

const Mechanism* find_mechanism(const char* name) noexcept {
  for (const Mechanism* mechanism : entries) {
    if (std::string_view(mechanism->name) == name) return mechanism;
  }
  return nullptr;
}

Shape result_shape(const Mechanism& mechanism, const Shape& x,
                   std::span<const double> parameters) noexcept {
  double values[most_parameters] = {};
  if (mechanism.shape == nullptr || x.rank() < 2 || !fill(mechanism, parameters, values).ok()) {
    return x;
  }
  return mechanism.shape(x, values);
}

Status try_draw_weights(const Mechanism& mechanism, Index n, Index d,
                        std::span<const double> parameters, std::span<Tensor> weights) noexcept {
  return guarded([&]() -> Status {
    double values[most_parameters] = {};
    QKV_TRY(fill(mechanism, parameters, values));
    QKV_TRY(check_count(mechanism, weights.size()));
    return draw(mechanism, n, d, values, weights.data());
  });
}

Status try_run(const Mechanism& mechanism, const ConstTensorView& x,
               std::span<const double> parameters, const TensorView& result,
               std::span<const ConstTensorView> weights) noexcept {
  return guarded([&]() -> Status {
    double values[most_parameters] = {};
    QKV_TRY(fill(mechanism, parameters, values));
    QKV_TRY(check_operand("x", x, 2));
    if (!weights.empty()) {
      QKV_TRY(check_count(mechanism, weights.size()));
      return mechanism.run(x, values, weights.data(), result);
    }
    Tensor drawn[most_weights];
    QKV_TRY(draw(mechanism, x.shape.back(1), x.shape.back(0), values, drawn));
    const ConstTensorView views[most_weights] = {drawn[0], drawn[1], drawn[2], drawn[3]};
    return mechanism.run(x, values, views, result);
  });
}

Status try_pattern(const Mechanism& mechanism, Index n, std::span<const double> parameters,
                   const TensorView& matrix) noexcept {
  return guarded([&]() -> Status {
    double values[most_parameters] = {};
    QKV_TRY(fill(mechanism, parameters, values));
    if (mechanism.pattern == nullptr) {
      return argument_error(mechanism.name, ": its pairs do not follow from positions alone");
    }
    QKV_TRY(check_result(matrix, {n, n}));
    return mechanism.pattern(n, values, matrix);
  });
}

Status try_cost(const Mechanism& mechanism, Index n, Index d, std::span<const double> parameters,
                MechanismCost& cost) noexcept {
  return guarded([&]() -> Status {
    double values[most_parameters] = {};
    QKV_TRY(fill(mechanism, parameters, values));
    if (n < 0 || d < 0) {
      return argument_error(mechanism.name, ": sizes are 0 or more; saw ", n, " tokens of ", d,
                            " features");
    }
    cost = mechanism.cost(n, d, values);
    return {};
  });
}

}  // namespace qkv
