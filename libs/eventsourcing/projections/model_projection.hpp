// A projection that is made of models, each of which fills tables of its own. One projection has
// one checkpoint: a query that has waited for a token sees all tables at it.
//
//   class GraphProjection final
//       : public eventsourcing::ModelProjection<ContactModel, FollowModel> {
//    public:
//     std::string_view name() const override { return "graph"; }
//     std::vector<std::string> sources() const override { return {"social-graph"}; }
//   };
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "eventsourcing/projections/projection.hpp"

namespace tideline::eventsourcing {

// apply() gathers what follows from an event that the model knows and leaves the others; flush()
// writes what has been gathered since clear().
template <class Model>
concept TableModel = requires(Model& model, const Model& gathered, const RecordedEvent& event,
                              sql::Transaction& transaction) {
  std::string(*Model::kTables.begin());
  model.apply(event);
  gathered.flush(transaction);
  model.clear();
};

template <TableModel... Models>
class ModelProjection : public Projection {
 public:
  std::vector<std::string> tables() const override {
    std::vector<std::string> all;
    (all.insert(all.end(), Models::kTables.begin(), Models::kTables.end()), ...);
    return all;
  }
  void load(sql::Transaction&) override { flushed(); }
  void apply(const RecordedEvent& event) override {
    std::apply([&](auto&... model) { (model.apply(event), ...); }, models_);
  }
  void flush(sql::Transaction& transaction) override {
    std::apply([&](const auto&... model) { (model.flush(transaction), ...); }, models_);
  }
  void flushed() override {
    std::apply([](auto&... model) { (model.clear(), ...); }, models_);
  }

 private:
  std::tuple<Models...> models_;
};

}  // namespace tideline::eventsourcing
