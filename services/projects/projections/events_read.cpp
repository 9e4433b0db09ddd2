#include "projects/projections/events_read.hpp"

#include "eventsourcing/event_data.hpp"

namespace tideline::projects {

using eventsourcing::EventData;
using eventsourcing::RecordedEvent;

std::optional<ProjectRead> read_project(const RecordedEvent& recorded) {
  const bool created = recorded.type == "ProjectCreated";
  if (!created && recorded.type != "ProjectEdited") return std::nullopt;
  const EventData data(recorded);
  ProjectRead read{data.id("project_id"), data.account("author"), data.text("card"),
                   data.texts("labels"), std::nullopt};
  if (created) read.published_at = data.time("published_at");
  return read;
}

std::optional<ProjectIconChanged> read_icon(const RecordedEvent& recorded) {
  if (recorded.type != "ProjectIconChanged") return std::nullopt;
  const EventData data(recorded);
  return ProjectIconChanged{data.id("project_id"), data.account("author"),
                            data.nullable_text("icon")};
}

std::optional<Comments::Event> read_comment(const RecordedEvent& recorded) {
  if (recorded.type != "CommentAdded") return std::nullopt;
  const EventData data(recorded);
  return CommentAdded{data.id("project_id"),      data.account("project_author"),
                      data.integer("comment_id"), data.integer("parent_id"),
                      data.account("author"),     data.text("text"),
                      data.text("seen")};
}

std::optional<Advice::Event> read_advice(const RecordedEvent& recorded) {
  const bool given = recorded.type == "AdviceGiven";
  const bool adopted = recorded.type == "AdviceAdopted";
  if (!given && !adopted && recorded.type != "AdviceWithdrawn") return std::nullopt;
  const EventData data(recorded);
  AdviceIdentity advice{data.id("project_id"), data.account("project_author"), data.id("advice_id"),
                        data.account("adviser")};
  if (given) return AdviceGiven{std::move(advice), data.text("text")};
  if (adopted) return AdviceAdopted{std::move(advice)};
  return AdviceWithdrawn{std::move(advice)};
}

std::optional<Documents::Event> read_documents(const RecordedEvent& recorded) {
  if (recorded.type == "DocumentAdded") {
    const EventData data(recorded);
    return DocumentAdded{data.id("project_id"),
                         data.account("author"),
                         data.id("document_id"),
                         data.text("title"),
                         {data.text("media_type"), data.integer("bytes"), data.text("hash")}};
  }
  if (recorded.type == "DocumentRemoved") {
    const EventData data(recorded);
    return DocumentRemoved{data.id("project_id"), data.account("author"), data.id("document_id")};
  }
  return std::nullopt;
}

std::optional<Voting::Event> read_voting(const RecordedEvent& recorded) {
  if (recorded.type == "VotingOpened") {
    const EventData data(recorded);
    return VotingOpened{data.id("project_id"), data.account("author")};
  }
  if (recorded.type == "VotingClosed") {
    const EventData data(recorded);
    return VotingClosed{data.id("project_id"), data.account("author")};
  }
  return std::nullopt;
}

std::optional<Vote::Event> read_vote(const RecordedEvent& recorded) {
  if (recorded.type == "VoteCast") {
    const EventData data(recorded);
    return VoteCast{data.id("project_id"), data.account("project_author"), data.account("voter"),
                    data.boolean("first")};
  }
  if (recorded.type == "VoteWithdrawn") {
    const EventData data(recorded);
    return VoteWithdrawn{data.id("project_id"), data.account("project_author"),
                         data.account("voter")};
  }
  return std::nullopt;
}

}  // namespace tideline::projects
