#include "feed/projections/events_read.hpp"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "eventsourcing/projection.hpp"

namespace tideline::feed::read {
namespace {

using Json = nlohmann::json;

// The data of one event, asked for field by field.
class Fields {
 public:
  explicit Fields(const eventsourcing::RecordedEvent& event)
      : event_(event), json_(Json::parse(event.data, nullptr, false)) {
    if (!json_.is_object()) fail("the data", "is no JSON object");
  }

  std::string text(const char* name) const { return as_text(name, at(name)); }
  bool boolean(const char* name) const {
    const Json& value = at(name);
    if (!value.is_boolean()) fail(name, "is no boolean");
    return value.get<bool>();
  }
  core::AccountId account(const char* name) const { return as_account(name, at(name)); }
  std::optional<core::AccountId> nullable_account(const char* name) const {
    const Json& value = at(name);
    if (value.is_null()) return std::nullopt;
    return as_account(name, value);
  }
  std::optional<std::string> nullable_text(const char* name) const {
    const Json& value = at(name);
    if (value.is_null()) return std::nullopt;
    return as_text(name, value);
  }
  core::Timestamp time(const char* name) const {
    const auto time = core::parse_iso8601(text(name));
    if (!time) fail(name, "is no time");
    return *time;
  }
  core::MomentId moment(const char* name) const {
    const auto id = core::parse_moment_id(text(name));
    if (!id) fail(name, "is no moment id");
    return *id;
  }
  core::CommentId comment(const char* name) const { return as_comment(name, at(name)); }
  std::optional<core::CommentId> nullable_comment(const char* name) const {
    const Json& value = at(name);
    if (value.is_null()) return std::nullopt;
    return as_comment(name, value);
  }
  std::uint32_t edit(const char* name) const {
    const Json& value = at(name);
    const auto number = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
    if (number == 0 || number > Moment::kEditsMax) {
      fail(name, "is no number of an edit");
    }
    return static_cast<std::uint32_t>(number);
  }
  eventsourcing::PositionVector positions(const char* name) const {
    auto positions = eventsourcing::PositionVector::from_token(text(name));
    if (!positions) fail(name, "is no position token");
    return std::move(*positions);
  }
  // Events of before it was kept have none.
  eventsourcing::PositionVector positions_if_any(const char* name) const {
    return json_.contains(name) ? positions(name) : eventsourcing::PositionVector();
  }
  Audience audience(const char* name) const {
    const auto audience = parse_audience(text(name));
    if (!audience) fail(name, "is no audience");
    return *audience;
  }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> texts;
    for (const Json& item : array(name)) texts.push_back(as_text(name, item));
    return texts;
  }
  std::vector<MessageKey> message_keys(const char* name) const {
    std::vector<MessageKey> keys;
    for (const std::string& text : texts(name)) {
      const std::size_t mark = text.find('_');
      if (mark == std::string::npos) fail(name, "is no message key");
      const auto sender = core::AccountId::parse(text.substr(0, mark));
      const auto sent_at = core::parse_iso8601(text.substr(mark + 1));
      if (!sender || !sent_at) fail(name, "is no message key");
      keys.push_back({*sent_at, *sender});
    }
    return keys;
  }
  std::vector<core::AccountId> accounts(const char* name) const {
    std::vector<core::AccountId> accounts;
    for (const Json& item : array(name)) accounts.push_back(as_account(name, item));
    return accounts;
  }

 private:
  [[noreturn]] void fail(const std::string& name, const char* why) const {
    throw eventsourcing::PoisonEvent(event_.type + ": " + name + " " + why);
  }
  const Json& at(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) fail(name, "is missing");
    return *found;
  }
  const Json& array(const char* name) const {
    const Json& value = at(name);
    if (!value.is_array()) fail(name, "is no array");
    return value;
  }
  std::string as_text(const char* name, const Json& value) const {
    if (!value.is_string()) fail(name, "is no text");
    return value.get<std::string>();
  }
  core::AccountId as_account(const char* name, const Json& value) const {
    const auto account = core::AccountId::parse(as_text(name, value));
    if (!account || *account == core::AccountId()) fail(name, "is no account id");
    return *account;
  }

  core::CommentId as_comment(const char* name, const Json& value) const {
    const auto id = core::parse_comment_id(as_text(name, value));
    if (!id) fail(name, "is no comment id");
    return *id;
  }

  const eventsourcing::RecordedEvent& event_;
  Json json_;
};

using Reader = Event (*)(const Fields&);
using Readers = std::map<std::string_view, Reader>;

const Readers kAccountsReaders{
    {"AccountClosed",
     [](const Fields& f) -> Event { return AccountClosed{f.account("account_id")}; }},
};

const Readers kSocialGraphReaders{
    {"ContactAccepted",
     [](const Fields& f) -> Event {
       return ContactAccepted{f.account("from"), f.account("to"), f.positions_if_any("seen")};
     }},
    {"ContactRemoved",
     [](const Fields& f) -> Event {
       return ContactRemoved{f.account("by"), f.account("other")};
     }},
    {"Followed",
     [](const Fields& f) -> Event {
       return Followed{f.account("follower"), f.account("followee"), f.positions_if_any("seen")};
     }},
    {"Unfollowed",
     [](const Fields& f) -> Event {
       return Unfollowed{f.account("follower"), f.account("followee")};
     }},
    {"ContactTagged",
     [](const Fields& f) -> Event {
       return ContactTagged{f.account("owner"), f.text("tag_id"), f.account("account_id"),
                            f.positions_if_any("seen")};
     }},
    {"ContactUntagged",
     [](const Fields& f) -> Event {
       return ContactUntagged{f.account("owner"), f.text("tag_id"), f.account("account_id"),
                              f.positions_if_any("seen")};
     }},
    {"TagDeleted",
     [](const Fields& f) -> Event {
       return TagDeleted{f.text("tag_id"), f.positions_if_any("seen")};
     }},
    {"MomentSettingChanged",
     [](const Fields& f) -> Event {
       return MomentSettingChanged{f.account("owner"), f.account("other"), f.boolean("hides_other"),
                                   f.boolean("hidden_from_other"), f.positions_if_any("seen")};
     }},
    {"GroupJoined",
     [](const Fields& f) -> Event {
       return GroupJoined{f.text("group_id"), f.account("account_id"), f.positions_if_any("seen")};
     }},
    {"GroupLeft",
     [](const Fields& f) -> Event {
       return GroupLeft{f.text("group_id"), f.account("account_id"), f.positions_if_any("seen")};
     }},
    {"GroupDissolved",
     [](const Fields& f) -> Event {
       return GroupDissolved{f.text("group_id"), f.positions_if_any("seen")};
     }},
};

const Readers kFeedReaders{
    {"MomentPublished",
     [](const Fields& f) -> Event {
       return MomentPublished{f.moment("moment_id"),
                              f.account("author"),
                              f.audience("audience"),
                              {f.texts("group_ids"), f.texts("tag_ids"), f.accounts("user_ids")},
                              f.text("content"),
                              f.texts("images"),
                              f.time("published_at"),
                              f.positions("seen")};
     }},
    {"MomentEdited",
     [](const Fields& f) -> Event {
       return MomentEdited{f.moment("moment_id"), f.account("author"), f.edit("edit"),
                           f.text("content"),     f.time("edited_at"), f.positions("seen")};
     }},
    {"MomentDeleted",
     [](const Fields& f) -> Event {
       return MomentDeleted{f.moment("moment_id"), f.account("author")};
     }},
    {"MomentLiked",
     [](const Fields& f) -> Event {
       return MomentLiked{f.moment("moment_id"), f.account("account_id"), f.time("liked_at")};
     }},
    {"MomentUnliked",
     [](const Fields& f) -> Event {
       return MomentUnliked{f.moment("moment_id"), f.account("account_id")};
     }},
    {"CommentAdded",
     [](const Fields& f) -> Event {
       return CommentAdded{f.moment("moment_id"),   f.account("moment_author"),
                           f.comment("comment_id"), f.nullable_comment("parent_id"),
                           f.account("author"),     f.text("text"),
                           f.time("written_at"),    f.positions("seen")};
     }},
    {"CommentDeleted",
     [](const Fields& f) -> Event {
       return CommentDeleted{f.moment("moment_id"), f.comment("comment_id"), f.account("author"),
                             f.account("by")};
     }},
    {"MessageSent",
     [](const Fields& f) -> Event {
       return MessageSent{f.account("sender"),
                          f.nullable_account("recipient"),
                          f.nullable_text("group_id"),
                          f.accounts("recipients"),
                          f.text("text"),
                          f.time("sent_at"),
                          f.positions("seen")};
     }},
    {"MessagesRead",
     [](const Fields& f) -> Event {
       return MessagesRead{f.account("reader"), f.message_keys("messages")};
     }},
    {"TimelineSeen",
     [](const Fields& f) -> Event {
       return TimelineSeen{f.account("reader"), f.moment("up_to")};
     }},
};

const std::map<std::string_view, const Readers*> kReadersByService{
    {"accounts", &kAccountsReaders},
    {"social-graph", &kSocialGraphReaders},
    {"feed", &kFeedReaders},
};

std::set<std::string> list_types() {
  std::set<std::string> types;
  for (const auto& [service, readers] : kReadersByService) {
    for (const auto& [type, reader] : *readers) {
      types.insert(std::string(service) + "/" + std::string(type));
    }
  }
  return types;
}

}  // namespace

const std::set<std::string>& event_types() {
  static const std::set<std::string> types = list_types();
  return types;
}

std::optional<Event> read_event(const eventsourcing::RecordedEvent& event) {
  const auto service = kReadersByService.find(event.source);
  if (service == kReadersByService.end()) return std::nullopt;
  const auto reader = service->second->find(event.type);
  if (reader == service->second->end()) return std::nullopt;
  return reader->second(Fields(event));
}

}  // namespace tideline::feed::read
