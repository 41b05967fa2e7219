#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "html_page.hpp"
#include "html_support.hpp"
#include "html_text.hpp"
#include "sample_night.hpp"
#include "support/folder.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::report {
namespace {

using samples::between;
using samples::markup;
using samples::occurrences;
using testing::HasSubstr;
using testing::Not;
using testing_support::Folder;

TEST(PageText, EscapesWhatIsMarkup) {
  EXPECT_EQ(page::escape("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(page::escape("größer → ∞"), "größer → ∞");
}

TEST(PageText, ReplacesBytesThatAreNoText) {
  EXPECT_THAT(page::escape(std::string("a\xff"
                                       "b\x01"
                                       "c\0d",
                                       7)),
              testing::AllOf(HasSubstr("\xef\xbf\xbd"), HasSubstr("a"), HasSubstr("d"),
                             Not(HasSubstr("\xff")), Not(HasSubstr("\x01"))));
}

TEST(PageText, JsonEndsNoScript) {
  const nlohmann::json value = {{"</script>", "<!-- & \u2028 \xc3\xa9"}};
  const std::string text = page::script_json(value);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text), value);
}

TEST(PageText, LinksStayBelowThePage) {
  EXPECT_EQ(page::link("findings/a b/ä.json"), "./findings/a%20b/%C3%A4.json");
  EXPECT_EQ(page::link("javascript:alert(1)"), "./javascript%3Aalert%281%29");
  EXPECT_EQ(page::link("//host/x"), "./host/x");
}

TEST(PageText, FillPutsEachTextInItsPlaceOnce) {
  EXPECT_EQ(page::fill("<{{a}}|{{b}}|{{a}}>", {{"a", "{{b}}"}, {"b", "2"}}), "<{{b}}|2|{{b}}>");
  EXPECT_THROW(page::fill("{{a}}", {}), std::invalid_argument);
  EXPECT_THROW(page::fill("", {{"a", ""}}), std::invalid_argument);
}

TEST(PageText, Base64OfKnownHashes) {
  EXPECT_EQ(page::base64_of_hex("666f6f626172"), "Zm9vYmFy");  // RFC 4648: foobar
  EXPECT_EQ(page::base64_of_hex("666f6f62"), "Zm9vYg==");
  // SHA-256 of nothing.
  EXPECT_EQ(page::base64_of_hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST(HostilePage, HasNoTagOfTheNightsMaking) {
  const Folder folder;
  const std::string page = to_html(samples::hostile_night(folder.path()), folder.path());
  // The page's own: style, theme, data, Chart.js, charts, page.
  EXPECT_EQ(occurrences(page, "<script"),
            occurrences(to_html(samples::empty_night(), {}), "<script"));
  const std::string body = markup(page);
  EXPECT_EQ(occurrences(body, "<script"), 0u);
  EXPECT_EQ(occurrences(body, "<img"), 0u);
  EXPECT_EQ(occurrences(body, "<!--"), 0u);
  EXPECT_THAT(body, HasSubstr("&lt;img src=x onerror=alert(1)&gt;"));
  EXPECT_EQ(occurrences(between(page, "<title>", "</title>"), "<"), 0u);
  EXPECT_NO_THROW(samples::data_of(page));
}

TEST(HostilePage, ReadsNoFileOutsideOfItsFolder) {
  const Folder folder;
  Night night = samples::usual_night(folder.path() / "night");
  write_file_atomically(folder.path() / "minimal.txt", "a secret beside the night");
  for (const std::filesystem::path& file :
       {std::filesystem::path("../minimal.case.json"),
        std::filesystem::path("findings/../../minimal.case.json"),
        folder.path() / "minimal.case.json"}) {
    night.buckets.front().bucket.case_file = file;
    EXPECT_THAT(to_html(night, folder.path() / "night"), Not(HasSubstr("a secret"))) << file;
  }
  night.buckets.front().bucket.case_file = "minimal.case.json";
  EXPECT_THAT(to_html(night, folder.path()), HasSubstr("a secret")) << "or this shows nothing";
}

TEST(HostilePage, RunsOnlyTheLibrarysScripts) {
  const std::string page = to_html(samples::empty_night(), {});
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\">");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_EQ(occurrences(policy, "'sha256-"), 5u);
  EXPECT_THAT(page, HasSubstr("Chart.js v3"));
  EXPECT_THAT(page, HasSubstr("Released under the MIT License"));
}

TEST(EmbeddedFiles, AreWholeAndEndNoScript) {
  using namespace page;
  for (const Embedded& script : {theme_js, page_js, charts_js, chart_js}) {
    EXPECT_EQ(script.sha256.size(), 64u);
    EXPECT_EQ(script.text.find("</script"), std::string_view::npos);
    EXPECT_EQ(script.text.find("<!--"), std::string_view::npos);
    EXPECT_EQ(script.text.find('\0'), std::string_view::npos);
  }
  EXPECT_GT(chart_js.text.size(), 150'000u);
  EXPECT_TRUE(html.text.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(html.text.ends_with("</html>\n"));
}

}  // namespace
}  // namespace ulpfuzz::report
