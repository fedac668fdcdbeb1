// The catalogue of mechanisms for other languages: its texts once, as JSON, and its functions by name.
#include "dynamic/call.hpp"
#include "qkv/mechanism.hpp"
#include "text.hpp"

namespace qkv::dynamic {
namespace {

// The texts are this library's own: of what JSON wants escaped they hold nothing.
void add_text(std::string& json, const char* name, const char* value) {
  json += text("\"", name, "\":\"", value, "\",");
}

std::string describe(const Mechanism& mechanism) {
  std::string json = "{";
  add_text(json, "name", mechanism.name);
  add_text(json, "title", mechanism.title);
  add_text(json, "paper", mechanism.paper);
  json += text("\"year\":", mechanism.year, ",");
  add_text(json, "family", family_name(mechanism.family));
  json += text("\"exact\":", mechanism.exact ? "true" : "false",
               ",\"causal\":", mechanism.causal ? "true" : "false", ",\"complexity\":{");
  add_text(json, "time", mechanism.time);
  json += text("\"memory\":\"", mechanism.memory, "\"},");
  add_text(json, "trap", mechanism.trap);
  json += "\"parameters\":[";
  for (const MechanismParameter& parameter : mechanism.parameters) {
    if (json.back() == '}') json += ",";
    json += text("{\"name\":\"", parameter.name, "\",\"value\":", parameter.value,
                 ",\"least\":", parameter.least, "}");
  }
  json += "],\"weights\":[";
  for (const char* name : mechanism.weights) {
    json += text(json.back() == '[' ? "\"" : ",\"", name, "\"");
  }
  return json + text("],\"pattern\":", mechanism.pattern != nullptr ? "true" : "false", "}");
}

Status list_mechanisms(Call& call) {
  std::string json = "[";
  for (const Mechanism* mechanism : mechanisms()) {
    if (json.size() > 1) json += ",";
    json += describe(*mechanism);
  }
  call.give("json", json + "]");
  return {};
}

// The mechanism that the first argument names, and the numbers that the options set.
struct Request {
  const Mechanism* mechanism = nullptr;
  std::vector<double> parameters;

  Status read(Call& call, std::size_t options) {
    const Value name = call.argument(0);
    if (name.tag() == Tag::string) mechanism = find_mechanism(name.string().c_str());
    if (mechanism == nullptr) return expected("mechanism", "a name of the catalogue", name);
    const auto list = mechanism->parameters;
    for (const MechanismParameter& parameter : list) parameters.push_back(parameter.value);
    const Value given = call.argument(options);
    if (given.absent()) return {};
    if (given.tag() != Tag::object) return expected("options", "an object", given);
    return given.each_entry([&](std::string_view key, Value value) -> Status {
      std::string known;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (key == list[i].name) {
          return value.absent() ? Status() : read_number(key, value, parameters[i]);
        }
        known += text(known.empty() ? "" : ", ", list[i].name);
      }
      return argument_error("unknown option \"", key, "\"; ", mechanism->name, " knows ",
                            known.empty() ? "none" : known.c_str());
    });
  }

  // The same for one head of n tokens of d features.
  Status read_with_sizes(Call& call, Index& n, Index& d) {
    QKV_TRY(read(call, 3));
    QKV_TRY(read_integer("n", call.argument(1), n));
    return read_integer("d", call.argument(2), d);
  }
};

// Weights by their names, in the mechanism's order; none where nothing was given.
Status read_weights(Call& call, std::size_t place, const Mechanism& mechanism,
                    std::vector<ConstTensorView>& weights) {
  if (call.argument(place).absent()) return {};
  weights.resize(mechanism.weights.size());
  std::vector<Field> fields;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    fields.push_back({mechanism.weights[i], &weights[i], true});
  }
  return call.object(place, "weights", Fields(fields));
}

Status run_mechanism(Call& call) {
  Request request;
  QKV_TRY(request.read(call, 2));
  ConstTensorView x;
  QKV_TRY(call.tensor(1, "x", x));
  std::vector<ConstTensorView> weights;
  QKV_TRY(read_weights(call, 3, *request.mechanism, weights));
  Tensor output;
  QKV_TRY(Tensor::create(result_shape(*request.mechanism, x.shape, request.parameters), output));
  QKV_TRY(try_run(*request.mechanism, x, request.parameters, output, weights));
  call.give("output", std::move(output));
  return {};
}

Status draw_weights(Call& call) {
  Request request;
  Index n = 0, d = 0;
  QKV_TRY(request.read_with_sizes(call, n, d));
  const auto names = request.mechanism->weights;
  std::vector<Tensor> weights(names.size());
  QKV_TRY(try_draw_weights(*request.mechanism, n, d, request.parameters, weights));
  for (std::size_t i = 0; i < names.size(); ++i) call.give(names[i], std::move(weights[i]));
  return {};
}

Status cost_of_mechanism(Call& call) {
  Request request;
  Index n = 0, d = 0;
  QKV_TRY(request.read_with_sizes(call, n, d));
  MechanismCost cost;
  QKV_TRY(try_cost(*request.mechanism, n, d, request.parameters, cost));
  call.give("multiplyAdds", cost.multiply_adds);
  call.give("bytes", cost.bytes);
  return {};
}

Status pattern_of_mechanism(Call& call) {
  Request request;
  QKV_TRY(request.read(call, 2));
  Index n = 0;
  QKV_TRY(read_integer("n", call.argument(1), n));
  Tensor matrix;
  QKV_TRY(Tensor::create({n, n}, matrix));
  QKV_TRY(try_pattern(*request.mechanism, n, request.parameters, matrix));
  call.give("output", std::move(matrix));
  return {};
}

constexpr NamedOperation list[] = {
    {"mechanisms", list_mechanisms},
    {"mechanism.run", run_mechanism},
    {"mechanism.draw", draw_weights},
    {"mechanism.cost", cost_of_mechanism},
    {"mechanism.pattern", pattern_of_mechanism},
};

}  // namespace

constinit const std::span<const NamedOperation> catalogue_operations = list;

}  // namespace qkv::dynamic
