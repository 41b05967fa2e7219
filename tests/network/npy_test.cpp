#include "ulpfuzz/network/npy.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "random_case.hpp"

namespace ulpfuzz {
namespace {

using random_cases::below;
using random_cases::Random;
using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string bytes;
  for (const T x : values) bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  return bytes;
}

/// A file of any version around a header as it stands.
std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 255);
  return bytes + header + data;
}

std::string header(const std::string& dtype, const std::string& shape, bool fortran = false) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", dtype,
                     fortran ? "True" : "False", shape);
}

template <class T>
std::string npy_error(const std::string& bytes) {
  try {
    npy_from_bytes<T>(bytes, "a.npy");
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "no error";
}

const std::string six = raw<float>({0, 1, 2, 3, 4, 5});

TEST(Npy, ReadsWhatNumPyWritesAndWritesTheSameBytes) {
  // numpy.save of numpy.arange(6, dtype=numpy.float32).reshape(2, 3), NumPy 1.24
  const std::string saved = npy(
      fmt::format("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"), six);
  const auto array = npy_from_bytes<float>(saved, "a.npy");
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_THAT(array.data, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(to_npy(array.shape, array.data), saved);
}

TEST(Npy, PadsItsHeaderAsNumPyDoes) {
  const auto written = [](std::vector<std::size_t> shape) {
    std::size_t count = 1;
    for (const std::size_t n : shape) count *= n;
    return to_npy(shape, std::vector<float>(count));
  };
  EXPECT_EQ(written({}).size(), 132);
  EXPECT_EQ(written({3}).size(), 140);
  EXPECT_EQ(written({0, 4}).size(), 128);
  std::vector<std::size_t> long_shape(20, 1);
  long_shape.insert(long_shape.end(), {123456789012, 0});
  EXPECT_EQ(written(long_shape).size(), 192);
}

TEST(Npy, KnowsScalarsVectorsAndEmptyArrays) {
  EXPECT_THAT(npy_from_bytes<float>(npy(header("<f4", "()"), raw<float>({7})), "a").data,
              ElementsAre(7));
  EXPECT_THAT(npy_from_bytes<float>(npy(header("<f4", "(6,)"), six), "a").shape, ElementsAre(6));
  const auto empty = npy_from_bytes<float>(npy(header("<f4", "(0, 9223372036854775807)"), ""), "a");
  EXPECT_THAT(empty.shape, ElementsAre(0, 9223372036854775807u));
  EXPECT_TRUE(empty.data.empty());
}

TEST(Npy, TurnsFortranOrderIntoRows) {
  EXPECT_THAT(npy_from_bytes<float>(npy(header("<f4", "(2, 3)", true), six), "a").data,
              ElementsAre(0, 2, 4, 1, 3, 5));
  // [i][j][k] of a (2, 1, 3) array in Fortran order lies at i + 2 k.
  EXPECT_THAT(npy_from_bytes<float>(npy(header("<f4", "(2, 1, 3)", true), six), "a").data,
              ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(npy_from_bytes<float>(npy(header("<f4", "(3, 2, 1)", true), six), "a").data,
              ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(npy_from_bytes<float>(npy(header("<f4", "(6,)", true), six), "a").data,
              ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Npy, ReadsVersionsOneToThreeAndHeadersOfAnyHand) {
  for (const int version : {1, 2, 3})
    EXPECT_EQ(npy_from_bytes<float>(npy(header("<f4", "(2, 3)"), six, version), "a").data.size(),
              6);
  const std::string other = "{\"shape\":(2L,3L,),\"fortran_order\" : False,\n \"descr\":\"<f4\"}";
  EXPECT_THAT(npy_from_bytes<float>(npy(other, six), "a").shape, ElementsAre(2, 3));
  EXPECT_THAT(npy_error<float>(npy(header("<f4", "(2, 3)"), six, 4)), HasSubstr("version 4.0"));
}

TEST(Npy, KeepsEveryBit) {
  const std::vector<std::uint32_t> bits = {0x80000000, 0x7fc00001, 0x7f800001, 0xff800000, 1};
  std::vector<float> values;
  for (const std::uint32_t b : bits) values.push_back(std::bit_cast<float>(b));
  const auto back = npy_from_bytes<float>(to_npy(std::vector<std::size_t>{5}, values), "a").data;
  ASSERT_EQ(back.size(), bits.size());
  EXPECT_EQ(std::memcmp(back.data(), bits.data(), sizeof(float) * bits.size()), 0);
}

TEST(Npy, ReadsFloat64OnlyWhereAsked) {
  const std::string wide = npy(header("<f8", "(2,)"), raw<double>({1.25, 1e-300}));
  EXPECT_THAT(npy_from_bytes<double>(wide, "a").data, ElementsAre(1.25, 1e-300));
  EXPECT_THAT(npy_from_bytes<double>(npy(header("<f4", "(6,)"), six), "a").data,
              ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(npy_error<float>(wide),
            "a.npy: dtype: it is float64, not float32; save it with "
            "numpy.save(FILE, a.astype(numpy.float32))");
}

TEST(Npy, NamesOtherDtypesAndHowToMendThem) {
  const std::pair<const char*, const char*> dtypes[] = {{"<i8", "int64"},
                                                        {"<f2", "float16"},
                                                        {">f4", "big-endian float32"},
                                                        {"|b1", "bool"},
                                                        {"|O", "object"},
                                                        {"|V2", "raw 2-byte values (bfloat16?)"},
                                                        {"<U3", "strings"},
                                                        {"|u1", "uint8"},
                                                        {"<c8", "complex64"},
                                                        {"<M8[ns]", "\"<M8[ns]\""},
                                                        {"", "\"\""},
                                                        {"<f999999999999", "\"<f999999999999\""}};
  for (const auto& [dtype, words] : dtypes)
    EXPECT_THAT(npy_error<float>(npy(header(dtype, "(6,)"), six)),
                testing::AllOf(HasSubstr(fmt::format("it is {}, not", words)),
                               HasSubstr("astype(numpy.float32)")));
  EXPECT_THAT(npy_error<float>(
                  npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,), }", six)),
              HasSubstr("structured array"));
}

TEST(Npy, TellsWhatOtherFilesAre) {
  EXPECT_THAT(npy_error<float>("0.1, 0.2\n0.3, 0.4\n"), HasSubstr("it is text (\"0.1, 0.2"));
  EXPECT_THAT(npy_error<float>("PK\x03\x04..."), HasSubstr(".npz or .pt archive"));
  EXPECT_THAT(npy_error<float>("\x80\x04\x95 pickle"), HasSubstr("pickle"));
  EXPECT_THAT(npy_error<float>("\x89HDF\r\n"), HasSubstr("no .npy array"));
  EXPECT_THAT(npy_error<float>(""), HasSubstr("the file is empty"));
}

TEST(Npy, RefusesFilesCutAnywhereAndFilesWithMore) {
  const std::string whole = npy(header("<f4", "(2, 3)"), six);
  ASSERT_EQ(npy_error<float>(whole), "no error");
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(npy_error<float>(whole.substr(0, n)), "no error") << n;
  EXPECT_THAT(npy_error<float>(whole.substr(0, whole.size() - 1)),
              HasSubstr("data: 23 bytes for shape (2, 3), which needs 24: the file is cut short"));
  EXPECT_THAT(npy_error<float>(whole + whole), HasSubstr("holds more than one array"));
}

TEST(Npy, TakesNoMemoryForWhatAHeaderClaims) {
  EXPECT_THAT(npy_error<float>(npy(header("<f4", "(1000000000000,)"), six)),
              HasSubstr("cut short"));
  for (const char* shape :
       {"(4294967296, 4294967296)", "(18446744073709551615,)", "(9223372036854775807, 2, 2)"})
    EXPECT_THAT(npy_error<float>(npy(header("<f4", shape), six)),
                HasSubstr("larger than any memory"));
  EXPECT_THAT(npy_error<float>(npy(header("<f4", "(18446744073709551616,)"), six)),
              HasSubstr("no length of an axis"));
  std::string huge = npy(header("<f4", "(6,)"), six, 2);
  huge[11] = '\x7f';
  EXPECT_THAT(npy_error<float>(huge), HasSubstr("where 65536 are plenty"));
  std::string axes = "(1";
  for (int i = 0; i < 64; ++i) axes += ", 1";
  EXPECT_THAT(npy_error<float>(npy(header("<f4", axes + ")"), raw<float>({1}))),
              HasSubstr("more than 64 axes"));
}

TEST(Npy, RefusesHeadersThatNumPyWouldNotRead) {
  for (const char* bad : {"", "{}", "{'descr': '<f4', 'shape': (6,)}",
                          "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (-6,)}",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': [6]}",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'shape': (6,)}",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'more': 1}",
                          "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} + evil()",
                          "{'descr': '<f4, 'fortran_order': False, 'shape': (6,)}"})
    EXPECT_THAT(npy_error<float>(npy(bad, six)), HasSubstr("a.npy: header: ")) << bad;
}

TEST(Npy, RefusesToWriteWhatDoesNotFitTheShape) {
  EXPECT_THROW(to_npy(std::vector<std::size_t>{2, 3}, std::vector<float>(5)),
               std::invalid_argument);
}

TEST(DamagedNpy, IsReadOrRefusedInOneLine) {
  Random random(77);
  int read = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const bool fortran = below(random, 2) != 0;
    std::string bytes = npy(header(below(random, 4) != 0 ? "<f4" : "<f8", "(2, 3)", fortran), six,
                            1 + static_cast<int>(below(random, 3)));
    for (std::uint32_t n = below(random, 4); n > 0; --n) {
      const std::size_t at = below(random, static_cast<std::uint32_t>(bytes.size()));
      if (below(random, 4) == 0)
        bytes.insert(at, 1, "(){}',0129"[below(random, 10)]);
      else if (below(random, 4) == 0)
        bytes.erase(at, 1);
      else
        bytes[at] = static_cast<char>(random());
    }
    ++(npy_error<double>(bytes) == "no error" ? read : refused);
  }
  EXPECT_GT(read, 2'000);
  EXPECT_GT(refused, 5'000);
}

}  // namespace
}  // namespace ulpfuzz
