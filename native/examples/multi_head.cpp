// A multi-head attention layer: weights from a seed, a mask by lengths, weights returned.
#include <cstdio>
#include <qkv/qkv.hpp>

int main() {
  qkv::MultiHeadConfig config;
  config.embed_dim = 100;
  config.num_heads = 5;
  const qkv::MultiHeadAttention layer(config);

  qkv::Tensor x(qkv::Shape{2, 4, 100});
  for (qkv::Index i = 0; i < x.size(); ++i) x[i] = 1;

  qkv::Tensor weights(qkv::Shape{2, 5, 4, 4});
  qkv::LayerOptions options;
  options.mask = qkv::mask::lengths({3, 2});  // of 4 tokens, 3 and 2 count
  options.returns.weights = weights;
  const qkv::Tensor output = layer.forward(x, options);

  std::printf("output %s, weights of the first query:", output.shape().to_string().c_str());
  for (int key = 0; key < 4; ++key) std::printf(" %g", weights[key]);
  std::printf("\n");
}
