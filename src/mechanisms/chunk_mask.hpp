// The mask of tokens that are sorted, cut into chunks, and seen by their positions.
#pragma once

#include "qkv/mask.hpp"

namespace qkv {

// Chunks of a sorted order, laid one after the other: the slots of a chunk are its keys, those of
// the chunk before it first. A slot holds the position of its token, or the number of tokens if it
// is empty.
struct Chunks {
  const Index* slots = nullptr;
  Index size = 0;
  Index before = 0;  // slots of a chunk's keys before its own: `size`, or 0 of a single chunk
  Index tokens = 0;
  bool causal = false;
};

// For a call whose heads are chunks. A query sees the filled slots of its keys but its own; when
// causal only those of earlier positions. `slots` must outlive the mask.
Mask chunk_mask(const Chunks& chunks);

}  // namespace qkv
