#include "dynamic/call.hpp"

#include "text.hpp"

namespace qkv::dynamic {

Call::Call(const double* words) {
  const auto count = static_cast<std::size_t>(*words++);
  arguments_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    arguments_.emplace_back(words);
    words = arguments_.back().end();
  }
}

Value Call::argument(std::size_t place) const {
  static constexpr double absent[] = {static_cast<double>(Tag::absent)};
  return place < arguments_.size() ? arguments_[place] : Value(absent);
}

std::span<const NamedOperation> operations() {
  static const std::vector<NamedOperation> all = [] {
    std::vector<NamedOperation> list;
    for (const auto* part : {&attention_operations, &position_operations, &layer_operations}) {
      list.insert(list.end(), part->begin(), part->end());
    }
    return list;
  }();
  return all;
}

Status run(const NamedOperation& operation, Call& call) noexcept {
  Status status = guarded([&] { return operation.run(call); });
  if (!status.ok()) call.results().clear();
  return status;
}

}  // namespace qkv::dynamic
