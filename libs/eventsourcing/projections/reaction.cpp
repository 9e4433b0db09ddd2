#include "eventsourcing/projections/reaction.hpp"

#include <utility>
#include <variant>

#include "core/check.hpp"

namespace tideline::eventsourcing {
namespace {

constexpr std::size_t kCommandsAtOnce = 100;

IdempotencyKey key_of(const ReactionRules& rules, const ReactionCommand& command) {
  const RecordedEvent& cause = *command.cause;
  return {"reaction", std::string(rules.name()),
          cause.source + '/' + std::to_string(cause.log.value()) + '/' +
              std::to_string(cause.position.value()) + '/' + command.rule,
          ""};
}

}  // namespace

Reaction::Reaction(std::unique_ptr<ReactionRules> rules, EventStore& store,
                   const core::Clock& clock)
    : rules_(std::move(rules)), store_(store), clock_(clock) {}

Reaction::~Reaction() = default;

void Reaction::load(sql::Transaction&) {
  process_manager_.reset();
  causes_.clear();
  gathered_.clear();
}

void Reaction::apply(const RecordedEvent& event) {
  if (rules_->concerns(event)) gathered_.push_back(event);
}

Preparation Reaction::prepare_flush() {
  if (!process_manager_) {
    if (gathered_.empty()) return {};
    causes_ = std::exchange(gathered_, {});
    process_manager_ = rules_->process_manager(causes_);
  }
  const auto piece = process_manager_->next(kCommandsAtOnce);
  if (!piece) return {Preparation::State::Failed, piece.error(), nullptr};
  for (const ReactionCommand& command : piece->commands) {
    const core::Status done = carry_out(command);
    if (!done) return {Preparation::State::Failed, done.error(), command.cause};
  }
  if (piece->more) return {Preparation::State::Unfinished, {}, nullptr};
  process_manager_.reset();
  if (gathered_.empty()) return {};
  return {Preparation::State::Unfinished, {}, nullptr};
}

core::Status Reaction::carry_out(const ReactionCommand& command) {
  CommandContext context;
  context.now = clock_.now();
  const Metadata& metadata = command.cause->metadata;
  context.metadata = {metadata.correlation_id, command.cause->id, metadata.traceparent};
  context.idempotency = key_of(*rules_, command);
  const auto outcome = run_command(store_, context, command.body);
  if (!outcome) return outcome.error();
  CHECK(!std::holds_alternative<KeyReused>(*outcome), "keys of reactions have no body");
  if (const auto* exhausted = std::get_if<ConflictExhausted>(&*outcome)) {
    return core::unavailable("too many others write " + exhausted->stream.value());
  }
  return core::success();
}

}  // namespace tideline::eventsourcing
