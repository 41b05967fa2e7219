#include "night_schema.hpp"
#include "ulpfuzz/report/members.hpp"
#include "ulpfuzz/runner/member_write.hpp"

namespace ulpfuzz::report {
namespace {

using Json = nlohmann::ordered_json;  // in the order of the lists of members

Json states_of(const Night& night) {
  Json states = Json::object();
  for (std::size_t i = 0; i < bucket_states; ++i)
    states[std::string(name(static_cast<BucketState>(i)))] = 0;
  for (const NightBucket& b : night.buckets) {
    Json& count = states[std::string(name(b.state))];
    count = count.get<std::uint64_t>() + 1;
  }
  return states;
}

}  // namespace

std::string to_json(const Night& night) {
  Json all = Json::object();
  all["schema"] = night_schema;
  all["kind"] = night_kind;
  all["headline"] = headline(night);
  all["states"] = states_of(night);
  all["cases_per_second"] =
      json_number(night.seconds > 0 ? static_cast<double>(night.cases) / night.seconds : 0);
  all.update(to_object<Json>(night));
  // Messages of subjects are anything: what is not UTF-8 is replaced.
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ulpfuzz::report
