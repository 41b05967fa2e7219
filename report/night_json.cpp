#include "night_schema.hpp"
#include "ulpfuzz/report/members.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/member_write.hpp"
#include "words.hpp"

namespace ulpfuzz::report {
namespace {

using Json = nlohmann::ordered_json;  // in the order of the lists of members

Json states_of(const Night& night) {
  Json states = Json::object();
  for (std::size_t i = 0; i < bucket_states; ++i)
    states[std::string(name(static_cast<BucketState>(i)))] =
        count(night, static_cast<BucketState>(i));
  return states;
}

}  // namespace

std::string to_json(const Night& night) {
  Json all = Json::object();
  all["schema"] = night_schema;
  all["kind"] = night_kind;
  all["headline"] = headline(night);
  all["states"] = states_of(night);
  all["cases_per_second"] = cases_per_second(night);
  all.update(to_object<Json>(night));
  return dump(all, 1) + "\n";
}

}  // namespace ulpfuzz::report
