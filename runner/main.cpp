#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "say.hpp"
#include "tool/verbs.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace {

/// Output that nobody takes must not end a campaign, and a file must not get the number of a
/// stream that the caller closed. In its place stands one that takes nothing, so that an answer
/// written to it is known to be lost.
void secure_streams() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  int fd = 0;
  do fd = open("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0) close(fd);
}

void complain(const std::exception& error) {
  ulpfuzz::say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
}

void add_verbs(CLI::App& app, int& code) {
  ulpfuzz::tool::add_run(app, code);
  ulpfuzz::tool::add_nightly(app, code);
  ulpfuzz::tool::add_merge(app, code);
  ulpfuzz::tool::add_report(app, code);
  ulpfuzz::tool::add_replay(app, code);
  ulpfuzz::tool::add_shrink(app, code);
  ulpfuzz::tool::add_repro(app, code);
  ulpfuzz::tool::add_list(app, code);
  ulpfuzz::tool::add_complexity(app, code);
  ulpfuzz::tool::add_explain(app, code);
  ulpfuzz::tool::add_probe(app, code);
}

/// Help that was asked for, or in one line what was wrong and where help is.
int end_of_parsing(const CLI::App& app, const CLI::ParseError& error, std::string_view first) {
  if (error.get_exit_code() == 0) {
    std::ostringstream help;
    app.exit(error, help, help);
    ulpfuzz::answer(stdout, help.str());
    return 0;
  }
  const auto verbs = app.get_subcommands();
  const std::string verb = verbs.empty() ? "" : verbs.front()->get_name() + " ";
  ulpfuzz::say(stderr, fmt::format("ulpfuzz: {}; run 'ulpfuzz {}--help'\n",
                                   ulpfuzz::tool::in_words(error, verb, first), verb));
  return ulpfuzz::tool::usage_error;
}

int run_tool(int argc, char** argv) {
  int code = 0;
  CLI::App app{"ulpfuzz: is a difference between two evaluations rounding, a downgrade, or a bug?"};
  app.name("ulpfuzz");
  app.set_version_flag("--version", "ulpfuzz " ULPFUZZ_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 nothing new; 1 new failure; 2 wrong usage or unreadable input; 3 a regression "
      "is\n"
      "back; 4 infrastructure; 5 too little was executed; 6 only flaky findings.\n"
      "'ulpfuzz VERB --help' shows the options of a verb and an example.");
  add_verbs(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    code = end_of_parsing(app, error, argc > 1 ? argv[1] : "");
  }
  if (const int error = ulpfuzz::unanswered(); error != 0) {
    ulpfuzz::say(stderr, fmt::format("ulpfuzz: stdout: cannot be written: {}; name another file\n",
                                     std::generic_category().message(error)));
    return ulpfuzz::tool::infrastructure;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  secure_streams();
  try {
    return run_tool(argc, argv);
  } catch (const ulpfuzz::FileError& error) {
    complain(error);
    return ulpfuzz::tool::usage_error;
  } catch (const std::invalid_argument& error) {
    complain(error);
    return ulpfuzz::tool::usage_error;
  } catch (const std::exception& error) {
    complain(error);
    return ulpfuzz::tool::infrastructure;
  }
}
