#include "feed/domain/poll.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "core/text.hpp"

namespace tideline::feed {
namespace {

using eventsourcing::Decision;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

bool is_option(const std::string& option) {
  const auto length = core::code_points(option);
  return length && *length > 0 && *length <= Poll::kOptionCodePointsMax &&
         option.find('\n') == std::string::npos;
}

}  // namespace

std::optional<Rejection> refuse_poll(const NewPoll& poll, core::Timestamp now) {
  const std::set<std::string> different(poll.options.begin(), poll.options.end());
  if (poll.options.size() < Poll::kOptionsMin || poll.options.size() > Poll::kOptionsMax ||
      different.size() != poll.options.size() || !std::ranges::all_of(poll.options, is_option)) {
    return Rejection{RejectionKind::Invalid, "poll-options",
                     "a poll has 2 to 6 different options of one line, 1 to 100 characters each"};
  }
  if (poll.closes_at <= now || poll.closes_at - now > Poll::kOpenMax) {
    return Rejection{RejectionKind::Invalid, "poll-closes-at",
                     "a poll closes within 30 days from now"};
  }
  return std::nullopt;
}

std::string joined_options(const std::vector<std::string>& options) {
  std::string joined;
  for (const std::string& option : options) {
    if (!joined.empty()) joined += '\n';
    joined += option;
  }
  return joined;
}

std::vector<std::string> split_options(const std::string& joined) {
  std::vector<std::string> options;
  std::size_t begin = 0;
  for (auto end = joined.find('\n'); end != std::string::npos; end = joined.find('\n', begin)) {
    options.push_back(joined.substr(begin, end - begin));
    begin = end + 1;
  }
  options.push_back(joined.substr(begin));
  return options;
}

PollVote::State PollVote::evolve(State state, const Event& event) {
  state.choices = std::get<PollVoted>(event).choices;
  return state;
}

Decision<PollVote::Event> PollVote::decide(const State& state, const Command& command) {
  const auto& wanted = std::get<CastPollVote>(command);
  if (state.choices != 0) {
    if (state.choices == wanted.choices) return Decision<Event>::nothing();
    return Rejection{RejectionKind::Conflict, "already-voted",
                     "you have voted, and a vote is not changed"};
  }
  if (wanted.now >= wanted.poll.closes_at) {
    return Rejection{RejectionKind::Conflict, "poll-closed", "the poll is closed"};
  }
  const bool is_of_poll = wanted.choices != 0 && wanted.choices < (1U << wanted.poll.count);
  if (!is_of_poll || (!wanted.poll.is_multiple && std::popcount(wanted.choices) > 1)) {
    return Rejection{RejectionKind::Invalid, "poll-choices",
                     "a vote is for options of the poll, for one where it takes no more"};
  }
  return Decision<Event>::of(PollVoted{wanted.moment, wanted.voter, wanted.choices, wanted.now});
}

}  // namespace tideline::feed
