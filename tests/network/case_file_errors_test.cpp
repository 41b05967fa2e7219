#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "random_case.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

// y = x w^T, batch 3.
json document() {
  return json::parse(R"({"ulpfuzz_case": 1, "notes": {"cause": "x"},
    "network": {"nodes": [{"op": "input", "shape": [1, 2]}, {"op": "parameter", "shape": [1, 2]},
                          {"op": "linear", "args": [0, 1]}], "outputs": [2]},
    "parameters": [{"rows": 1, "cols": 2, "data": ["1 2"]}],
    "inputs": [{"rows": 3, "cols": 2, "data": ["1 2", "3 4", "5 6"]}],
    "split": [{"rows": "0-2", "padding": 0}]})");
}

std::string error_of(const std::string& text) {
  try {
    case_from_text(text, "a.case.json", "nowhere");
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

void expect_error(const std::function<void(json&)>& change, const std::string& message) {
  json d = document();
  ASSERT_EQ(error_of(d.dump()), "no error");
  change(d);
  EXPECT_THAT(error_of(d.dump()), testing::StartsWith("a.case.json: " + message));
}

TEST(CaseTextErrors, NameTheLineAndColumnOfWhatIsNotJson) {
  EXPECT_EQ(error_of("{\n  \"ulpfuzz_case\": ,\n}"),
            "a.case.json: line 2, column 19: not JSON here; mend or restore the file");
  EXPECT_THAT(error_of(""), testing::StartsWith("a.case.json: line 1, column 1: not JSON"));
  EXPECT_THAT(error_of("{} {}"), testing::StartsWith("a.case.json: line 1, column 4: not JSON"));
  EXPECT_THAT(error_of(std::string(100'000, '[')),
              testing::StartsWith("a.case.json: line 1, column 65: nested 65 deep"));
  EXPECT_THAT(
      error_of(R"({"ulpfuzz_case": 1, "ulpfuzz_case": 1})"),
      testing::StartsWith("a.case.json: ulpfuzz_case: given twice in one object; keep one"));
  EXPECT_THAT(error_of(R"({"ulpfuzz_case": 1e999})"), testing::HasSubstr("JSON"));
}

TEST(CaseTextErrors, RefuseOtherDocumentsAndNewerVersions) {
  EXPECT_THAT(error_of("[]"), testing::StartsWith("a.case.json: top level: not an object"));
  EXPECT_THAT(error_of("{}"), testing::HasSubstr("no field \"ulpfuzz_case\""));
  expect_error(
      [](json& d) { d["ulpfuzz_case"] = 2; },
      "ulpfuzz_case: version 2 is newer than 1, the newest this program knows; use a newer");
  expect_error([](json& d) { d["ulpfuzz_case"] = 0; }, "ulpfuzz_case: there is no version 0");
  expect_error([](json& d) { d["ulpfuzz_case"] = "1"; },
               "ulpfuzz_case: \"1\" is not a whole number");
}

TEST(CaseTextErrors, NameThePlaceInTheNetwork) {
  const auto node = [](json& d, int i) -> json& { return d["network"]["nodes"][i]; };
  expect_error([&](json& d) { node(d, 2)["op"] = "liner"; },
               "network.nodes[2].op: unknown op \"liner\"");
  expect_error([&](json& d) { node(d, 2)["args"][1] = 2; },
               "network.nodes[2].args[1]: node 2 does not come before node 2");
  expect_error(
      [&](json& d) {
        node(d, 2)["args"] = {0, 1, 1, 1};
      },
      "network.nodes[2].args: 4 operands");
  expect_error([&](json& d) { node(d, 1)["shape"] = {1, 3}; }, "network.nodes[2]: linear: ");
  expect_error(
      [&](json& d) {
        node(d, 1)["shape"] = {1u << 24, 1u << 24};
      },
      "network.nodes[1]: a value of 281474976710656 elements");
  expect_error(
      [&](json& d) {
        node(d, 1)["shape"] = {1, 1e30};
      },
      "network.nodes[1].shape[1]: 1e+30 is not a whole number");
  expect_error([&](json& d) { node(d, 1)["shape"] = {-1, 2}; }, "network.nodes[1].shape[0]: -1 is");
  expect_error([&](json& d) { node(d, 2)["id"] = 3; }, "network.nodes[2].id: this is node 2");
  expect_error(
      [&](json& d) {
        node(d, 2)["shape"] = {1, 1};
      },
      "network.nodes[2]: linear has no field \"shape\"");
  expect_error([&](json& d) { node(d, 2)["alfa"] = 1; },
               "network.nodes[2]: unknown field \"alfa\"; fields here: id op args");
  expect_error([&](json& d) { d["network"]["outputs"] = {9}; }, "network.outputs[0]: node 9");
  expect_error([&](json& d) { d["network"]["outputs"] = json::array(); }, "top level: case: ");
}

TEST(CaseTextErrors, NameThePlaceInTensorsAndSplit) {
  expect_error([](json& d) { d["inputs"][0]["data"][1] = "3 4 5"; },
               "inputs[0].data[1]: 3 values in a row of 2");
  expect_error([](json& d) { d["inputs"][0]["data"][1] = "3 four"; },
               "inputs[0].data[1]: \"four\" (value 1) is no float; floats are written");
  expect_error([](json& d) { d["inputs"][0]["rows"] = 4; }, "inputs[0].data: 3 strings for 4 rows");
  expect_error([](json& d) { d["inputs"][0]["rows"] = 4000000000u; },
               "inputs[0]: 4000000000 x 2 has a dimension above");
  expect_error([](json& d) { d["inputs"][0]["data"] = "1 2"; }, "inputs[0].data: not a list");
  expect_error([](json& d) { d["inputs"].push_back(d["inputs"][0]); }, "top level: case: ");
  expect_error([](json& d) { d["parameters"].clear(); }, "top level: case: ");
  expect_error([](json& d) { d.erase("inputs"); }, "top level: field \"inputs\" is missing");
  expect_error([](json& d) { d["split"][0]["rows"] = "0-3"; },
               "split[0].rows: row 3 of a batch of 3");
  for (const char* rows : {"1-0", "a", "1-", "-1", "0,", ",0", "0 1", "0-1-2", "99999999999"})
    expect_error([&](json& d) { d["split"][0]["rows"] = rows; }, "split[0].rows: ");
  expect_error([](json& d) { d["split"][0]["padding"] = 4000000000u; }, "split[0].padding: ");
  expect_error([](json& d) { d["layout"] = {{"batch_offset", 16}}; }, "layout.batch_offset: 16 is");
  expect_error([](json& d) { d["notes"]["cause"] = 3; }, "notes.cause: not a string");
}

TEST(CaseTextErrors, KeepReferencesBesideTheFile) {
  for (const char* name : {"/etc/passwd", "../x.network.json", "a/../../x", ""}) {
    expect_error(
        [&](json& d) {
          d.erase("parameters");
          d["network"] = {{"file", name}};
        },
        "network.file: not the name of a file beside this one");
  }
  expect_error(
      [](json& d) {
        d["network"] = {{"file", "x.network.json"}};
      },
      "parameters: given though the network file holds them");
  json d = document();
  d.erase("parameters");
  d["network"] = {{"file", "x.network.json"}};
  EXPECT_THAT(error_of(d.dump()),
              testing::StartsWith("nowhere/x.network.json: open: No such file"));
}

TEST(CaseTextErrors, StayOnOneLine) {
  expect_error([](json& d) { d["network"]["nodes"][2]["op"] = "a\nb"; },
               "network.nodes[2].op: unknown op \"a b\"");
}

TEST(NetworkTextErrors, HoldParametersAgainstTheNetwork) {
  json d = document();
  json network{{"ulpfuzz_network", 1}, {"network", d["network"]}, {"parameters", d["parameters"]}};
  EXPECT_NO_THROW(network_from_text(network.dump(), "n"));
  network["parameters"][0] = d["inputs"][0];
  try {
    network_from_text(network.dump(), "n");
    ADD_FAILURE();
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(),
                 "n: parameters: parameter 0 is 3 x 2, its node 1 x 2; make them agree");
  }
}

}  // namespace
}  // namespace ulpfuzz
