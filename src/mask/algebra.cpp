// Masks made of masks: and, or, not, one for each head.
#include "mask/node.hpp"
#include "text.hpp"

namespace qkv {
namespace {

// Every pair: what a default Mask stands for inside a combination.
class Everything final : public MaskRule {
 public:
  TileStates tiles(const MaskDims&, const Band&, Index) const override {
    return {~std::uint64_t{0}, ~std::uint64_t{0}};
  }
  void bits(const MaskDims&, const Band& band, Index, std::uint64_t* rows) const override {
    for (Index i = 0; i < band.rows; ++i) rows[i] = ~std::uint64_t{0};
  }
};

Status bind_mask(const Mask& mask, const MaskDims& dims, RulePointer& rule) {
  if (!mask.all()) return mask.node()->bind(dims, rule);
  rule = make_rule<Everything>();
  return {};
}

Status bind_masks(const std::vector<Mask>& masks, const MaskDims& dims,
                  std::vector<RulePointer>& rules) {
  rules.resize(masks.size());
  for (std::size_t i = 0; i < masks.size(); ++i) QKV_TRY(bind_mask(masks[i], dims, rules[i]));
  return {};
}

struct And {
  static void join(std::uint64_t& a, std::uint64_t b) { a &= b; }
};
struct Or {
  static void join(std::uint64_t& a, std::uint64_t b) { a |= b; }
};

// Joining the parts' tile states keeps what MaskRule promises of them: where both parts are full the
// conjunction is full, where one is empty it is empty, and the other way round for the disjunction.
template <class Operation>
class JoinedRule final : public MaskRule {
 public:
  explicit JoinedRule(std::vector<RulePointer> parts) : parts_(std::move(parts)) {}

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    TileStates joined = parts_[0]->tiles(dims, band, word);
    for (std::size_t part = 1; part < parts_.size(); ++part) {
      const TileStates states = parts_[part]->tiles(dims, band, word);
      Operation::join(joined.any, states.any);
      Operation::join(joined.all, states.all);
    }
    return joined;
  }

  void bits(const MaskDims& dims, const Band& band, Index tile, std::uint64_t* rows) const override {
    parts_[0]->bits(dims, band, tile, rows);
    std::uint64_t more[tile_size];
    for (std::size_t part = 1; part < parts_.size(); ++part) {
      parts_[part]->bits(dims, band, tile, more);
      for (Index i = 0; i < band.rows; ++i) Operation::join(rows[i], more[i]);
    }
  }

 private:
  std::vector<RulePointer> parts_;
};

template <class Operation>
class Joined final : public MaskNode {
 public:
  Joined(const char* name, std::vector<Mask> masks) : name_(name), masks_(std::move(masks)) {}

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    if (masks_.empty()) return argument_error(name_, " takes one mask or more; saw none");
    std::vector<RulePointer> parts;
    QKV_TRY(bind_masks(masks_, dims, parts));
    rule = make_rule<JoinedRule<Operation>>(std::move(parts));
    return {};
  }

 private:
  const char* name_;
  std::vector<Mask> masks_;
};

class NotRule final : public MaskRule {
 public:
  explicit NotRule(RulePointer part) : part_(std::move(part)) {}

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    const TileStates states = part_->tiles(dims, band, word);
    return {~states.all, ~states.any};
  }
  void bits(const MaskDims& dims, const Band& band, Index tile, std::uint64_t* rows) const override {
    part_->bits(dims, band, tile, rows);
    for (Index i = 0; i < band.rows; ++i) rows[i] = ~rows[i];
  }

 private:
  RulePointer part_;
};

class Not final : public MaskNode {
 public:
  explicit Not(Mask mask) : mask_(std::move(mask)) {}

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    RulePointer part;
    QKV_TRY(bind_mask(mask_, dims, part));
    rule = make_rule<NotRule>(std::move(part));
    return {};
  }

 private:
  Mask mask_;
};

class PerHeadRule final : public MaskRule {
 public:
  explicit PerHeadRule(std::vector<RulePointer> heads) : heads_(std::move(heads)) {}

  TileStates tiles(const MaskDims& dims, const Band& band, Index word) const override {
    return heads_[static_cast<std::size_t>(band.head)]->tiles(dims, band, word);
  }
  void bits(const MaskDims& dims, const Band& band, Index tile, std::uint64_t* rows) const override {
    heads_[static_cast<std::size_t>(band.head)]->bits(dims, band, tile, rows);
  }

 private:
  std::vector<RulePointer> heads_;
};

class PerHead final : public MaskNode {
 public:
  explicit PerHead(std::vector<Mask> masks) : masks_(std::move(masks)) {}

  Status bind(const MaskDims& dims, RulePointer& rule) const override {
    if (static_cast<Index>(masks_.size()) != dims.heads()) {
      return shape_error("mask.perHead: ", masks_.size(), " masks for ", dims.heads(), " heads");
    }
    std::vector<RulePointer> heads;
    QKV_TRY(bind_masks(masks_, dims, heads));
    rule = make_rule<PerHeadRule>(std::move(heads));
    return {};
  }

 private:
  std::vector<Mask> masks_;
};

}  // namespace

namespace mask {

Mask all_of(std::vector<Mask> masks) {
  return make_mask<Joined<And>>("mask.and", std::move(masks));
}
Mask any_of(std::vector<Mask> masks) {
  return make_mask<Joined<Or>>("mask.or", std::move(masks));
}
Mask negate(Mask mask) { return make_mask<Not>(std::move(mask)); }
Mask per_head(std::vector<Mask> masks) {
  return make_mask<PerHead>(std::move(masks));
}

}  // namespace mask
}  // namespace qkv
