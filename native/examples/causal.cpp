// Causal attention over a batch of heads, straight on memory of one's own.
#include <cstdio>
#include <qkv/qkv.hpp>
#include <vector>

int main() {
  const qkv::Index batch = 2, heads = 4, length = 128, width = 64;
  const qkv::Shape shape{batch, heads, length, width};
  std::vector<float> query(static_cast<std::size_t>(shape.elements()), 0.5f);
  std::vector<float> key(query), value(query), output(query.size());
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<float>(i % 7);

  qkv::AttentionOptions options;
  options.mask = qkv::mask::causal();
  qkv::attention({query.data(), shape}, {key.data(), shape}, {value.data(), shape},
                 {output.data(), shape}, options);

  // The first query sees the first key alone, so its output is that key's value.
  std::printf("%g %g %g\n", output[0], output[1], output[2]);
}
