// qkv: what this library is on this machine, and the lecture notes' worked example.
#include <cstdio>
#include <cstring>
#include <qkv/qkv.hpp>

namespace {

constexpr char usage[] =
    "usage: qkv info      version, backends, threads\n"
    "       qkv example   three tokens through self-attention, step by step\n";

void print_info() {
  std::printf("qkv %s\n", qkv::version());
  std::printf("backends:");
  for (const std::string_view name : qkv::backends()) {
    std::printf(" %.*s", static_cast<int>(name.size()), name.data());
  }
  const std::string_view active = qkv::backend();
  std::printf("\nin use:   %.*s\n", static_cast<int>(active.size()), active.data());
  std::printf("threads:  %d\n", qkv::threads());
}

void print_matrix(const char* name, const qkv::Tensor& matrix) {
  std::printf("%s\n", name);
  for (qkv::Index row = 0; row < matrix.shape()[0]; ++row) {
    for (qkv::Index column = 0; column < matrix.shape()[1]; ++column) {
      std::printf("%s%.6f", column == 0 ? "  " : " ", matrix[row * matrix.shape()[1] + column]);
    }
    std::printf("\n");
  }
}

// x W, for W written as the notes write it, [inputs, outputs].
qkv::Tensor project(const qkv::ConstTensorView& x, const float (&weight)[4][3]) {
  return qkv::linear(x, qkv::ConstTensorView(&weight[0][0], {3, 4}, {1, 3}));
}

void print_example() {
  constexpr float x[3][4] = {{1, 0, 1, 0}, {0, 2, 0, 2}, {1, 1, 1, 1}};
  constexpr float key_weight[4][3] = {{0, 0, 1}, {1, 1, 0}, {0, 1, 0}, {1, 1, 0}};
  constexpr float query_weight[4][3] = {{1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}};
  constexpr float value_weight[4][3] = {{0, 2, 0}, {0, 3, 0}, {1, 0, 3}, {1, 1, 0}};

  const qkv::ConstTensorView tokens(&x[0][0], {3, 4});
  const qkv::Tensor query = project(tokens, query_weight);
  const qkv::Tensor key = project(tokens, key_weight);
  const qkv::Tensor value = project(tokens, value_weight);
  qkv::Tensor scores(qkv::Shape{3, 3}), weights(qkv::Shape{3, 3});
  qkv::AttentionOptions options;
  options.score = qkv::score::Dot{};  // the example does not divide by sqrt(3)
  options.returns.scores = scores;
  options.returns.weights = weights;
  const qkv::Tensor output = qkv::attention(query, key, value, options);
  print_matrix("query = x W_Q", query);
  print_matrix("key = x W_K", key);
  print_matrix("value = x W_V", value);
  print_matrix("scores = query key^T", scores);
  print_matrix("weights = softmax(scores)", weights);
  print_matrix("output = weights value", output);
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 2 && std::strcmp(words[1], "info") == 0) {
      print_info();
    } else if (count == 2 && std::strcmp(words[1], "example") == 0) {
      print_example();
    } else {
      std::fputs(usage, stderr);
      return 2;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "qkv: %s\n", error.what());
    return 1;
  }
  return 0;
}
