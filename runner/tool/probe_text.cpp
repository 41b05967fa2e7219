#include <fmt/format.h>

#include <algorithm>

#include "probe_report.hpp"

namespace ulpfuzz::tool {
namespace {

constexpr std::size_t text_width = 110;

/// Words, broken into lines after the first, which begins at `start`.
std::string wrapped(const std::string& text, std::size_t start, std::size_t indent) {
  std::string out;
  std::size_t column = start;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t length = end - at;
    if (column > indent && column + length + 1 > text_width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (at > 0) {
      out += ' ';
      ++column;
    }
    out.append(text, at, length);
    column += length;
    at = end + 1;
  }
  return out;
}

std::string claim_text(const Arithmetic& a) {
  std::string text = fmt::format(
      "{} operands", a.split != Split::none ? std::string_view("split") : traits(a.operand).name);
  text += fmt::format(", sums in {}", traits(a.accumulate).name);
  if (a.unit.block > 0)
    text += fmt::format(" by a matmul unit of {} products, {} fractional bits", a.unit.block,
                        a.unit.fraction);
  if (a.partials > 1)
    text += fmt::format(", at most {} partial sums in {}", a.partials, traits(a.partial).name);
  if (a.mixed) text += ", or products in plain fp32";
  text += fmt::format(", outputs in {}{}", traits(a.store).name,
                      a.flushes_subnormals ? ", subnormals flushed" : "");
  const ElementaryAccuracy& e = a.elementary;
  return text + fmt::format("; ulps: exp {:g}{}, tanh {:g}, erf {:g}, log1p {:g}, rsqrt {:g}",
                            e.exp,
                            e.exp_per_unit > 0 ? fmt::format(" + {:g} |x|", e.exp_per_unit) : "",
                            e.tanh, e.erf, e.log1p, e.rsqrt);
}

std::string places_text(const std::vector<std::string>& places) {
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : "; ", places[i]);
  return text;
}

void write_finding(const probe::Finding& f, std::string& out) {
  out += f.claim_broken ? " ! " : "   ";
  out += wrapped(fmt::format("{}: {}", f.what, f.value), 3, 6) + "\n";
}

void write_findings(const probe::Report& report, std::string& out) {
  out += "\nfindings:\n";
  for (const auto& f : report.findings)
    if (!f.claim_broken) write_finding(f, out);
}

void write_orders(const probe::Report& report, std::string& out) {
  out += "\norders of summation:\n";
  for (const OrderGroup& g : group_orders(report)) {
    out += "   " + wrapped(g.text, 3, 6) + "\n";
    out += "      " + wrapped(places_text(g.places), 6, 6) + "\n";
    if (!g.first->proof.empty()) out += "      " + g.first->proof + "\n";
  }
}

void write_batches(const probe::Report& report, const probe::Options& options, std::string& out) {
  if (report.batch_classes.empty()) return;
  out += fmt::format("\nbatch sizes (linear+bias {} -> 16):\n",
                     *std::max_element(options.inner.begin(), options.inner.end()));
  for (const auto& c : report.batch_classes) {
    const std::string head = fmt::format("   {}: ", probe::compact(c.sizes));
    out += head + wrapped(c.behaviour, head.size(), 6) + "\n";
  }
}

void write_breaches(const probe::Report& report, bool interrupted, std::string& out) {
  const auto broken = std::count_if(report.findings.begin(), report.findings.end(),
                                    [](const auto& f) { return f.claim_broken; });
  if (broken > 0)
    out += fmt::format("\nbroken claims and faults ({}):\n", broken);
  else
    out += interrupted ? "\nnot decided: interrupted before all was asked\n" : "\nclaims hold\n";
  for (const auto& f : report.findings) {
    if (!f.claim_broken) continue;
    write_finding(f, out);
    if (!f.evidence.empty()) out += "      " + wrapped(f.evidence, 6, 6) + "\n";
  }
}

/// Words do not tell apart trees that have no name.
bool same_tree(const probe::SumTree& a, const probe::SumTree& b) {
  return a.nodes.size() != b.nodes.size() || probe::describe(a).find("no usual") != 0 ||
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(),
                    [](const auto& x, const auto& y) {
                      return x.term == y.term && x.children == y.children;
                    });
}

}  // namespace

std::vector<OrderGroup> group_orders(const probe::Report& report) {
  std::vector<OrderGroup> groups;
  for (const auto& order : report.orders) {
    const std::string text = probe::describe(order.tree);
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const OrderGroup& g) {
      return g.text == text && same_tree(g.first->tree, order.tree) &&
             g.first->tree.revealed == order.tree.revealed && g.first->proof == order.proof &&
             (!order.tree.revealed || probe::leaves(g.first->tree) == probe::leaves(order.tree));
    });
    if (at == groups.end())
      groups.push_back({&order, text, {order.where}});
    else
      at->places.push_back(order.where);
  }
  return groups;
}

std::string probe_text(const probe::Report& report, const Subject& subject,
                       const std::string& named, const probe::Options& options, bool interrupted) {
  std::string out = fmt::format("ulpfuzz probe: {}\n", report.subject);
  if (const std::string environment = subject.environment(); !environment.empty())
    out += "   " + wrapped(environment, 3, 3) + "\n";
  const std::string before = named.empty() ? "   claims " : fmt::format("   judged as {}: ", named);
  out += before + wrapped(claim_text(subject.arithmetic()), before.size(), 6) + "\n";
  write_findings(report, out);
  write_orders(report, out);
  write_batches(report, options, out);
  write_breaches(report, interrupted, out);
  return out;
}

}  // namespace ulpfuzz::tool
