// Everything that a person has written or set in a service, page by page: the same in each service,
// under GET /v1/<service>-export. A service names its sections and how each is read:
//
//   http::DataExport(clock, {{"account", read_account}, {"profiles", read_profiles}})
//
//   {"items": [{"section": "account", "data": {...}}, ...], "after": cursor or null}
//
// The pages of all sections, one after the other, have every item once; a section that is written
// to meanwhile is read as a list that pages by key. docs/data-export.md says how a service adds its
// part.
//
// Thread-safe where the sections are. Blocks as they do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/token_buckets.hpp"
#include "http/messages/message.hpp"
#include "http/messages/problem.hpp"

namespace tideline::http {

struct ExportSlice {
  std::vector<Json> items{};
  std::optional<std::string> next{};  // place of the next slice; nullopt: there is none
};

// A page of what is `owner`'s, of `limit` items at most. `place` is one that an earlier slice gave,
// as far as anybody can tell: it comes from outside. "": from the beginning.
using ReadExport =
    std::function<ExportSlice(const core::AccountId& owner, const std::string& place, int limit)>;

// For a section whose place is none that it gave: 400.
[[noreturn]] void refuse_export_place();

struct ExportSection {
  std::string name;
  ReadExport read;
};

class DataExport {
 public:
  // Pages of one person.
  static constexpr core::BucketLimit kPages{60, 30};
  static constexpr std::size_t kPeopleRemembered = 100'000;

  // `clock` must outlive it.
  DataExport(const core::Clock& clock, std::vector<ExportSection> sections);

  // Of the caller. ?after= and ?limit= (1 to 100). 400 for a cursor of something else, 429 for too
  // many pages.
  Response page(const Request& request);

 private:
  const core::Clock& clock_;
  const std::vector<ExportSection> sections_;
  core::TokenBuckets pages_;
};

}  // namespace tideline::http
