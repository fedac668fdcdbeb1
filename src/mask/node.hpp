// What a mask is made of. A description meets the sizes of a call and becomes a rule. A rule answers
// two questions about a band of at most 64 queries: which 64-key tiles hold any allowed pair and
// which hold nothing else (one bit each, 64 tiles at a time), and exactly which pairs of one tile
// are allowed (one bit each).
#pragma once

#include <cstdint>
#include <memory>

#include "division.hpp"
#include "qkv/mask.hpp"

namespace qkv {

inline constexpr Index tile_size = 64;     // queries and keys of a tile: one bit each in a word
inline constexpr Index tiles_in_word = 64;  // tiles answered at once

// The sizes a mask is bound to.
struct MaskDims {
  Index query_length = 0;
  Index key_length = 0;
  Shape leading;  // [batch axes..., heads]

  Index heads() const noexcept { return leading.rank() > 0 ? leading.back(0) : 1; }
  Index batch() const noexcept { return heads() == 0 ? 0 : leading.elements() / heads(); }
};

// A band of queries of one batch entry and head.
struct Band {
  Index batch = 0;
  Index head = 0;
  Index first = 0;  // first query
  Index rows = 0;   // 1 to tile_size
};

// Bit t speaks of key tile 64 * word + t. `any` may be set for an empty tile and `all` clear for a
// full one (the words then tell); never the other way round.
struct TileStates {
  std::uint64_t any = 0;
  std::uint64_t all = 0;
};

// A mask bound to sizes: answers about its pairs.
class MaskRule {
 public:
  virtual ~MaskRule() = default;
  // Bits beyond the last key mean nothing.
  virtual TileStates tiles(const MaskDims& dims, const Band& band, Index word) const = 0;
  virtual void bits(const MaskDims& dims, const Band& band, Index tile,
                    std::uint64_t* rows) const = 0;

  // The keys of a query as a rising list, in which a key may be repeated, where the rule holds such
  // lists; null, the default, where it does not.
  virtual const Index* keys_of(Index query, Index& count) const;
};

using RulePointer = std::shared_ptr<const MaskRule>;

// What a Mask holds: a description, checked when it meets sizes.
class MaskNode : public std::enable_shared_from_this<MaskNode> {
 public:
  virtual ~MaskNode() = default;
  virtual Status bind(const MaskDims& dims, RulePointer& rule) const = 0;
};

using NodePointer = std::shared_ptr<const MaskNode>;

// Owned through their bases, so that the code to own them exists once and not for every kind.
template <class Node, class... Arguments>
Mask make_mask(Arguments&&... arguments) {
  const MaskNode* node = new Node(std::forward<Arguments>(arguments)...);
  return Mask(NodePointer(node));
}
template <class Rule, class... Arguments>
RulePointer make_rule(Arguments&&... arguments) {
  const MaskRule* rule = new Rule(std::forward<Arguments>(arguments)...);
  return RulePointer(rule);
}

// A description that is its own rule: it has nothing to prepare.
class SelfRule : public MaskNode, public MaskRule {
 public:
  Status bind(const MaskDims& dims, RulePointer& rule) const final {
    Status status = check(dims);
    if (status.ok()) rule = RulePointer(shared_from_this(), this);
    return status;
  }

 protected:
  virtual Status check(const MaskDims& dims) const = 0;
};

// A word with bits [first, last) set, both clamped to 0..64.
inline std::uint64_t bit_range(Index first, Index last) noexcept {
  if (first < 0) first = 0;
  if (last > 64) last = 64;
  if (first >= last) return 0;
  const std::uint64_t upto = last == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << last) - 1;
  return upto & ~((std::uint64_t{1} << first) - 1);
}

}  // namespace qkv
