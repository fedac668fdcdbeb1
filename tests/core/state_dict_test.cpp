// Loading parameters under the names of other libraries, and the one sentence that names all that is
// wrong with a dictionary.
#include <gtest/gtest.h>

#include <set>

#include "qkv/layers.hpp"
#include "support/agree.hpp"
#include "support/placed.hpp"

namespace qkv::test {
namespace {

// A dictionary whose numbers name their place: entry e begins at 1000 e.
class Dictionary {
 public:
  Dictionary& add(const std::string& name, const Shape& shape, Layout layout = Layout::row_major) {
    std::vector<float> values;
    for (Index i = 0; i < shape.elements(); ++i) {
      values.push_back(static_cast<float>(1000 * tensors_.size()) + static_cast<float>(i));
    }
    tensors_.push_back(std::make_unique<Placed>(shape, values, layout));
    entries_.emplace_back(name, tensors_.back()->view());
    return *this;
  }
  const StateDictView& entries() const { return entries_; }
  std::vector<float> values(std::size_t entry) const { return tensors_[entry]->values(); }

 private:
  std::vector<std::unique_ptr<Placed>> tensors_;
  StateDictView entries_;
};

MultiHeadAttention layer_of(Index embed, Index heads, Index kv_heads, bool bias, Index k_dim = 0) {
  MultiHeadConfig config;
  config.embed_dim = embed;
  config.num_heads = heads;
  config.num_kv_heads = kv_heads;
  config.bias = bias;
  config.k_dim = config.v_dim = k_dim;
  MultiHeadAttention layer;
  EXPECT_TRUE(ok(MultiHeadAttention::create(config, layer)));
  return layer;
}

std::vector<float> parameter(const MultiHeadAttention& layer, const std::string& name) {
  for (const auto& [entry, view] : layer.state_dict()) {
    if (entry == name) return std::vector<float>(view.data, view.data + view.shape.elements());
  }
  return {};
}

const char* own_names[] = {"q_proj.weight", "q_proj.bias", "k_proj.weight", "k_proj.bias",
                           "v_proj.weight", "v_proj.bias", "out_proj.weight", "out_proj.bias"};

TEST(StateDict, FamiliesOfNames) {
  const std::vector<const char*> families[] = {
      {"q_proj", "k_proj", "v_proj", "out_proj"},
      {"query", "key", "value", "output.dense"},
      {"q_proj", "k_proj", "v_proj", "o_proj"},
      {"W_q", "W_k", "W_v", "W_o"},
  };
  for (const auto& stems : families) {
    for (const Layout layout : layouts) {
      MultiHeadAttention layer = layer_of(4, 2, 2, true);
      Dictionary dictionary;
      for (const char* stem : stems) {
        dictionary.add(stem + std::string(".weight"), {4, 4}, layout);
        dictionary.add(stem + std::string(".bias"), {4});
      }
      ASSERT_TRUE(ok(layer.try_load_state_dict(dictionary.entries()))) << stems[3];
      for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_TRUE(same_bits(parameter(layer, own_names[i]), dictionary.values(i))) << own_names[i];
      }
    }
  }
}

TEST(StateDict, TorchInOneMatrix) {
  for (const Layout layout : layouts) {
    MultiHeadAttention layer = layer_of(4, 2, 2, true);
    Dictionary dictionary;
    dictionary.add("in_proj_weight", {12, 4}, layout).add("in_proj_bias", {12}, layout);
    dictionary.add("out_proj.weight", {4, 4}).add("out_proj.bias", {4});
    ASSERT_TRUE(ok(layer.try_load_state_dict(dictionary.entries())));
    const std::vector<float> weight = dictionary.values(0), bias = dictionary.values(1);
    for (int part = 0; part < 3; ++part) {
      EXPECT_TRUE(same_bits(parameter(layer, own_names[2 * part]),
                            {weight.begin() + 16 * part, weight.begin() + 16 * (part + 1)}));
      EXPECT_TRUE(same_bits(parameter(layer, own_names[2 * part + 1]),
                            {bias.begin() + 4 * part, bias.begin() + 4 * (part + 1)}));
    }
  }
}

TEST(StateDict, TorchWithOtherWidths) {
  MultiHeadAttention layer = layer_of(4, 2, 2, true, 3);
  Dictionary dictionary;
  dictionary.add("q_proj_weight", {4, 4}).add("k_proj_weight", {4, 3}).add("v_proj_weight", {4, 3});
  dictionary.add("in_proj_bias", {12}).add("out_proj.weight", {4, 4}).add("out_proj.bias", {4});
  ASSERT_TRUE(ok(layer.try_load_state_dict(dictionary.entries())));
  EXPECT_TRUE(same_bits(parameter(layer, "k_proj.weight"), dictionary.values(1)));
}

TEST(StateDict, ItsOwnEntriesAreTakenBack) {
  MultiHeadAttention layer = layer_of(8, 4, 2, true), other = layer_of(8, 4, 2, true);
  ASSERT_TRUE(ok(other.try_load_state_dict(layer.state_dict())));
  for (const char* name : own_names) {
    EXPECT_TRUE(same_bits(parameter(layer, name), parameter(other, name)));
  }
  // And by itself, from the very memory that it replaces.
  const std::vector<float> before = parameter(layer, "v_proj.weight");
  ASSERT_TRUE(ok(layer.try_load_state_dict(layer.state_dict())));
  EXPECT_TRUE(same_bits(parameter(layer, "v_proj.weight"), before));
}

// One sentence names everything, and no parameter is replaced.
TEST(StateDict, OneErrorNamesAllThatIsWrong) {
  MultiHeadAttention layer = layer_of(4, 2, 2, true);
  const std::vector<float> before = parameter(layer, "q_proj.weight");
  Dictionary dictionary;
  dictionary.add("q_proj.weight", {4, 4}).add("k_proj.weight", {4, 5}).add("v_proj.weight", {4, 4});
  dictionary.add("v_proj.bias", {3}).add("rotary.inv_freq", {2}).add("ln.weight", {4});
  const Status status = layer.try_load_state_dict(dictionary.entries());
  EXPECT_TRUE(refused(status, ErrorCode::argument,
                      {"unknown: rotary.inv_freq, ln.weight",
                       "missing: q_proj.bias, k_proj.bias, out_proj.weight, out_proj.bias",
                       "k_proj.weight [4, 5], expected [4, 4]", "v_proj.bias [3], expected [4]"}));
  EXPECT_TRUE(same_bits(parameter(layer, "q_proj.weight"), before));
}

TEST(StateDict, OnlyShapesAreWrong) {
  MultiHeadAttention layer = layer_of(4, 2, 1, false);
  Dictionary dictionary;
  dictionary.add("W_q.weight", {4, 4}).add("W_k.weight", {4, 4}).add("W_v.weight", {2, 4});
  dictionary.add("W_o.weight", {4, 4});
  EXPECT_TRUE(refused(layer.try_load_state_dict(dictionary.entries()), ErrorCode::shape,
                      {"W_k.weight [4, 4], expected [2, 4]"}));
}

TEST(StateDict, BiasesOfALayerWithoutAreUnknown) {
  MultiHeadAttention layer = layer_of(4, 2, 2, false);
  Dictionary dictionary;
  dictionary.add("in_proj_weight", {12, 4}).add("out_proj.weight", {4, 4});
  ASSERT_TRUE(ok(layer.try_load_state_dict(dictionary.entries())));
  dictionary.add("in_proj_bias", {12}).add("out_proj.bias", {4});
  EXPECT_TRUE(refused(layer.try_load_state_dict(dictionary.entries()), ErrorCode::argument,
                      {"unknown: in_proj_bias, out_proj.bias"}));
}

TEST(StateDict, TwoEntriesForOneParameter) {
  MultiHeadAttention layer = layer_of(4, 2, 2, false);
  Dictionary dictionary;
  dictionary.add("in_proj_weight", {12, 4}).add("out_proj.weight", {4, 4}).add("W_k.weight", {4, 4});
  EXPECT_TRUE(refused(layer.try_load_state_dict(dictionary.entries()), ErrorCode::argument,
                      {"k_proj.weight", "twice"}));
}

// One matrix of a wrong shape hides no other fault.
TEST(StateDict, AMisshapenFusedMatrixHidesNothing) {
  MultiHeadAttention layer = layer_of(4, 2, 2, true);
  Dictionary dictionary;
  dictionary.add("in_proj_weight", {12, 5});
  const Status status = layer.try_load_state_dict(dictionary.entries());
  EXPECT_TRUE(refused(status, ErrorCode::argument,
                      {"in_proj_weight [12, 5], expected [12, 4]", "out_proj.weight", "out_proj.bias",
                       "q_proj.bias", "k_proj.bias", "v_proj.bias"}));
  // What the matrix would have held is not missing.
  EXPECT_EQ(status.message().find("q_proj.weight"), std::string::npos) << status.message();
}

TEST(StateDict, EntriesThatCannotBeRead) {
  MultiHeadAttention layer = layer_of(4, 2, 2, false);
  Dictionary dictionary;
  dictionary.add("W_q.weight", {4, 4}).add("W_k.weight", {4, 4}).add("W_v.weight", {4, 4});
  StateDictView entries = dictionary.entries();
  entries.emplace_back("W_o.weight", ConstTensorView(nullptr, {4, 4}));
  EXPECT_TRUE(refused(layer.try_load_state_dict(entries), ErrorCode::argument, {"data"}));
  const float numbers[16] = {};
  entries.back().second = ConstTensorView(numbers, {4, 4}, {1});
  EXPECT_TRUE(refused(layer.try_load_state_dict(entries), ErrorCode::shape, {"strides"}));
}

}  // namespace
}  // namespace qkv::test
