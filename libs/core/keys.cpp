#include "core/keys.hpp"

#include <initializer_list>

#include "core/check.hpp"

namespace tideline::core::keys {
namespace {

StreamId join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!text.empty()) text.push_back('-');
    text.append(part);
  }
  return StreamId(std::move(text));
}

std::string_view made(std::string_view id) {
  CHECK(is_time_ordered_id(id), "the edge lets only well-formed ids pass");
  return id;
}

}  // namespace

StreamId account(const AccountId& id) { return join({"account", id.to_string()}); }
StreamId sign_in(const AccountId& id, Day campus_day) {
  return join({"signin", id.to_string(), format_day(campus_day)});
}
StreamId session(std::string_view session_id) { return join({"session", made(session_id)}); }
StreamId profile_view(const AccountId& viewer, const AccountId& owner, Day campus_day) {
  return join({"view", viewer.to_string(), owner.to_string(), format_day(campus_day)});
}

StreamId project(std::string_view project_id) { return join({"project", made(project_id)}); }
StreamId comments(std::string_view project_id) { return join({"comments", made(project_id)}); }
StreamId documents(std::string_view project_id) { return join({"documents", made(project_id)}); }
StreamId advice(std::string_view project_id, std::string_view advice_id) {
  return join({"advice", made(project_id), made(advice_id)});
}
StreamId voting(std::string_view project_id) { return join({"voting", made(project_id)}); }
StreamId vote(std::string_view project_id, const AccountId& voter) {
  return join({"vote", made(project_id), voter.to_string()});
}

StreamId contact(const AccountId& one, const AccountId& other) {
  CHECK(one != other, "nobody is his own contact");
  const AccountId& first = one < other ? one : other;
  const AccountId& second = one < other ? other : one;
  return join({"contact", first.to_string(), second.to_string()});
}
StreamId contact_count(const AccountId& id) { return join({"contacts", id.to_string()}); }
StreamId follow(const AccountId& follower, const AccountId& followee) {
  return join({"follow", follower.to_string(), followee.to_string()});
}
StreamId tag(std::string_view tag_id) { return join({"tag", made(tag_id)}); }
StreamId tagged(std::string_view tag_id, const AccountId& account) {
  return join({"tagged", made(tag_id), account.to_string()});
}
StreamId exclusion(const AccountId& owner, const AccountId& other) {
  return join({"exclusion", owner.to_string(), other.to_string()});
}
StreamId group(std::string_view group_id) { return join({"group", made(group_id)}); }
StreamId member(std::string_view group_id, const AccountId& account) {
  return join({"member", made(group_id), account.to_string()});
}
StreamId member_count(std::string_view group_id) { return join({"members", made(group_id)}); }

StreamId moment(MomentId id) { return join({"moment", to_string(id)}); }
StreamId like(MomentId moment, const AccountId& account) {
  return join({"like", to_string(moment), account.to_string()});
}
StreamId comment(MomentId moment, CommentId id) {
  return join({"comment", to_string(moment), to_string(id)});
}
StreamId message(const AccountId& sender, Timestamp sent_at) {
  return join({"message", sender.to_string(), format_iso8601(sent_at)});
}

StreamId reading(const AccountId& reader, Timestamp read_at) {
  return join({"reading", reader.to_string(), format_iso8601(read_at)});
}

StreamId timeline_reading(const AccountId& reader) {
  return join({"timeline", reader.to_string()});
}

StreamId adjustment(std::string_view adjustment_id) {
  return join({"adjustment", made(adjustment_id)});
}
StreamId rules() { return StreamId("rules"); }
StreamId person_rating(const AccountId& rater, const AccountId& subject) {
  return join({"personrating", rater.to_string(), subject.to_string()});
}
StreamId project_rating(const AccountId& rater, std::string_view project_id) {
  return join({"projectrating", rater.to_string(), made(project_id)});
}

std::string_view kind_of(const StreamId& stream) {
  const std::string_view text = stream.value();
  return text.substr(0, text.find('-'));
}

}  // namespace tideline::core::keys
