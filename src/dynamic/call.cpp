#include "dynamic/call.hpp"

#include "text.hpp"

namespace qkv::dynamic {

// There are few: to walk past those in front takes less time than to keep a list of all.
Value Call::argument(std::size_t place) const noexcept {
  static constexpr double absent[] = {static_cast<double>(Tag::absent)};
  if (place >= static_cast<std::size_t>(*words_)) return Value(absent);
  Value value(words_ + 1);
  for (; place > 0; --place) value = Value(value.end());
  return value;
}

std::span<const NamedOperation> operations() {
  static const std::vector<NamedOperation> all = [] {
    std::vector<NamedOperation> list;
    for (const auto* part :
         {&attention_operations, &position_operations, &layer_operations, &content_operations,
          &fewer_keys_operations, &linear_attention_operations, &mixer_operations,
          &picking_operations, &baseline_operations, &catalogue_operations}) {
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
