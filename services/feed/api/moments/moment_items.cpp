#include "feed/api/moments/moment_items.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "feed/api/moderation/case_items.hpp"
#include "feed/api/named_images.hpp"
#include "feed/api/named_people.hpp"
#include "feed/api/timelines/private_reads.hpp"
#include "feed/projections/moment_queries.hpp"
#include "feed/stored_events.hpp"

namespace tideline::feed {
namespace {

using http::Json;
using http::Request;
using Accounts = std::vector<core::AccountId>;
using Contents = std::vector<MomentContents::Moment>;  // of each entry; nullptr: none
constexpr std::size_t kListedShown = 500;              // people of an audience
constexpr std::size_t kItemBytes = 512;                // of most
constexpr std::string_view kNoRepost = "null";

// nullptr: the directory does not know him (yet).
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
Found read_rows(const ApiPorts& ports, sql::Transaction& transaction,
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
    if (row->second.audience_changes < entry.audience_changes && !row->second.deleted) return false;
    return entry.edits == 0 || row->second.deleted || found.edits.contains({entry.id, entry.edits});
  });
}

// The engine may have applied a moment, or an edit, that the tables have not got yet.
Found read_all_rows(const ApiPorts& ports, const Request& request,
                    const std::vector<TimelineEntry>& entries, const Accounts& accounts) {
  const Found recent = take_recent(ports, entries);
  if (accounts.empty() && has_all(recent, entries)) return recent;
  return core::value_of(read_up_to_engine(
      ports, request, ports.tables_applied,
      [&](sql::Transaction& transaction) {
        return read_rows(ports, transaction, entries, accounts, recent);
      },
      [&](const Found& found) { return has_all(found, entries); }));
}

// Without those that were deleted meanwhile.
std::vector<Opened> open_texts(const ApiPorts& ports, const std::vector<TimelineEntry>& entries,
                               const Found& found) {
  std::vector<Opened> opened;
  std::vector<crypto::SealedText> texts;
  for (const TimelineEntry& entry : entries) {
    const MomentRow& row = found.rows.at(entry.id);
    if (row.deleted || !row.sealed_content) continue;
    opened.push_back({&entry, &row, std::nullopt, std::nullopt});
    if (entry.edits == 0) {
      texts.push_back({row.author, *row.sealed_content,
                       eventsourcing::Stored<MomentPublished>::kContentContext});
    } else {
      const MomentEditRow& edit = found.edits.at({entry.id, entry.edits});
      texts.push_back(
          {row.author, edit.sealed_content, eventsourcing::Stored<MomentEdited>::kContentContext});
      opened.back().edited_at = edit.edited_at;
    }
  }
  auto contents = core::value_of(ports.cipher.open_many(texts));
  for (std::size_t i = 0; i < opened.size(); ++i) opened[i].content = std::move(contents[i]);
  return opened;
}

// The members of an object, without its braces.
std::string members_of(const Json& object) {
  const std::string text = http::text_of(object);
  return text.substr(1, text.size() - 2);
}

// Why a moderator has hidden what the viewer has written, by the moments' ids.
using Hidings = std::map<core::MomentId, std::string>;

// The tables may not have got it yet, and its author's key may be destroyed: then null.
Hidings find_moment_hidings(const ApiPorts& ports, const std::vector<TimelineEntry>& entries) {
  std::vector<Subject> subjects;
  Hidings hidings;
  for (const TimelineEntry& entry : entries) {
    if (entry.hidden) subjects.push_back({entry.id, std::nullopt});
  }
  if (subjects.empty()) return hidings;
  for (const auto& [subject, hiding] : read_hidings(ports, subjects)) {
    hidings.emplace(subject.moment, http::text_of(hiding));
  }
  return hidings;
}

using Previews = uploads::ImageStore::Previews;

// Asked where the moments are, and not carried by their events: how a picture looks is as personal
// as a text, and here it goes with the upload.
Previews previews_of(const ApiPorts& ports, const std::vector<Opened>& opened) {
  std::vector<uploads::ImageName> names;
  for (const Opened& moment : opened) {
    for (const std::string& hash : moment.row->images) names.push_back({moment.row->author, hash});
  }
  return core::value_of(ports.images.previews(names));
}

std::string joined(const std::vector<std::string>& hashes) {
  std::string all;
  for (const std::string& hash : hashes) all += hash;
  return all;
}

MomentTexts texts_of(const Opened& opened, const MomentContents::Person& author,
                     const Previews& previews) {
  const MomentRow& row = *opened.row;
  Json shown{{"id", core::to_string(row.id)},
             {"content", nullptr},
             {"images", row.images},
             {"image_previews", image_previews(previews, row.author, row.images)},
             {"published_at", core::format_iso8601(row.published_at)},
             {"edited_at", nullptr},
             {"edits", opened.entry->edits},
             {"has_poll", row.has_poll}};
  if (opened.content) shown["content"] = *opened.content;
  if (opened.edited_at) shown["edited_at"] = core::format_iso8601(*opened.edited_at);
  const std::string name = author ? author->person : http::text_of(people::person_json({}));
  const auto& listed = row.lists.user_ids;
  return {row.author,
          opened.entry->edits,
          row.audience_changes,
          author ? author->names_as_of : 0,
          members_of(shown) + R"(,"author":)" + name,
          joined(row.images),
          members_of({{"audience", to_string(row.audience)},
                      {"group_ids", row.lists.group_ids},
                      {"tag_ids", row.lists.tag_ids}}),
          {listed.begin(), listed.begin() + std::min(listed.size(), kListedShown)},
          row.mentions,
          row.repost_of};
}

// Adds those of `accounts` who are remembered, and a place for each of the others; returns these.
Accounts take_known(const ApiPorts& ports, const Accounts& accounts, PersonByAccount& people) {
  Accounts missing;
  for (const core::AccountId& account : accounts) {
    const auto [person, is_new] = people.try_emplace(account);
    if (!is_new) continue;
    person->second = ports.contents.find_person(account);
    if (!person->second) missing.push_back(account);
  }
  return missing;
}

void take_found(const ApiPorts& ports, const PeopleByAccount& found, std::uint64_t names_as_of,
                PersonByAccount& people) {
  for (const auto& [account, person] : found) {
    people[account] = ports.contents.put_person(person, names_as_of);
  }
}

// A text with the name of somebody whom the directory does not know (yet) is not remembered.
MomentContents::Moment keep(const ApiPorts& ports, const core::AccountId& viewer,
                            const Opened& opened, const MomentContents::Person& author,
                            const Previews& previews) {
  const core::MomentId id = opened.row->id;
  const MomentTexts texts = texts_of(opened, author, previews);
  if (!author) return MomentContent::of(texts, {});
  auto kept = ports.contents.put(id, texts);
  // Its deletion may have been applied since: anyone who tells of it told before it was there.
  if (!ports.reader.find_author(id, viewer)) ports.contents.drop(id);
  return kept;
}

// What the entries lack, from the tables; remembered from now on.
void fill(const ApiPorts& ports, const Request& request, const std::vector<TimelineEntry>& entries,
          Contents& contents, PersonByAccount& people) {
  const std::uint64_t names_as_of = ports.contents.name_changes();
  std::vector<TimelineEntry> missing;
  Accounts authors;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (contents[i]) continue;
    missing.push_back(entries[i]);
    authors.push_back(entries[i].author);
  }
  if (missing.empty()) return;
  const auto found = read_all_rows(ports, request, missing, take_known(ports, authors, people));
  const auto opened = open_texts(ports, missing, found);
  const auto previews = previews_of(ports, opened);
  take_found(ports, found.people, names_as_of, people);
  auto text = opened.begin();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (contents[i] || text == opened.end() || text->row->id != entries[i].id) continue;
    contents[i] = keep(ports, request.account(), *text++, people.at(entries[i].author), previews);
  }
}

// Whom the entries mention, and whom the viewer names in the audiences of what he wrote himself.
void name_listed(const ApiPorts& ports, const Request& request, const Contents& contents,
                 PersonByAccount& people) {
  const std::uint64_t names_as_of = ports.contents.name_changes();
  Accounts listed;
  for (const auto& content : contents) {
    if (!content) continue;
    listed.insert(listed.end(), content->mentions().begin(), content->mentions().end());
    if (content->author() != request.account()) continue;
    listed.insert(listed.end(), content->user_ids().begin(), content->user_ids().end());
  }
  const Accounts missing = take_known(ports, listed, people);
  if (missing.empty()) return;
  const auto found = read_all_rows(ports, request, {}, missing);
  take_found(ports, found.people, names_as_of, people);
}

// As far as the author may be told how they are called.
std::string listed_users(const MomentContent& moment, const PersonByAccount& people) {
  std::string users;
  for (const core::AccountId& account : moment.user_ids()) {
    const auto& person = people.at(account);
    if (!person || person->user_id == "null") continue;
    if (!users.empty()) users += ',';
    users += person->user_id;
  }
  return users;
}

// Who is not known (yet, or any more) is left out.
void append_mentions(std::string& items, const MomentContent& moment,
                     const PersonByAccount& people) {
  items.append(R"(,"mentions":[)");
  bool is_first = true;
  for (const core::AccountId& account : moment.mentions()) {
    const auto& person = people.at(account);
    if (!person || person->user_id == "null") continue;
    if (!is_first) items.push_back(',');
    is_first = false;
    items.append(person->person);
  }
  items.push_back(']');
}

// The members that differ by viewer, and the end of an item for who has not written it: one append,
// for a page has twenty of them.
void append_rest(std::string& items, const TimelineEntry& entry, std::string_view end_of_item) {
  std::array<char, 224> text;
  char* end = text.data();
  const auto add = [&](std::string_view part) { end = std::ranges::copy(part, end).out; };
  const auto add_number = [&](std::size_t number) {
    end = std::to_chars(end, text.data() + text.size(), number).ptr;
  };
  add(R"(,"likes":)");
  add_number(entry.likes);
  add(entry.liked ? R"(,"liked":true)" : R"(,"liked":false)");
  add(entry.bookmarked ? R"(,"bookmarked":true,"comments":)"
                       : R"(,"bookmarked":false,"comments":)");
  add_number(entry.comments);
  add(end_of_item);
  items.append(text.data(), end);
}

// Each as the viewer can load it. Nothing in an address has to be escaped in JSON.
void append_image_links(const ApiPorts& ports, std::string& items, const TimelineEntry& entry,
                        const MomentContent& moment, const core::AccountId& viewer) {
  items.append(R"(,"image_links":[)");
  for (std::size_t i = 0; i < moment.images(); ++i) {
    std::string path = "/v1/moments/" + core::to_string(entry.id) + "/images/";
    path.append(moment.image(i));
    items.append(i == 0 ? "\"" : ",\"").append(ports.links.to(path, viewer)).push_back('"');
  }
  items.push_back(']');
}

// `repost`: the JSON of that member.
void append_item(const ApiPorts& ports, std::string& items, const TimelineEntry& entry,
                 const MomentContent& moment, const core::AccountId& viewer,
                 const PersonByAccount& people, std::string_view repost, const Hidings& hidings) {
  items.push_back('{');
  items.append(moment.shown());
  append_image_links(ports, items, entry, moment, viewer);
  append_mentions(items, moment, people);
  items.append(R"(,"repost":)").append(repost);
  items.append(R"(,"hidden":)");
  items.append(entry.hidden ? hidings.at(entry.id) : "null");
  if (entry.author != viewer) {
    append_rest(items, entry, R"(,"audience":null,"group_ids":[],"tag_ids":[],"user_ids":[]})");
    return;
  }
  append_rest(items, entry, ",");
  items.append(moment.audience());
  items.append(R"(,"user_ids":[)");
  items.append(listed_users(moment, people));
  items.append("]}");
}

// Straight from memory, as most pages are: true if all of them are remembered and nobody has to be
// named beside them. Else `items` is as it was.
bool append_remembered(const ApiPorts& ports, const std::vector<TimelineEntry>& entries,
                       const core::AccountId& viewer, const Hidings& hidings, std::string& items) {
  const PersonByAccount nobody;
  const std::size_t before = items.size();
  std::size_t count = 0;
  ports.contents.find_each(entries, [&](std::size_t i, const MomentContents::Moment& moment) {
    const bool names_others = !moment->mentions().empty() ||
                              moment->repost_of() != core::MomentId() ||
                              (moment->author() == viewer && !moment->user_ids().empty());
    if (i != count || names_others) return;
    if (count++ > 0) items.push_back(',');
    append_item(ports, items, entries[i], *moment, viewer, nobody, kNoRepost, hidings);
  });
  if (count == entries.size()) {
    ports.contents.note_hits(count);
    return true;
  }
  items.resize(before);
  return false;
}

// What is to be shown of `entries`, whoever is named in it among `people`.
Contents load_contents(const ApiPorts& ports, const Request& request,
                       const std::vector<TimelineEntry>& entries, PersonByAccount& people) {
  Contents contents = ports.contents.find(entries);
  fill(ports, request, entries, contents, people);
  name_listed(ports, request, contents, people);
  return contents;
}

// The items of what reposts show: of all that the viewer may see now, whenever they were reposted.
std::map<core::MomentId, std::string> items_of_originals(const ApiPorts& ports,
                                                         const Request& request,
                                                         const Contents& reposts,
                                                         PersonByAccount& people) {
  std::set<core::MomentId> ids;
  for (const auto& repost : reposts) {
    if (repost && repost->repost_of() != core::MomentId()) ids.insert(repost->repost_of());
  }
  std::map<core::MomentId, std::string> items;
  if (ids.empty()) return items;
  const core::AccountId& viewer = request.account();
  const auto entries =
      ports.reader.find_all_visible(std::vector<core::MomentId>(ids.begin(), ids.end()), viewer);
  const Contents contents = load_contents(ports, request, entries, people);
  const Hidings hidings = find_moment_hidings(ports, entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!contents[i]) continue;  // deleted meanwhile
    append_item(ports, items[entries[i].id], entries[i], *contents[i], viewer, people, kNoRepost,
                hidings);
  }
  return items;
}

// The member "repost" of an item. What is not for the viewer has no id there, either.
std::string repost_json(const MomentContent& moment,
                        const std::map<core::MomentId, std::string>& originals) {
  if (moment.repost_of() == core::MomentId()) return std::string(kNoRepost);
  const auto original = originals.find(moment.repost_of());
  return R"({"moment":)" + (original == originals.end() ? "null" : original->second) + "}";
}

}  // namespace

std::size_t append_moment_items(const ApiPorts& ports, const Request& request,
                                const std::vector<TimelineEntry>& entries, std::string& items) {
  const core::AccountId& viewer = request.account();
  items.reserve(items.size() + entries.size() * kItemBytes);
  const Hidings hidings = find_moment_hidings(ports, entries);
  if (append_remembered(ports, entries, viewer, hidings, items)) return entries.size();
  PersonByAccount people;
  const Contents contents = load_contents(ports, request, entries, people);
  const auto originals = items_of_originals(ports, request, contents, people);
  std::size_t count = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!contents[i]) continue;  // deleted meanwhile
    if (count++ > 0) items.push_back(',');
    append_item(ports, items, entries[i], *contents[i], viewer, people,
                repost_json(*contents[i], originals), hidings);
  }
  return count;
}

std::optional<core::AccountId> author_of_image(const ApiPorts& ports, const Request& request,
                                               const TimelineEntry& entry, std::string_view hash) {
  const auto found = read_all_rows(ports, request, {entry}, {});
  const MomentRow& row = found.rows.at(entry.id);
  const bool shows = !row.deleted && std::ranges::find(row.images, hash) != row.images.end();
  return shows ? std::optional(row.author) : std::nullopt;
}

Json audience_json(const ApiPorts& ports, const Request& request, const TimelineEntry& entry) {
  const auto found = read_all_rows(ports, request, {entry}, {});
  const MomentRow& row = found.rows.at(entry.id);
  const auto people =
      core::value_of(ports.database.read_each_alone([&](sql::Transaction& transaction) {
        return ports.people.find_many(transaction, row.lists.user_ids);
      }));
  Json users = Json::array();
  for (const core::AccountId& account : row.lists.user_ids) {
    const Json person = people::person_json(people, account);
    if (person["user_id"].is_string()) users.push_back(person["user_id"]);
  }
  return {{"audience", to_string(row.audience)},
          {"group_ids", row.lists.group_ids},
          {"tag_ids", row.lists.tag_ids},
          {"user_ids", std::move(users)}};
}

Json moment_texts(const ApiPorts& ports, const Request& request, const TimelineEntry& entry) {
  std::vector<TimelineEntry> versions;
  for (std::uint32_t edits = 0; edits <= entry.edits; ++edits) {
    versions.insert(versions.begin(), entry);
    versions.front().edits = edits;
  }
  const auto found = read_all_rows(ports, request, versions, {});
  const auto opened = open_texts(ports, versions, found);
  Json texts = Json::array();
  for (const Opened& text : opened) {
    Json written{{"edit", text.entry->edits}, {"content", nullptr}};
    if (text.content) written["content"] = *text.content;
    written["written_at"] = core::format_iso8601(text.edited_at.value_or(text.row->published_at));
    texts.push_back(std::move(written));
  }
  return texts;
}

}  // namespace tideline::feed
