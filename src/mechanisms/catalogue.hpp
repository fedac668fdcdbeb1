// What each mechanism's source file gives to the catalogue.
#pragma once

#include "qkv/mechanism.hpp"

namespace qkv::catalogue {

// One line for each mechanism, in the order in which they are listed: the name of an entry that the
// mechanism's source file defines.
#define QKV_EACH_MECHANISM(line) \
  line(exact)                    \
  line(local)                    \
  line(strided)                  \
  line(global)                   \
  line(sparse_transformer)       \
  line(longformer)               \
  line(big_bird)                 \
  line(graph)                    \
  line(top_k)                    \
  line(reformer)                 \
  line(routing)                  \
  line(clustered)                \
  line(sinkhorn)                 \
  line(linformer)                \
  line(compressed)               \
  line(linear)                   \
  line(efficient)                \
  line(performer)                \
  line(rfa)                      \
  line(synthesizer_dense)        \
  line(synthesizer_random)       \
  line(synthesizer_factorized)   \
  line(fnet)                     \
  line(mlp_mixer)                \
  line(gmlp)                     \
  line(hard)                     \
  line(location_soft)            \
  line(location_hard)            \
  line(conv1d)                   \
  line(rnn)

#define QKV_DECLARE(name) extern const Mechanism name;
QKV_EACH_MECHANISM(QKV_DECLARE)
#undef QKV_DECLARE

}  // namespace qkv::catalogue
