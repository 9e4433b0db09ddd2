#include "feed/api/moment_items.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "feed/api/moment_codec.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/private_reads.hpp"
#include "feed/projections/moment_queries.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using Accounts = std::vector<core::AccountId>;
using PersonByAccount = std::map<core::AccountId, MomentContents::Person>;

struct Found {
  std::map<core::MomentId, MomentRow> rows;
  std::map<MomentEditKey, MomentEditRow> edits;
  PeopleByAccount people;
};

// The text that an entry shows, and when it was written if that was later than the moment.
struct Opened {
  const TimelineEntry* entry;
  const MomentRow* row;
  std::optional<std::string> content;  // nullopt: its author's key has been destroyed
  std::optional<core::Timestamp> edited_at;
};

// An entry on its way to be an item.
struct Shown {
  const TimelineEntry* entry;
  MomentContents::Moment moment;  // nullptr: not there yet, or deleted meanwhile
  MomentContents::Person author;  // nullptr: not there yet
};

// What has come lately, which the tables may not have got yet.
Found take_recent(const ApiPorts& ports, const std::vector<TimelineEntry>& entries) {
  Found found;
  for (const TimelineEntry& entry : entries) {
    const auto sealed = ports.contents.find_sealed(entry.id);
    if (!sealed) continue;
    if (sealed->row) found.rows.emplace(entry.id, *sealed->row);
    const auto edit = sealed->edits.find(entry.edits);
    if (edit != sealed->edits.end()) {
      found.edits.emplace(MomentEditKey{entry.id, entry.edits}, edit->second);
    }
  }
  return found;
}

// With what `found` has already.
Found read_rows(const ApiPorts& ports, eventsourcing::Transaction& transaction,
                const std::vector<TimelineEntry>& entries, const Accounts& accounts, Found found) {
  std::vector<core::MomentId> ids;
  std::vector<MomentEditKey> edits;
  for (const TimelineEntry& entry : entries) {
    const MomentEditKey edit{entry.id, entry.edits};
    if (!found.rows.contains(entry.id)) ids.push_back(entry.id);
    if (entry.edits > 0 && !found.edits.contains(edit)) edits.push_back(edit);
  }
  found.rows.merge(find_moments(transaction, ids));
  found.edits.merge(find_edits(transaction, edits));
  found.people = ports.people.find_many(transaction, accounts);
  return found;
}

bool has_all(const Found& found, const std::vector<TimelineEntry>& entries) {
  return std::ranges::all_of(entries, [&](const TimelineEntry& entry) {
    const auto row = found.rows.find(entry.id);
    if (row == found.rows.end()) return false;
    return entry.edits == 0 || row->second.deleted || found.edits.contains({entry.id, entry.edits});
  });
}

// The engine may have applied a moment, or an edit, that the tables have not got yet.
core::Result<Found> read_all_rows(const ApiPorts& ports, const std::vector<TimelineEntry>& entries,
                                  const Accounts& accounts) {
  const Found recent = take_recent(ports, entries);
  if (accounts.empty() && has_all(recent, entries)) return recent;
  return read_up_to_engine(
      ports, ports.moments_applied,
      [&](eventsourcing::Transaction& transaction) {
        return read_rows(ports, transaction, entries, accounts, recent);
      },
      [&](const Found& found) { return has_all(found, entries); });
}

// Without those that were deleted meanwhile.
core::Result<std::vector<Opened>> open_texts(const ApiPorts& ports,
                                             const std::vector<TimelineEntry>& entries,
                                             const Found& found) {
  std::vector<Opened> opened;
  std::vector<crypto::SealedText> texts;
  for (const TimelineEntry& entry : entries) {
    const MomentRow& row = found.rows.at(entry.id);
    if (row.deleted || !row.sealed_content) continue;
    opened.push_back({&entry, &row, std::nullopt, std::nullopt});
    if (entry.edits == 0) {
      texts.push_back({row.author, *row.sealed_content, kMomentContent});
    } else {
      const MomentEditRow& edit = found.edits.at({entry.id, entry.edits});
      texts.push_back({row.author, edit.sealed_content, kEditedContent});
      opened.back().edited_at = edit.edited_at;
    }
  }
  auto contents = ports.cipher.open_many(texts);
  if (!contents) return contents.error();
  for (std::size_t i = 0; i < opened.size(); ++i) opened[i].content = std::move((*contents)[i]);
  return opened;
}

// Invalid UTF-8 that an adapter let through is replaced, as in Response::json.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The members of an object, without its braces.
std::string members_of(const Json& object) {
  const std::string text = text_of(object);
  return text.substr(1, text.size() - 2);
}

MomentContent content_of(const Opened& opened) {
  const MomentRow& row = *opened.row;
  Json shown{
      {"id", core::to_string(row.id)}, {"content", nullptr},
      {"images", row.images},          {"published_at", core::format_iso8601(row.published_at)},
      {"edited_at", nullptr},          {"edits", opened.entry->edits}};
  if (opened.content) shown["content"] = *opened.content;
  if (opened.edited_at) shown["edited_at"] = core::format_iso8601(*opened.edited_at);
  return {row.author,
          opened.entry->edits,
          members_of(shown),
          members_of({{"audience", to_string(row.audience)},
                      {"group_ids", row.lists.group_ids},
                      {"tag_ids", row.lists.tag_ids}}),
          row.lists.user_ids,
          {}};
}

MomentContents::Person person_of(const people::Person& person) {
  const Json json = person_json(person);
  return std::make_shared<const PersonContent>(
      PersonContent{text_of(json), text_of(json["user_id"])});
}

// Takes those that are remembered; returns the others.
Accounts take_known(const ApiPorts& ports, const Accounts& accounts, PersonByAccount& people) {
  Accounts missing;
  for (const core::AccountId& account : accounts) {
    if (people.contains(account)) continue;
    auto& person = people[account];
    person = ports.contents.find_person(account);
    if (!person) missing.push_back(account);
  }
  return missing;
}

std::vector<Shown> take_remembered(const ApiPorts& ports,
                                   const std::vector<TimelineEntry>& entries) {
  auto found = ports.contents.find(entries);
  std::vector<Shown> page;
  page.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    page.push_back({&entries[i], std::move(found[i].moment), std::move(found[i].author)});
  }
  return page;
}

// Whom the directory does not know (yet) is named by nobody, and not remembered so.
void take_found(const ApiPorts& ports, const Accounts& accounts, const PeopleByAccount& found,
                std::uint64_t changes_seen, PersonByAccount& people) {
  for (const core::AccountId& account : accounts) {
    const auto person = found.find(account);
    auto& taken = people[account];
    taken = person_of(person == found.end() ? people::Person{} : person->second);
    if (person != found.end()) ports.contents.put_person(account, taken, changes_seen);
  }
}

// What the entries lack, and names of `accounts`, from the tables; remembered from now on.
core::Status fill(const ApiPorts& ports, const core::AccountId& viewer, std::vector<Shown>& page,
                  const Accounts& accounts, PersonByAccount& people) {
  const std::uint64_t changes_seen = ports.contents.name_changes();
  std::vector<TimelineEntry> missing;
  for (const Shown& shown : page) {
    if (!shown.moment) missing.push_back(*shown.entry);
  }
  if (missing.empty() && accounts.empty()) return core::success();
  const auto found = read_all_rows(ports, missing, accounts);
  if (!found) return found.error();
  const auto opened = open_texts(ports, missing, *found);
  if (!opened) return opened.error();
  auto text = opened->begin();
  for (Shown& shown : page) {
    if (shown.moment || text == opened->end() || text->entry->id != shown.entry->id) continue;
    shown.moment = ports.contents.put(shown.entry->id, content_of(*text++));
    // Its deletion may have been applied since: whoever tells of it told before it was there.
    if (!ports.engine.find_author(shown.entry->id, viewer)) ports.contents.drop(shown.entry->id);
  }
  take_found(ports, accounts, found->people, changes_seen, people);
  return core::success();
}

// Whom its author names, as far as he may be told how they are called.
std::string listed_users(const MomentContent& moment, const PersonByAccount& people) {
  std::string users;
  for (const core::AccountId& account : moment.user_ids) {
    const std::string& user_id = people.at(account)->user_id;
    if (user_id == "null") continue;
    if (!users.empty()) users += ',';
    users += user_id;
  }
  return users;
}

std::size_t bytes_of(const Shown& shown) {
  constexpr std::size_t kNamesAndNumbers = 192;
  return shown.moment->shown.size() + shown.moment->audience.size() + shown.author->person.size() +
         kNamesAndNumbers;
}

void append_item(std::string& items, const Shown& shown, const PersonByAccount& people,
                 bool for_author) {
  const auto add = [&](std::string_view text) { items.append(text); };
  const MomentContent& moment = *shown.moment;
  const TimelineEntry& entry = *shown.entry;
  add("{");
  add(moment.shown);
  if (for_author) {
    add(",");
    add(moment.audience);
    add(R"(,"user_ids":[)");
    add(listed_users(moment, people));
    add("]");
  } else {
    add(R"(,"audience":null,"group_ids":[],"tag_ids":[],"user_ids":[])");
  }
  add(R"(,"author":)");
  add(shown.author->person);
  add(R"(,"likes":)");
  add(std::to_string(entry.likes));
  add(entry.liked ? R"(,"liked":true,"comments":)" : R"(,"liked":false,"comments":)");
  add(std::to_string(entry.comments));
  add("}");
}

}  // namespace

http::Parsed<std::size_t> append_moment_items(const ApiPorts& ports,
                                              const std::vector<TimelineEntry>& entries,
                                              const core::AccountId& viewer, std::string& items) {
  std::vector<Shown> page = take_remembered(ports, entries);
  Accounts unnamed;
  for (const Shown& shown : page) {
    if (!shown.author) unnamed.push_back(shown.entry->author);
  }
  PersonByAccount people;
  auto filled = fill(ports, viewer, page, unnamed, people);
  if (!filled) return http::from_error(filled.error());
  for (Shown& shown : page) {
    if (!shown.author) shown.author = people.at(shown.entry->author);
  }

  std::erase_if(page, [](const Shown& shown) { return shown.moment == nullptr; });
  Accounts listed;
  for (const Shown& shown : page) {
    if (shown.entry->author != viewer) continue;
    const auto& users = shown.moment->user_ids;
    listed.insert(listed.end(), users.begin(), users.end());
  }
  const Accounts missing_users = take_known(ports, listed, people);
  filled = fill(ports, viewer, page, missing_users, people);
  if (!filled) return http::from_error(filled.error());

  std::size_t bytes = items.size();
  for (const Shown& shown : page) bytes += bytes_of(shown);
  items.reserve(bytes);
  for (const Shown& shown : page) {
    if (&shown != &page.front()) items.push_back(',');
    append_item(items, shown, people, shown.entry->author == viewer);
  }
  return page.size();
}

http::Parsed<std::optional<core::AccountId>> author_of_image(const ApiPorts& ports,
                                                             const TimelineEntry& entry,
                                                             std::string_view hash) {
  const auto found = read_all_rows(ports, {entry}, {});
  if (!found) return http::from_error(found.error());
  const MomentRow& row = found->rows.at(entry.id);
  const bool shows = !row.deleted && std::ranges::find(row.images, hash) != row.images.end();
  return shows ? std::optional(row.author) : std::nullopt;
}

http::Parsed<Json> moment_texts(const ApiPorts& ports, const TimelineEntry& entry) {
  std::vector<TimelineEntry> versions;
  for (std::uint32_t edits = 0; edits <= entry.edits; ++edits) {
    versions.insert(versions.begin(), entry);
    versions.front().edits = edits;
  }
  const auto found = read_all_rows(ports, versions, {});
  if (!found) return http::from_error(found.error());
  const auto opened = open_texts(ports, versions, *found);
  if (!opened) return http::from_error(opened.error());
  Json texts = Json::array();
  for (const Opened& text : *opened) {
    Json written{{"edit", text.entry->edits}, {"content", nullptr}};
    if (text.content) written["content"] = *text.content;
    written["written_at"] = core::format_iso8601(text.edited_at.value_or(text.row->published_at));
    texts.push_back(std::move(written));
  }
  return texts;
}

}  // namespace tideline::feed
