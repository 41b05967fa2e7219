#include <memory>
#include <random>

#include "emulated/product.hpp"
#include "emulation/jobs.hpp"
#include "ulpfuzz/kernels/device.hpp"

namespace ulpfuzz::bench {
namespace {

struct Setting {
  std::string name;
  Arithmetic arithmetic;
  bool fused = false;
};

Arithmetic operands(Format format, Rounding conversion) {
  Arithmetic a;
  a.operand = format;
  a.conversion = conversion;
  return a;
}
Arithmetic unit(Format format, MatmulUnit which) {
  Arithmetic a = operands(format, Rounding::nearest_even);
  a.unit = which;
  return a;
}
Arithmetic split(Split how, MatmulUnit which) {
  Arithmetic a;
  a.split = how;
  a.unit = which;
  return a;
}
Arithmetic sums(Format format) {
  Arithmetic a;
  a.accumulate = format;
  return a;
}
Arithmetic flushing(Arithmetic a) {
  a.flushes_subnormals = true;
  return a;
}
Arithmetic half_sums(MatmulUnit which) {
  Arithmetic a = unit(Format::fp16, which);
  a.accumulate = Format::fp16;
  return a;
}

constexpr struct {
  const char* name;
  Rounding rounding;
} roundings[] = {{"to even", Rounding::nearest_even},
                 {"to away", Rounding::nearest_away},
                 {"to zero", Rounding::toward_zero}};
constexpr struct {
  const char* name;
  Split split;
  MatmulUnit unit;
} splits[] = {{"bf16x3", Split::bf16x3, matmul_units::ampere_half},
              {"bf16x6", Split::bf16x6, matmul_units::ampere_half},
              {"bf16x9", Split::bf16x9, matmul_units::ampere_half},
              {"tf32x3", Split::tf32x3, matmul_units::ampere_tf32}};

/// Sums that round as usual.
std::vector<Setting> ordinary_settings() {
  std::vector<Setting> list{{"fp32", {}}, {"fp32, fma", {}, true}, {"fp32, ftz", flushing({})}};
  for (const Format format : {Format::tf32, Format::bf16, Format::fp16})
    for (const auto& r : roundings)
      list.push_back({std::string(traits(format).name) + " operands, " + r.name,
                      operands(format, r.rounding)});
  for (const auto& s : splits) list.push_back({s.name, split(s.split, {})});
  for (const Format format : {Format::fp64, Format::tf32, Format::bf16, Format::fp16})
    list.push_back({"sums in " + std::string(traits(format).name), sums(format)});
  return list;
}

std::vector<Setting> unit_settings() {
  std::vector<Setting> list{
      {"Volta fp16 {4, 23}", unit(Format::fp16, matmul_units::volta_half)},
      {"Turing fp16 {8, 24}", unit(Format::fp16, matmul_units::turing_half)},
      {"Ampere tf32 {4, 24}", unit(Format::tf32, matmul_units::ampere_tf32)},
      {"Ampere bf16 {8, 24}", unit(Format::bf16, matmul_units::ampere_half)},
      {"Hopper tf32 {8, 25}", unit(Format::tf32, matmul_units::hopper_tf32)},
      {"Hopper fp16 {16, 25}", unit(Format::fp16, matmul_units::hopper_half)}};
  for (const auto& r : {roundings[1], roundings[2]}) {
    list.push_back({std::string("Ampere tf32, ") + r.name, list[2].arithmetic});
    list.back().arithmetic.conversion = r.rounding;
  }
  list.push_back({"Ampere tf32, ftz", flushing(list[2].arithmetic)});
  list.push_back({"Ampere fp16, sums in fp16", half_sums(matmul_units::ampere_half)});
  list.push_back({"Hopper fp16, sums in fp16", half_sums(matmul_units::hopper_half)});
  for (const auto& s : splits)
    list.push_back({std::string(s.name) + " by Ampere", split(s.split, s.unit)});
  return list;
}

/// Operands and result, shared by all jobs.
struct Data {
  Shape shape;
  std::vector<float> a, b, y;
  std::unique_ptr<kernels::Device> device = kernels::make_host_device();
};

Job panel_job(const std::shared_ptr<Data>& data, const Setting& s) {
  return {"panel " + s.name, "panel fp32", 0, [data, s] {
            const Shape& d = data->shape;
            const emulated::Product product{
                d.m, d.k, d.n,     data->a.data(), d.k, 1, data->b.data(),
                1,   d.k, nullptr, data->y.data(), d.n};
            emulated::multiply(product, s.arithmetic, {.fused = s.fused}, true);
          }};
}

kernels::Product product_of(Data& data) {
  const Shape& d = data.shape;
  return {.m = d.m,
          .n = d.n,
          .k = d.k,
          .a = data.a.data(),
          .a_row = d.k,
          .a_step = 1,
          .b = data.b.data(),
          .b_step = 1,
          .b_column = d.k,
          .y = data.y.data()};
}

Job kernel_job(const std::shared_ptr<Data>& data, const Setting& s) {
  kernels::Launch launch;
  if (s.arithmetic.unit.block == 0) {
    kernels::Gemm gemm;
    gemm.product = product_of(*data);
    gemm.tile = kernels::Tile::m32n32k8;
    gemm.fused = s.fused;
    launch = gemm;
  } else {
    kernels::UnitGemm gemm;
    gemm.product = product_of(*data);
    gemm.unit = s.arithmetic.unit;
    gemm.operand = s.arithmetic.operand;
    gemm.conversion = s.arithmetic.conversion;
    gemm.split = s.arithmetic.split;
    gemm.accumulate = s.arithmetic.accumulate;
    gemm.flushes_subnormals = s.arithmetic.flushes_subnormals;
    launch = gemm;
  }
  return {"kernel " + s.name, "kernel fp32", 0,
          [data, launch] { data->device->launch(launch, nullptr); }};
}

}  // namespace

std::vector<Job> product_jobs(const Shape& shape) {
  const auto data = std::make_shared<Data>();
  data->shape = shape;
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  for (auto* v : {&data->a, &data->b}) {
    v->resize((v == &data->a ? shape.m : shape.n) * shape.k);
    for (float& x : *v) x = normal(random);
  }
  data->y.resize(shape.m * shape.n);
  std::vector<Job> jobs;
  for (const Setting& s : ordinary_settings()) {
    jobs.push_back(panel_job(data, s));
    if (s.name == "fp32" || s.fused) jobs.push_back(kernel_job(data, s));
  }
  for (const Setting& s : unit_settings()) {
    jobs.push_back(panel_job(data, s));
    jobs.push_back(kernel_job(data, s));
  }
  for (Job& job : jobs) job.work = static_cast<double>(shape.m * shape.n * shape.k);
  return jobs;
}

}  // namespace ulpfuzz::bench
