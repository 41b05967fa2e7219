#include "context.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "../walk.hpp"
#include "gpu_kernels.hpp"

namespace ulpfuzz::gpu {

Context::Context(std::unique_ptr<kernels::Device> device, std::unique_ptr<kernels::Blas> blas)
    : device_(std::move(device)),
      blas_(std::move(blas)),
      memory_(*device_),
      work_(*device_, blas_.get(), memory_) {}

void Context::run(std::string_view subject, const Profile& profile,
                  std::span<const Evaluation> evaluations) {
  try {
    lay_out(evaluations);
    queue(profile, evaluations);
    device_->synchronize();
  } catch (...) {
    try {
      device_->synchronize();
    } catch (const kernels::DeviceError&) {  // the first error says more
    }
    throw;
  }
  memory_.judge(subject);
  for (std::size_t i = 0; i < evaluations.size(); ++i) plans_[i].write_outputs(out_.data());
}

// Uploaded, downloaded and other values follow each other in one piece.
void Context::lay_out(std::span<const Evaluation> evaluations) {
  memory_.clear();
  regions_.in.clear();
  regions_.out.clear();
  regions_.work.clear();
  if (plans_.size() < evaluations.size()) plans_.resize(evaluations.size());
  for (std::size_t i = 0; i < evaluations.size(); ++i)
    plans_[i].lay_out(evaluations[i], regions_, i == 0 ? nullptr : &plans_[i - 1]);
  const std::size_t in = regions_.in.size();
  const std::size_t out = regions_.out.size();
  const std::size_t work = regions_.work.size();
  float* const base = memory_.take(in + out + work);
  const Bases bases{base, base + in, base + in + out};
  memory_.guard(regions_.in, bases.in);
  memory_.guard(regions_.out, bases.out);
  memory_.guard(regions_.work, bases.work);
  in_.assign(in, std::bit_cast<float>(unwritten_bits));
  out_.resize(out);
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    plans_[i].gather(in_.data());
    plans_[i].settle(bases, work_);
  }
  work_.select(0);
  device_->fill(bases.out, unwritten_bits, out + work);
  device_->upload(bases.in, in_.data(), in * sizeof(float));
  out_base_ = bases.out;
}

void Context::queue(const Profile& profile, std::span<const Evaluation> evaluations) {
  device_->fork();
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    work_.select(static_cast<unsigned>(i % device_->streams()));
    const GpuPlan& plan = plans_[i];
    const GpuKernels kernels(profile, plan, work_);
    const Walker<GpuPlan, GpuKernels> walker(kernels, plan);
    const auto count = static_cast<NodeId>(plan.network().nodes().size());
    for (NodeId id = 0; id < count; ++id) walker.visit(id);
    plan.copy_outputs();
  }
  work_.select(0);
  device_->join();
  memory_.check();
  device_->download(out_.data(), out_base_, out_.size() * sizeof(float));
}

}  // namespace ulpfuzz::gpu
