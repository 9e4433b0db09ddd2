#include "demo/documents.hpp"

#include <algorithm>
#include <string>

namespace tideline::demo {
namespace {

constexpr std::size_t kDocumentBytes = 3 * 1024 * 1024;

std::string large_text(const std::string& run) {
  std::string text;
  for (std::size_t line = 1; text.size() < kDocumentBytes; ++line) {
    text += "Line " + std::to_string(line) + " of a long plan of run " + run + "\n";
  }
  return text;
}

void expect_bytes(const std::string& what, const std::string& expected, const std::string& got) {
  if (got == expected) return;
  throw UnexpectedAnswer(what + ": " + std::to_string(got.size()) + " bytes, not the " +
                         std::to_string(expected.size()) + " that were sent");
}

}  // namespace

void verify_large_document(Client& client, Campus& campus) {
  const World& world = campus.world();
  const auto project = std::find_if(world.projects.begin(), world.projects.end(),
                                    [](const Project& standing) { return !standing.withdrawn; });
  if (project == world.projects.end()) return;
  const std::string documents = "/v1/projects/" + project->id + "/documents";
  const PersonIndex author = project->author;
  const PersonIndex reader = (author + 1) % world.people.size();
  // Also renews their tokens.
  for (const PersonIndex person : {author, reader})
    campus.as(client, person, 200, "GET", documents);

  const std::string text = large_text(campus.run());
  Call add{"POST", documents + "?title=Plan", world.people[author].access_token, nullptr, ""};
  add.bytes = text;
  const Reply added = client.expect(201, add);
  const std::string content = added.json().at("location").get<std::string>();
  Call read{"GET", content, world.people[reader].access_token, nullptr, added.position};
  expect_bytes("a large document", text, client.expect(200, read).body);
  constexpr std::size_t kBegin = kDocumentBytes / 2;
  constexpr std::size_t kLength = 100'000;
  read.range = "bytes=" + std::to_string(kBegin) + "-" + std::to_string(kBegin + kLength - 1);
  expect_bytes("a part of a large document", text.substr(kBegin, kLength),
               client.expect(206, read).body);
}

}  // namespace tideline::demo
