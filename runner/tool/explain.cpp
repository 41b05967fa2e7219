#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <new>

#include "../progress.hpp"
#include "../say.hpp"
#include "elapsed.hpp"
#include "explain_report.hpp"
#include "explain_subject.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

using diagnosis::Conclusion, diagnosis::Quantity;

struct Explain {
  Question question;
  std::string jacobian, batch_sizes, difference_sum, json;
  double timeout = 600;
  std::uint64_t memory = usual_memory_limit;
};

[[noreturn]] void refuse(std::string_view option, std::string_view problem,
                         std::string_view remedy) {
  throw FileError(fmt::format("{}: {}; {}", option, problem, remedy));
}

template <class Number>
std::errc parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() ? error : std::errc::invalid_argument;
}

void read_batch_sizes(const std::string& text, Question& q) {
  const std::size_t comma = text.find(',');
  const bool two = comma != text.npos;
  const std::string_view a = std::string_view(text).substr(0, comma);
  const std::string_view b = two ? std::string_view(text).substr(comma + 1) : std::string_view();
  const std::errc errors[] = {parse(a, q.batch_a), parse(b, q.batch_b)};
  for (int i = 0; i < 2; ++i)
    if (errors[i] == std::errc::result_out_of_range)
      refuse("--batch-sizes", fmt::format("{:.40} is too large for a number of rows", i ? b : a),
             "write those of a and b: 10,10000");
  if (!two || errors[0] != std::errc{} || errors[1] != std::errc{})
    refuse("--batch-sizes", fmt::format("\"{:.40}\" is no pair of numbers", text),
           "write those of a and b: 10,10000");
  if (q.batch_a == 0 || q.batch_b == 0)
    refuse("--batch-sizes", fmt::format("\"{:.40}\": no batch has 0 rows", text),
           "write sizes from 1 on, or leave it out");
}

void check_network_options(const Question& q) {
  const bool network = !q.network.empty(), file = !q.case_file.empty();
  if (network && file)
    refuse("--case", "given beside --network", "give one: a case brings a network");
  if (!network && !file)
    refuse("--network", "not given", "name a .network.json, or with --case a case");
  if (file && !q.inputs.empty())
    refuse("--input", "given beside --case, which brings its inputs", "drop one");
  if (network && q.inputs.empty())
    refuse("--input", "not given", "name the .npy file of the inputs");
}

/// A subject gives the results itself; a difference beside it is what it should reproduce.
void check_subject_options(const Question& q) {
  if (q.batch_a == 0)
    refuse("--batch-sizes", "not given",
           "name the two batches that the subject evaluates: 10,10000");
  if (!q.a.empty() || !q.b.empty() || q.difference_sum)
    refuse("--subject", "given beside results", "drop --a, --b and --difference-sum");
  if (q.quantity != Quantity::outputs)
    refuse("--jacobian", "given beside --subject, which is asked for outputs", "drop one");
}

void check_result_options(const Question& q) {
  if (!q.subject.empty()) return check_subject_options(q);
  const bool pair = !q.a.empty() || !q.b.empty();
  if (pair + !q.difference.empty() + q.difference_sum.has_value() > 1)
    refuse(q.difference.empty() ? "--difference-sum" : "--difference", "given beside other results",
           "give --a and --b, or --difference, or --difference-sum");
  if (q.a.empty() != q.b.empty())
    refuse(q.a.empty() ? "--a" : "--b", "not given", "name both results, --a and --b");
  if (!pair && q.difference.empty() && !q.difference_sum)
    refuse("--a", "no results given", "give --a and --b, or --difference, or --difference-sum");
}

void read_options(Explain& e, const CLI::App& verb) {
  Question& q = e.question;
  if (verb.count("--jacobian") > 0) {
    if (!e.jacobian.empty() && e.jacobian != "parameters" && e.jacobian != "inputs")
      refuse("--jacobian", fmt::format("\"{:.40}\" is no kind of gradient", e.jacobian),
             "write parameters or inputs");
    q.quantity = e.jacobian == "inputs" ? Quantity::input_jacobian : Quantity::parameter_jacobian;
  }
  if (verb.count("--batch-sizes") > 0) read_batch_sizes(e.batch_sizes, q);
  if (verb.count("--rows") > 0 && q.rows.empty())
    refuse("--rows", "names no row", "write 0-4,7,9, or leave it out");
  if (verb.count("--difference-sum") > 0) {
    double sum = 0;
    if (parse(e.difference_sum, sum) != std::errc{} || !(sum >= 0) || std::isinf(sum))
      refuse("--difference-sum",
             fmt::format("\"{:.40}\" is no sum of magnitudes", e.difference_sum),
             "write a number from 0 on: 1.4e-5");
    q.difference_sum = sum;
  }
  for (const char* limit : {"--timeout", "--memory"})
    if (verb.count(limit) > 0 && q.subject.empty())
      refuse(limit, "given without --subject, whose evaluation it limits", "drop it");
  check_network_options(q);
  check_result_options(q);
}

int exit_code(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::equal:
    case Conclusion::reordering:
      return 0;
    case Conclusion::suspicious:
    case Conclusion::other_cause:
      return 1;
    case Conclusion::undecidable:
      break;
  }
  return too_little;
}

/// A typing error must not cost an input. Weights are named by the network, which is not read yet.
void check_json(const Explain& e) {
  for (const char* suffix : {".npy", ".network.json", ".case.json", ".case"})
    if (e.json.ends_with(suffix))
      refuse("--json", fmt::format("{} is the name of an input", e.json), "name it FILE.json");
  const Question& q = e.question;
  for (const auto& file : {q.network, q.case_file}) check_not_input(e.json, file);
  for (const auto* files : {&q.inputs, &q.a, &q.b, &q.difference})
    for (const auto& file : *files) check_not_input(e.json, file);
}

/// "300 rows, 200,000 values"
std::string size_in_words(const Files& files, const Question& q) {
  std::size_t values = 0;
  for (const Node& node : files.network.network.nodes()) values += node.shape.size();
  if (!q.a.empty())
    values = std::max(values, files.a.size() / std::max<std::size_t>(files.rows, 1));
  return fmt::format("{} rows of {} values", with_commas(files.rows), with_commas(values));
}

int explain_files(Explain& e, Files& files, const Evaluated& evaluated) {
  std::vector<const float*> inputs;
  const auto explanation = [&] {
    const Elapsed watched("ulpfuzz explain: " + size_in_words(files, e.question));
    return diagnosis::explain(evidence_of(e.question, files, inputs));
  }();
  answer(is_stdout(e.json) ? stderr : stdout,
         evaluated.text + explanation_text(explanation, files.network.network, e.question));
  if (!write_json(e.json, explanation_json(explanation, evaluated.json))) return infrastructure;
  return exit_code(explanation.conclusion);
}

int run(Explain& e, const CLI::App& verb) {
  read_options(e, verb);
  check_json(e);
  if (!e.json.empty() && !is_stdout(e.json) && !can_write(e.json)) return infrastructure;
  const std::string& name = e.question.subject;
  const Registry registry = name.empty() ? Registry{} : all_subjects();
  const Subject* subject = name.empty() ? nullptr : &one_subject(registry, name);
  if (subject != nullptr && any_unavailable(registry, {std::string(subject->name())}))
    return infrastructure;
  try {
    Files files = read_files(e.question);
    if (subject == nullptr) return explain_files(e, files, {});
    if (const auto why = subject->unsupported(files.network.network)) {
      say(stderr, fmt::format("ulpfuzz: {} does not evaluate this network: {}\n", name, *why));
      return too_little;
    }
    return explain_files(e, files,
                         evaluate_subject(*subject, e.question, files, e.timeout, e.memory));
  } catch (const SubjectFault& fault) {
    say(stderr, fmt::format("ulpfuzz: {} fails on these rows ({}): {}\n", name,
                            ulpfuzz::name(fault.failure()), fault.what()));
    return 1;
  } catch (const std::bad_alloc&) {
    refuse("memory", "there is not enough for these rows", "name fewer with --rows");
  }
}

void add_files(CLI::App& verb, const std::string& name, std::vector<std::filesystem::path>& files,
               const std::string& description) {
  verb.add_option(name, files, description)->type_name("FILE")->allow_extra_args(false);
}

}  // namespace

void add_explain(CLI::App& app, int& code) {
  auto e = std::make_shared<Explain>();
  CLI::App* verb = app.add_subcommand("explain", "Say why two results of a network differ");
  Question& q = e->question;
  verb->add_option("--network", q.network, "The network and its weights (.network.json)")
      ->type_name("FILE");
  verb->add_option("--case", q.case_file, "A case instead: network, weights and inputs")
      ->type_name("FILE");
  add_files(*verb, "--input", q.inputs, "Inputs [rows, columns] (.npy); one an input, in order");
  verb->add_option("--rows", q.rows, "Rows of the inputs that the results belong to (default: all)")
      ->type_name("0-4,7,9");
  add_files(*verb, "--a", q.a, "One result (.npy): outputs [rows, columns]");
  add_files(*verb, "--b", q.b, "The other result");
  add_files(*verb, "--difference", q.difference, "Instead: a - b, float32 or float64");
  verb->add_option("--difference-sum", e->difference_sum, "Instead: the sum of |a - b|")
      ->type_name("VALUE");
  verb->add_option("--jacobian", e->jacobian,
                   "The results are gradients, with respect to all parameters (default) or inputs")
      ->expected(0, 1)
      ->type_name("[parameters|inputs]");
  verb->add_option("--batch-sizes", e->batch_sizes, "Batch sizes that a and b were part of")
      ->type_name("A,B");
  verb->add_option(
          "--subject", q.subject,
          "Instead of results: evaluate the first A and the first B rows with this subject; "
          "--difference is then what it should reproduce")
      ->type_name("NAME");
  add_duration(*verb, "--timeout", e->timeout, "A subject that takes longer hangs")
      ->default_str("600s");
  add_memory(*verb, e->memory);
  verb->add_option("--json", e->json, "The same for machines; - is stdout")->type_name("FILE");
  verb->footer(
      "A Jacobian is [rows, outputs, P], P the elements of all parameters in the order of the\n"
      "network, each flattened row by row; [rows, outputs, ...] of the same count fits, and so do\n"
      "several files, one a parameter: --a w1.npy --a b1.npy. A result of all rows is cut to "
      "--rows.\n"
      "Exit codes: 0 equal, or explained by fp32 reordering; 1 something else; 2 wrong usage or\n"
      "unreadable input; 5 undecidable: no bound speaks here.\n"
      "A subject in place of results:\n"
      "  ulpfuzz explain --case corpus/seeds/jax-vmap-mlp.case.json --subject openblas \\\n"
      "    --batch-sizes 10,10000\n"
      "Example:\n"
      "  ulpfuzz explain --network corpus/public/jax-vmap/network.json \\\n"
      "    --input corpus/public/jax-vmap/x.npy \\\n"
      "    --difference corpus/public/jax-vmap/reported_difference.npy --batch-sizes 10,10000");
  verb->callback([e, verb, &code] { code = run(*e, *verb); });
}

}  // namespace ulpfuzz::tool
