// The client of the benchmark of search. All of it knows the corpus that feed_fill.cpp has filled
// its servers with.
//
//   load        questions of all kinds in turn, and the latencies of each kind; --opensearch: as
//   OpenSearch is asked questions   questions with what is to be found, one JSON object a line, by
//   looking at every text documents   the corpus as OpenSearch's bulk requests have it
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/feed_options.hpp"
#include "bench/load_generator.hpp"
#include "bench/report.hpp"
#include "bench/search_corpus.hpp"

namespace {

using namespace tideline::bench;
using tideline::feed::Audience;
using Json = nlohmann::json;

struct Options {
  FeedOptions feed;
  Load load;
  bool opensearch = false;
  std::uint64_t first = 0;  // number of the first question
  std::uint32_t questions = 70;
};

// The corpus, and who is whose contact.
class Campus {
 public:
  explicit Campus(const FeedOptions& options)
      : pairs_(graph_of(options.graph, options.law)),
        contacts_(people_in(pairs_)),
        moments_(options.corpus),
        corpus_(people_in(pairs_), moments_) {
    for (const auto& [one, other] : pairs_) {
      contacts_[one].push_back(other);
      contacts_[other].push_back(one);
    }
    for (auto& contacts : contacts_) std::sort(contacts.begin(), contacts.end());
  }

  std::uint32_t moments() const { return moments_; }
  const SearchCorpus& corpus() const { return corpus_; }
  const std::vector<std::uint32_t>& contacts_of(std::uint32_t person) const {
    return contacts_[person];
  }
  bool may_see(std::uint32_t viewer, const CorpusMoment& moment) const {
    if (moment.audience == Audience::Public || moment.author == viewer) return true;
    const auto& contacts = contacts_[viewer];
    return moment.audience == Audience::PartlyInvisible &&
           std::binary_search(contacts.begin(), contacts.end(), moment.author);
  }

 private:
  const std::vector<Pair> pairs_;
  std::vector<std::vector<std::uint32_t>> contacts_;
  const std::uint32_t moments_;
  const SearchCorpus corpus_;
};

std::string encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string query;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    query.append({'%', kDigits[byte >> 4U], kDigits[byte & 0xFU]});
  }
  return query;
}

void append_request(const Question& asked, std::string& request) {
  request.append("GET /v1/moments/search?query=").append(encoded(asked.text()));
  request.append(" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ");
  request.append(std::to_string(asked.viewer)).append("\r\n\r\n");
}

// The application in front of it knows the viewer's contacts. Filters cost no scores, and no more
// is counted than shown.
std::string opensearch_query(const Campus& campus, const Question& asked) {
  Json filters = Json::array();
  for (const std::string& word : asked.words) {
    filters.push_back({{"match_phrase", {{"content", word}}}});
  }
  const Json for_contacts = {{"bool",
                              {{"filter",
                                {{{"term", {{"audience", "partly-invisible"}}}},
                                 {{"terms", {{"author", campus.contacts_of(asked.viewer)}}}}}}}}};
  filters.push_back({{"bool",
                      {{"should",
                        {{{"term", {{"audience", "public"}}}},
                         {{"term", {{"author", asked.viewer}}}},
                         for_contacts}}}}});
  return Json{{"size", 20},
              {"track_total_hits", false},
              {"sort", {{{"id", "desc"}}}},
              {"query", {{"bool", {{"filter", filters}}}}}}
      .dump();
}

void append_opensearch_request(const Campus& campus, const Question& asked, std::string& request) {
  const std::string body = opensearch_query(campus, asked);
  request.append("POST /moment/_search HTTP/1.1\r\nHost: localhost\r\n");
  request.append("Content-Type: application/json\r\nContent-Length: ");
  request.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
}

int load(const Options& options) {
  const Campus campus(options.feed);
  std::uint64_t number = options.first;
  LoadGenerator generator(
      options.load,
      [&](std::string& request) {
        const Question asked = campus.corpus().question(number++);
        if (options.opensearch) {
          append_opensearch_request(campus, asked, request);
        } else {
          append_request(asked, request);
        }
        return asked.kind;
      },
      kQuestionKinds.size());
  const std::string problem = generator.run();
  if (!problem.empty()) return failed(problem);
  Json told = {{"kinds", Json::object()}};
  std::vector<double> all;
  const auto shares = [](std::vector<double>& latencies) {
    return Json{{"p50", percentile(latencies, 0.5)},
                {"p99", percentile(latencies, 0.99)},
                {"asked", latencies.size()}};
  };
  for (std::size_t kind = 0; kind < kQuestionKinds.size(); ++kind) {
    auto& latencies = generator.latencies_ms()[kind];
    all.insert(all.end(), latencies.begin(), latencies.end());
    told["kinds"][std::string(kQuestionKinds[kind])] = shares(latencies);
  }
  told["kinds"]["all"] = shares(all);
  told["requests_per_s"] = static_cast<double>(all.size()) / generator.seconds();
  std::cout << told << '\n';
  return 0;
}

int questions(const Options& options) {
  const Campus campus(options.feed);
  std::vector<Question> asked;
  for (std::uint64_t number = 0; number < options.questions; ++number) {
    asked.push_back(campus.corpus().question(options.first + number));
  }
  std::vector<std::vector<std::string>> found(asked.size());  // oldest first
  for (std::uint32_t place = 0; place < campus.moments(); ++place) {
    const CorpusMoment moment = campus.corpus().moment(place);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const bool has_all = std::ranges::all_of(asked[i].words, [&](const std::string& word) {
        return moment.text.find(word) != std::string::npos;
      });
      if (!has_all || !campus.may_see(asked[i].viewer, moment)) continue;
      found[i].push_back(to_string(moment.id));
    }
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::ranges::reverse(found[i]);
    std::cout << Json{{"kind", kQuestionKinds[asked[i].kind]},
                      {"viewer", asked[i].viewer},
                      {"query", asked[i].text()},
                      {"opensearch", opensearch_query(campus, asked[i])},
                      {"ids", found[i]}}
              << '\n';
  }
  return 0;
}

int documents(const Options& options) {
  const Campus campus(options.feed);
  for (std::uint32_t place = 0; place < campus.moments(); ++place) {
    const CorpusMoment moment = campus.corpus().moment(place);
    std::cout << R"({"index":{}})" << '\n'
              << Json{{"id", moment.id.value()},
                      {"author", moment.author},
                      {"audience", to_string(moment.audience)},
                      {"content", moment.text},
                      {"published_at", tideline::core::format_iso8601(moment.published_at)}}
              << '\n';
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The client of the benchmark of search");
  app.require_subcommand(1);
  Options options;
  for (const char* name : {"load", "questions", "documents"}) {
    CLI::App& command = *app.add_subcommand(name);
    options.feed.add_to(command);
    command.add_option("--port", options.load.port);
    command.add_option("--connections", options.load.connections);
    command.add_option("--seconds", options.load.seconds);
    command.add_flag("--opensearch", options.opensearch);
    command.add_option("--first", options.first);
    command.add_option("--questions", options.questions);
  }
  CLI11_PARSE(app, argc, argv);
  const std::string& command = app.get_subcommands().front()->get_name();
  if (command == "load") return load(options);
  return command == "questions" ? questions(options) : documents(options);
}
