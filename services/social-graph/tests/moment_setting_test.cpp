#include "social-graph/domain/moment_setting.hpp"

#include "eventsourcing/testing/given_when_then.hpp"
#include "social-graph/tests/people_for_specs.hpp"

namespace tideline::social_graph {
namespace {

using eventsourcing::testing::given;

TEST(MomentSetting, ChangesInBothDirections) {
  given<MomentSetting>()
      .when(ChangeMomentSetting{kAda, kBob, true, false})
      .then(MomentSettingChanged{kAda, kBob, true, false});
  given<MomentSetting>(MomentSettingChanged{kAda, kBob, true, false})
      .when(ChangeMomentSetting{kAda, kBob, false, true})
      .then(MomentSettingChanged{kAda, kBob, false, true});
}

TEST(MomentSetting, SettingWhatIsSetChangesNothing) {
  given<MomentSetting>().when(ChangeMomentSetting{kAda, kBob, false, false}).then_nothing();
  given<MomentSetting>(MomentSettingChanged{kAda, kBob, true, true})
      .when(ChangeMomentSetting{kAda, kBob, true, true})
      .then_nothing();
}

TEST(MomentSetting, IsNotAboutOneself) {
  given<MomentSetting>().when(ChangeMomentSetting{kAda, kAda, true, true}).then_rejected("oneself");
}

}  // namespace
}  // namespace tideline::social_graph
