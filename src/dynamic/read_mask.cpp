#include "dynamic/read.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

Status read_masks(std::string_view name, Value value, std::vector<Mask>& masks) {
  // An empty list looks like an empty tensor.
  const bool empty = value.is_tensor() && value.shape().elements() == 0;
  if (!empty && value.tag() != Tag::array) return expected(name, "a list of masks", value);
  if (empty) return {};
  return value.each_item([&](Value item) -> Status {
    masks.emplace_back();
    return read_mask(text(name, "[", masks.size() - 1, "]"), item, masks.back());
  });
}

// Pairs of block numbers, [n, 2].
Status read_pairs(std::string_view name, Value value, std::vector<std::pair<Index, Index>>& pairs) {
  std::vector<Index> numbers;
  QKV_TRY(read_integers(name, value, numbers));
  const Shape shape = value.shape();
  if (shape.elements() > 0 && !(shape.rank() == 2 && shape[1] == 2)) {
    return shape_error(name, ": expected pairs, shape [n, 2], saw ", shape);
  }
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) pairs.emplace_back(numbers[i], numbers[i + 1]);
  return {};
}

using Reader = Status (*)(std::string_view name, Value value, Scratch& scratch, Mask& mask);

// The entry that names the kind has been read already.
Field kind() {
  struct Skip final : Custom {
    Status operator()(std::string_view, Value) const override { return {}; }
  };
  static const Skip skip;
  return {"kind", &skip};
}

Status read_causal(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Index offset = 0;
  bool at_end = false;
  const CustomReader read_offset([&](std::string_view field, Value entry) -> Status {
    if (entry.tag() == Tag::string && entry.string() == "end") {
      at_end = true;
      return {};
    }
    if (!read_integer(field, entry, offset).ok()) {
      return expected(field, "a whole number or \"end\"", entry);
    }
    return {};
  });
  QKV_TRY(read_object(name, value, {kind(), {"offset", &read_offset}}, scratch));
  mask = at_end ? mask::causal_end() : mask::causal(offset);
  return {};
}

Status read_window(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  std::optional<Index> left, right;
  QKV_TRY(read_object(name, value, {kind(), {"left", &left}, {"right", &right}}, scratch));
  mask = mask::window(left, right);
  return {};
}

Status read_strided(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Index stride = 0;
  bool causal = false;
  QKV_TRY(read_object(name, value, {kind(), {"stride", &stride, true}, {"causal", &causal}}, scratch));
  mask = mask::strided(stride, causal);
  return {};
}

Status read_dilated(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Index radius = 0, dilation = 1;
  QKV_TRY(read_object(name, value, {kind(), {"radius", &radius, true}, {"dilation", &dilation, true}},
                      scratch));
  mask = mask::dilated(radius, dilation);
  return {};
}

Status read_block_local(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Index size = 0;
  QKV_TRY(read_object(name, value, {kind(), {"size", &size, true}}, scratch));
  mask = mask::block_local(size);
  return {};
}

Status read_global(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  std::vector<Index> tokens;
  QKV_TRY(read_object(name, value, {kind(), {"tokens", &tokens, true}}, scratch));
  mask = mask::global(std::move(tokens));
  return {};
}

Status read_random(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Index count = 0;
  std::uint64_t seed = 0;
  QKV_TRY(read_object(name, value, {kind(), {"count", &count, true}, {"seed", &seed, true}}, scratch));
  mask = mask::random(count, seed);
  return {};
}

Status read_blocks(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Index size = 0;
  std::optional<std::vector<std::pair<Index, Index>>> pairs;
  std::vector<std::uint8_t> bytes;
  BoolView layout;
  bool has_layout = false;
  const CustomReader pair_reader([&](std::string_view field, Value entry) -> Status {
    return read_pairs(field, entry, pairs.emplace());
  });
  const CustomReader layout_reader([&](std::string_view field, Value entry) -> Status {
    has_layout = true;
    return read_booleans(field, entry, bytes, layout);
  });
  QKV_TRY(read_object(name, value,
                      {kind(), {"size", &size, true}, {"pairs", &pair_reader}, {"layout", &layout_reader}},
                      scratch));
  if (pairs.has_value() == has_layout) {
    return argument_error(name, ": blocks take either pairs or a layout, saw ",
                          has_layout ? "both" : "neither");
  }
  mask = has_layout ? mask::blocks(size, layout) : mask::blocks(size, std::move(*pairs));
  return {};
}

Status read_edges(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  std::vector<Index> row_offsets, columns;
  QKV_TRY(read_object(name, value,
                      {kind(), {"rowOffsets", &row_offsets, true}, {"columns", &columns, true}},
                      scratch));
  mask = mask::edges(std::move(row_offsets), std::move(columns));
  return {};
}

Status read_lengths(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  std::vector<Index> key, query;
  QKV_TRY(read_object(name, value, {kind(), {"key", &key}, {"query", &query}}, scratch));
  mask = mask::lengths(std::move(key), std::move(query));
  return {};
}

Status read_segments(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  std::vector<Index> ids[2];
  Index rows[2] = {1, 1};
  const auto reader = [&](int side) {
    return [&ids, &rows, side](std::string_view field, Value entry) -> Status {
      QKV_TRY(read_integers(field, entry, ids[side]));
      const Shape shape = entry.shape();
      if (shape.rank() > 2) return shape_error(field, ": expected [length] or [batch, length], saw ", shape);
      rows[side] = shape.rank() == 2 ? shape[0] : 1;
      return {};
    };
  };
  const CustomReader query(reader(0)), key(reader(1));
  QKV_TRY(read_object(name, value, {kind(), {"query", &query, true}, {"key", &key, true}}, scratch));
  if (rows[0] != rows[1]) {
    return shape_error(name, ": ", rows[0], " rows of query ids and ", rows[1], " of key ids");
  }
  mask = mask::segments(std::move(ids[0]), std::move(ids[1]), rows[0]);
  return {};
}

template <bool Keep>
Status read_matrix(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  std::vector<std::uint8_t> bytes;
  BoolView matrix;
  const CustomReader reader([&](std::string_view field, Value entry) {
    return read_booleans(field, entry, bytes, matrix);
  });
  QKV_TRY(read_object(name, value, {kind(), {"matrix", &reader, true}}, scratch));
  mask = Keep ? mask::keep(matrix) : mask::ignore(matrix);
  return {};
}

Status read_sparse_transformer(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Index stride = 0;
  std::optional<Index> summary;
  int pattern = 0;
  const CustomReader pattern_reader([&](std::string_view field, Value entry) {
    return read_word(field, entry, {"strided", "fixed"}, pattern);
  });
  QKV_TRY(read_object(name, value,
                      {kind(), {"stride", &stride, true}, {"pattern", &pattern_reader},
                       {"summary", &summary}},
                      scratch));
  if (pattern == 0 && summary) {
    return argument_error(name, ".summary: only the fixed pattern has one; the pattern is strided");
  }
  mask = pattern == 0 ? mask::sparse_transformer_strided(stride)
                      : mask::sparse_transformer_fixed(stride, summary.value_or(1));
  return {};
}

Status read_longformer(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Index window = 0;
  std::vector<Index> global;
  QKV_TRY(read_object(name, value,
                      {kind(), {"window", &window, true}, {"global", &global, true}}, scratch));
  mask = mask::longformer(window, std::move(global));
  return {};
}

Status read_big_bird(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  mask::BigBirdOptions options;
  const CustomReader pair_reader([&](std::string_view field, Value entry) -> Status {
    return read_pairs(field, entry, options.pairs.emplace());
  });
  QKV_TRY(read_object(name, value,
                      {kind(), {"blockSize", &options.block_size},
                       {"randomBlocks", &options.random_blocks}, {"seed", &options.seed},
                       {"globalBlocks", &options.global_blocks}, {"pairs", &pair_reader}},
                      scratch));
  mask = mask::big_bird(std::move(options));
  return {};
}

template <Mask (*Combine)(std::vector<Mask>)>
Status read_combination(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  std::vector<Mask> masks;
  const CustomReader reader(
      [&](std::string_view field, Value entry) { return read_masks(field, entry, masks); });
  QKV_TRY(read_object(name, value, {kind(), {"masks", &reader, true}}, scratch));
  mask = Combine(std::move(masks));
  return {};
}

Status read_not(std::string_view name, Value value, Scratch& scratch, Mask& mask) {
  Mask inner;
  const CustomReader reader(
      [&](std::string_view field, Value entry) { return read_mask(field, entry, inner); });
  QKV_TRY(read_object(name, value, {kind(), {"mask", &reader, true}}, scratch));
  mask = mask::negate(std::move(inner));
  return {};
}

}  // namespace

Status read_mask(std::string_view name, Value value, Mask& mask) {
  static constexpr struct {
    const char* kind;
    Reader read;
  } readers[] = {
      {"causal", read_causal},
      {"window", read_window},
      {"strided", read_strided},
      {"dilated", read_dilated},
      {"blockLocal", read_block_local},
      {"global", read_global},
      {"random", read_random},
      {"blocks", read_blocks},
      {"edges", read_edges},
      {"lengths", read_lengths},
      {"segments", read_segments},
      {"keep", read_matrix<true>},
      {"ignore", read_matrix<false>},
      {"sparseTransformer", read_sparse_transformer},
      {"longformer", read_longformer},
      {"bigBird", read_big_bird},
      {"and", read_combination<mask::all_of>},
      {"or", read_combination<mask::any_of>},
      {"perHead", read_combination<mask::per_head>},
      {"not", read_not},
  };
  if (value.is_tensor()) {
    // A bare matrix says nothing of its polarity.
    return expected(name, "mask.keep(...) or mask.ignore(...) around a matrix", value);
  }
  if (value.tag() != Tag::object) return expected(name, "a mask such as mask.causal()", value);
  Reader read = nullptr;
  std::string kind;
  QKV_TRY(value.each_entry([&](const std::string& key, Value entry) -> Status {
    if (key == "kind" && entry.tag() == Tag::string) kind = entry.string();
    return {};
  }));
  std::string known;
  for (const auto& reader : readers) {
    if (kind == reader.kind) read = reader.read;
    known += text(known.empty() ? "" : ", ", reader.kind);
  }
  if (kind.empty()) return expected(name, "a mask such as mask.causal()", value);
  if (read == nullptr) {
    return argument_error(name, ": unknown kind of mask \"", kind, "\"; known are ", known);
  }
  Scratch scratch;
  return read(name, value, scratch, mask);
}

}  // namespace qkv::dynamic
