#include <fmt/format.h>

#include <algorithm>

#include "html_files.hpp"
#include "html_numbers.hpp"
#include "html_parts.hpp"
#include "html_text.hpp"
#include "picture.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

constexpr std::size_t most_cards = 60, unfolded_cards = 5;

std::string spaced(std::string_view words) {
  std::string text(words);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string fact(const char* what, const std::string& value) {
  return value.empty() ? "" : fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", what, value);
}

std::string history(const NightBucket& b) {
  if (b.first_seen.empty()) return {};
  if (b.nights <= 1) return "this night";
  return fmt::format("in {}, in {} so far", code(b.first_seen), counted(b.nights, "night"));
}

std::string repeated(const NightBucket& bucket) {
  const Bucket& b = bucket.bucket;
  if (b.tried == 0) return bucket.state == BucketState::fixed ? "" : "not run again";
  return fmt::format("failed again in {} of {} runs", b.reproduced, b.tried);
}

std::string owner(const NightBucket& b) {
  if (b.owner.empty() && b.until.empty()) return {};
  std::string text = escape(b.owner);
  if (!b.until.empty())
    text += fmt::format("{}until {}", text.empty() ? "" : ", ", escape(b.until));
  return text;
}

/// A line each.
std::string lines_of(const std::vector<std::string>& sentences) {
  std::string lines;
  for (const std::string& s : sentences) lines += (lines.empty() ? "" : "<br>") + escape(s);
  return lines;
}

std::string also(const Bucket& b) {
  std::string text;
  for (const std::string& id : b.also) text += (text.empty() ? "" : ", ") + code(id);
  return text;
}

std::string facts(const NightBucket& b) {
  const Bucket& f = b.bucket;
  const std::string bound =
      endless(f.share) ? " (the bound is 0, or there is none)" : " of the bound";
  return "<dl class=\"facts\">" + fact("Cause", escape(f.cause)) +
         fact("Class", escape(spaced(f.failure_class))) +
         fact("First op", f.first_op.empty() ? "" : code(f.first_op)) +
         fact("Share", f.share > 0 ? page::share(f.share) + bound : "") +
         fact("Boundary", lines_of(sentences(b.boundary))) +
         fact("Seen", f.count > 0 ? counted(f.count, "time") : "") + fact("Repeats", repeated(b)) +
         fact("First seen", history(b)) + fact("Found in", escape(b.found_in)) +
         fact("Owner", owner(b)) + fact("Comment", escape(b.comment)) +
         fact("Met in", f.met_in.empty() ? "" : code(f.met_in)) + fact("Also", also(f)) +
         fact("Bucket", code(f.id)) + "</dl>\n";
}

std::string drawing(const NightBucket& b, const BucketFiles& files) {
  if (!files.smallest)
    return b.minimal.empty() ? "" : "<p class=\"case\">" + code(b.minimal) + "</p>\n";
  const Case& c = files.smallest->value;
  PictureOptions options;
  options.marked = first_to_differ(c.network, b.bucket.first_op, files.account);
  options.row = worst_row(files.account);
  const Sketch drawn = sketch(c.network, options.marked);
  std::string svg;
  if (drawn.columns <= 3) {
    svg = picture(c, options);
  } else {  // the style sheet shows one of them
    options.name = "narrow";
    svg = picture(c, options);
    options.columns = 5;
    options.name = "wide";
    svg += picture(c, options);
  }
  constexpr std::size_t most_words = 240;
  std::string words = describe(c);
  if (words.size() > most_words) words = words.substr(0, most_words) + " …";
  const std::string left_out = drawn.left_out == 0 ? ""
                                                   : fmt::format("; {} left out of the picture",
                                                                 counted(drawn.left_out, "op"));
  return fmt::format(
      "<figure class=\"case\">\n{}<figcaption>Smallest case: {}{}</figcaption></figure>\n", svg,
      escape(words), left_out);
}

std::string copyable(const std::string& what, const std::string& text) {
  return fmt::format(
      "<div class=\"code\" data-name=\"{}\"><pre tabindex=\"0\"><code>{}</code></pre></div>\n",
      escape(what), escape(text));
}

std::string programs(const BucketFiles& files, const std::string& id) {
  if (files.programs.empty()) return {};
  std::string titles, panels;
  for (const Program& p : files.programs) {
    titles += (titles.empty() ? "" : ", ") + p.title;
    panels += fmt::format(
        "<div class=\"panel\" id=\"{}-{}\"><h4 class=\"panel-name\">{}</h4>\n{}</div>\n", id,
        escape(p.file.substr(p.file.find('_') + 1)), escape(p.title), copyable(p.file, p.text));
  }
  return fmt::format(
      "<details class=\"programs\"><summary>Programs that show it: {}</summary>\n<div "
      "class=\"tabs\" "
      "data-name=\"Programs\">\n{}</div></details>\n",
      escape(titles), panels);
}

std::string file_links(const BucketFiles& files, const NightBucket& b) {
  if (files.folder.empty()) return {};
  return fmt::format(
      "<p class=\"files\">Files: <a href=\"{}\">{}</a>, and <a href=\"{}/\">all of the "
      "bucket</a></p>\n",
      link(b.bucket.case_file), escape(b.bucket.case_file.filename().string()), link(files.folder));
}

/// What tells a bucket from the next where both are folded.
std::string summary(const Bucket& b) {
  std::string words = escape(b.cause.empty() ? spaced(b.failure_class) : b.cause);
  if (b.share > 0) words += fmt::format(", share {}", page::share(b.share));
  if (b.count > 0) words += ", seen " + counted(b.count, "time");
  return "<summary>" + words + "</summary>\n";
}

std::string details(const NightBucket& b, const BucketFiles& files, const std::string& id) {
  std::string text = fmt::format("<div class=\"sides{}\">\n", files.smallest ? " drawn" : "") +
                     facts(b) + drawing(b, files) + "</div>\n";
  const std::string command = replay_command(b);
  if (!command.empty()) text += copyable("replay command", command);
  if (!files.account.empty())
    text += fmt::format("<details><summary>Account of the smallest case</summary>\n{}</details>\n",
                        copyable("account", files.account));
  return text + programs(files, id) + file_links(files, b);
}

/// Of many the first are shown in full, the others by what they are: a click shows the rest.
std::string card(const NightBucket& b, const std::filesystem::path& folder, std::size_t index) {
  const std::string id = fmt::format("b{}", index + 1), state(name(b.state));
  const std::string rest = details(b, read_files(b, folder), id);
  return fmt::format(
      "<article class=\"bucket {0}\" id=\"{1}\" tabindex=\"-1\" aria-labelledby=\"{1}-title\">\n"
      "<p class=\"state {0}\">{2}<b>{0}</b></p>\n"
      "<h3 id=\"{1}-title\">{3} <span class=\"of\">{4}</span></h3>\n<p "
      "class=\"reason\">{5}</p>\n{6}"
      "</article>\n",
      state, id, icon(state), code(b.bucket.subject), escape(b.bucket.property),
      escape(b.bucket.reason),
      index < unfolded_cards ? rest : "<details>" + summary(b.bucket) + rest + "</details>\n");
}

std::string row(const NightBucket& b) {
  const std::string state(name(b.state));
  const std::string where =
      b.bucket.case_file.empty()
          ? code(b.bucket.id)
          : fmt::format("<a href=\"{}/\">{}</a>", link(b.bucket.case_file.parent_path()),
                        code(b.bucket.id));
  return fmt::format(
      "<tr><td><span class=\"state {0}\">{1}{0}</span></td><td>{2}</td><td>{3}</td><td class=\"n\" "
      "data-v=\"{4}\">{5}</td><td class=\"n\" data-v=\"{6}\">{7}</td><td "
      "class=\"own\">{8}</td></tr>\n",
      state, icon(state), code(b.bucket.subject), escape(b.bucket.cause),
      endless(b.bucket.share) ? 1e308 : b.bucket.share, page::share(b.bucket.share), b.bucket.count,
      with_commas(b.bucket.count), where);
}

std::string rest(const std::vector<NightBucket>& all, std::size_t from) {
  if (from >= all.size()) return {};
  std::string rows;
  for (std::size_t i = from; i < all.size(); ++i) rows += row(all[i]);
  return fmt::format(
      "<details><summary>{} more, in short</summary>\n<div class=\"scroll\" tabindex=\"0\" "
      "role=\"region\" "
      "aria-label=\"More "
      "buckets\"><table class=\"sortable stack\"><thead><tr><th scope=\"col\">State</th><th "
      "scope=\"col\">Subject</th><th scope=\"col\">Cause</th><th scope=\"col\" "
      "class=\"n\">Share</th><th "
      "scope=\"col\" class=\"n\">Seen</th><th scope=\"col\">Bucket</th></tr></thead><tbody>\n{}"
      "</tbody></table></div></details>\n",
      all.size() - from, rows);
}

}  // namespace

std::string buckets(const Night& night, const std::filesystem::path& folder, std::size_t room) {
  if (night.buckets.empty())
    return night.running ? "<p class=\"quiet\">No failure was found so far.</p>\n"
           : night.exit_code == 4
               ? "<p class=\"quiet\">No failure was recorded, which says nothing.</p>\n"
               : "<p class=\"quiet\">No failure was found.</p>\n";
  std::string text;
  std::size_t shown = 0;
  for (; shown < std::min(most_cards, night.buckets.size()); ++shown) {
    const std::string next = card(night.buckets[shown], folder, shown);
    if (shown > 0 && text.size() + next.size() > room) break;
    text += next;
  }
  return text + rest(night.buckets, shown);
}

}  // namespace ulpfuzz::report::page
