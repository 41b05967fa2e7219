#include <array>

#include "probe_report.hpp"

namespace ulpfuzz::tool {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 5> fusion_names{"unseen", "separate", "fused", "mixed", "exact"};

json tree_json(const probe::SumTree& tree) {
  json nodes = json::array();
  for (const auto& node : tree.nodes)
    nodes.push_back(node.children.empty() ? json{{"term", node.term}}
                                          : json{{"children", node.children}});
  return {{"revealed", tree.revealed},
          {"why", tree.why},
          {"terms", tree.revealed ? probe::leaves(tree) : 0},
          {"bias", tree.bias},
          {"fma", fusion_names[static_cast<std::size_t>(tree.fusion)]},
          {"root", tree.root},
          {"nodes", nodes}};
}

probe::SumTree tree_from(const json& j) {
  probe::SumTree tree;
  tree.revealed = j.at("revealed");
  tree.why = j.at("why");
  tree.bias = j.at("bias");
  tree.root = j.at("root");
  const std::string fma = j.at("fma");
  for (std::size_t i = 0; i < fusion_names.size(); ++i)
    if (fma == fusion_names[i]) tree.fusion = static_cast<probe::Fusion>(i);
  for (const json& node : j.at("nodes")) {
    probe::SumTree::Node n;
    if (node.contains("term")) n.term = node.at("term");
    if (node.contains("children")) n.children = node.at("children").get<std::vector<std::size_t>>();
    tree.nodes.push_back(std::move(n));
  }
  return tree;
}

}  // namespace

json probe_json(const probe::Report& report) {
  json findings = json::array();
  for (const auto& f : report.findings)
    findings.push_back({{"what", f.what},
                        {"value", f.value},
                        {"evidence", f.evidence},
                        {"claim_broken", f.claim_broken}});
  json orders = json::array();
  for (const auto& o : report.orders)
    orders.push_back({{"where", o.where},
                      {"order", probe::describe(o.tree)},
                      {"proof", o.proof},
                      {"tree", tree_json(o.tree)}});
  json classes = json::array();
  for (const auto& c : report.batch_classes)
    classes.push_back(
        {{"sizes", c.sizes}, {"text", probe::compact(c.sizes)}, {"behaviour", c.behaviour}});
  return {{"subject", report.subject},
          {"claims_hold", report.claims_hold()},
          {"findings", findings},
          {"orders", orders},
          {"batch_classes", classes}};
}

probe::Report probe_report_from(const json& j) {
  probe::Report report;
  report.subject = j.at("subject");
  for (const json& f : j.at("findings"))
    report.findings.push_back(
        {f.at("what"), f.at("value"), f.at("evidence"), f.at("claim_broken").get<bool>()});
  for (const json& o : j.at("orders"))
    report.orders.push_back({o.at("where"), tree_from(o.at("tree")), o.at("proof")});
  for (const json& c : j.at("batch_classes"))
    report.batch_classes.push_back(
        {c.at("sizes").get<std::vector<std::size_t>>(), c.at("behaviour")});
  return report;
}

}  // namespace ulpfuzz::tool
