#include "projects/domain/advice.hpp"

#include "core/check.hpp"
#include "projects/domain/rejections.hpp"

namespace tideline::projects {

using eventsourcing::Decision;
using eventsourcing::Overloaded;
using eventsourcing::Rejection;
using eventsourcing::RejectionKind;

namespace {

const Rejection kOwnProject{RejectionKind::Invalid, "advice-on-ones-own",
                            "nobody advises a project of his own"};
const Rejection kNotTheAdviser{RejectionKind::Forbidden, "not-the-adviser",
                               "only who gave the advice may withdraw it"};
const Rejection kAdopted{RejectionKind::Conflict, "advice-adopted",
                         "the advice has been adopted, which stands for good"};

using Standing = Advice::Standing;

Decision<Advice::Event> give(const Advice::State& state, const GiveAdvice& wanted) {
  CHECK(state.standing == Standing::NotGiven, "ids of advice are drawn anew");
  if (wanted.advice.adviser == wanted.advice.project_author) return kOwnProject;
  return Decision<Advice::Event>::of(AdviceGiven{wanted.advice, wanted.text});
}

Decision<Advice::Event> adopt(const Advice::State& state, const AdoptAdvice& wanted) {
  if (state.standing == Standing::NotGiven) return kNoSuchAdvice;
  if (wanted.by != state.advice.project_author) return kNotTheAuthor;
  if (state.standing == Standing::Withdrawn) return kNoSuchAdvice;
  if (state.standing == Standing::Adopted) return Decision<Advice::Event>::nothing();
  return Decision<Advice::Event>::of(AdviceAdopted{state.advice});
}

Decision<Advice::Event> withdraw(const Advice::State& state, const WithdrawAdvice& wanted) {
  if (state.standing == Standing::NotGiven) return kNoSuchAdvice;
  if (wanted.by != state.advice.adviser) return kNotTheAdviser;
  if (state.standing == Standing::Adopted) return kAdopted;
  if (state.standing == Standing::Withdrawn) return Decision<Advice::Event>::nothing();
  return Decision<Advice::Event>::of(AdviceWithdrawn{state.advice});
}

}  // namespace

Advice::State Advice::evolve(State state, const Event& event) {
  std::visit(Overloaded{
                 [&](const AdviceGiven& given) {
                   state = {Standing::Given, given.advice};
                 },
                 [&](const AdviceAdopted&) { state.standing = Standing::Adopted; },
                 [&](const AdviceWithdrawn&) { state.standing = Standing::Withdrawn; },
             },
             event);
  return state;
}

Decision<Advice::Event> Advice::decide(const State& state, const Command& command) {
  return std::visit(Overloaded{
                        [&](const GiveAdvice& wanted) { return give(state, wanted); },
                        [&](const AdoptAdvice& wanted) { return adopt(state, wanted); },
                        [&](const WithdrawAdvice& wanted) { return withdraw(state, wanted); },
                    },
                    command);
}

}  // namespace tideline::projects
