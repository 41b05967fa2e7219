#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ulpfuzz {

// What several writers say in the same words.

std::string with_commas(std::uint64_t n);                      ///< "1,234,567"
std::string counted(std::uint64_t n, std::string_view what);   ///< "1 case", "2,000 cases"
std::string clock_text(double seconds);                        ///< "1:02:03", "0:42"
std::string percent(std::uint64_t part, std::uint64_t whole);  ///< "12.5%", "-" of nothing
/// "0.4375", "3.2e+07", "<1" for what rounds to 1, "infinite" also for the largest double, which
/// stands for it in files.
std::string share_text(double share);

/// What an exit code of a run or a night means.
std::string_view exit_code_meaning(int exit_code);
/// Subjects that cannot run, by kind and reason, a line each: "cuda/* (12 subjects): no CUDA
/// device", "openblas: ...". `why`: the reason by subject.
std::vector<std::string> unavailable_lines(const std::map<std::string, std::string>& why);
/// The most frequent first; equals as they were.
std::vector<std::pair<std::string, std::uint64_t>> by_frequency(
    const std::map<std::string, std::uint64_t>& counts);

/// One word of a command for a shell: quoted only where that is needed.
std::string shell_word(std::string_view word);
/// The parts of "batch: ...; rows: ...".
std::vector<std::string> sentences(std::string_view text);
/// Is it as "0000-00-00", where a 0 stands for any digit?
bool has_form(std::string_view text, std::string_view form);

}  // namespace ulpfuzz
