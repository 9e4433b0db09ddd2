// Every stream id that Tideline uses is built here and parsed here, nowhere else. Natural keys make
// uniqueness a matter of "version 0 of a stream": two people who register one user_id meet on one
// stream, and one of them gets a conflict.
//
// All builders are injective together: no two different calls give one stream id. That holds since
// account ids and server-made ids have 26 characters without '-', and a day or time comes last.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/time_ordered_id.hpp"

namespace tideline::core::keys {

// accounts
StreamId account(const AccountId& id);
StreamId sign_in(const AccountId& id, Day campus_day);
StreamId session(std::string_view session_id);
StreamId profile_view(const AccountId& viewer, const AccountId& owner, Day campus_day);

// projects
StreamId project(std::string_view project_id);
StreamId comments(std::string_view project_id);
StreamId documents(std::string_view project_id);
StreamId advice(std::string_view project_id, std::string_view advice_id);
StreamId voting(std::string_view project_id);
StreamId vote(std::string_view project_id, const AccountId& voter);

// social-graph
StreamId contact(const AccountId& one, const AccountId& other);  // the order does not matter
StreamId contact_count(const AccountId& id);
StreamId follow(const AccountId& follower, const AccountId& followee);
StreamId tag(std::string_view tag_id);
StreamId tagged(std::string_view tag_id, const AccountId& account);
StreamId exclusion(const AccountId& owner, const AccountId& other);
StreamId group(std::string_view group_id);
StreamId member(std::string_view group_id, const AccountId& account);
StreamId member_count(std::string_view group_id);

// feed
StreamId moment(MomentId id);
StreamId like(MomentId moment, const AccountId& account);
StreamId comment(MomentId moment, CommentId id);
StreamId message(const AccountId& sender, Timestamp sent_at);
StreamId reading(const AccountId& reader, Timestamp read_at);
StreamId timeline_reading(const AccountId& reader);

// scoring
StreamId adjustment(std::string_view adjustment_id);
StreamId rules();  // one for the whole installation
StreamId person_rating(const AccountId& rater, const AccountId& subject);
StreamId project_rating(const AccountId& rater, std::string_view project_id);

// The part of a stream id before its first '-': what kind of stream it is ("account", "vote").
std::string_view kind_of(const StreamId& stream);

}  // namespace tideline::core::keys
