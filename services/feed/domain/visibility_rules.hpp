// Which rules of visibility hold: all. Builds with tests (TIDELINE_BREAKABLE) can switch one off,
// to show that a check notices it missing; in a release there is nothing to switch.
#pragma once

namespace tideline::feed {

#ifdef TIDELINE_BREAKABLE
#define TIDELINE_RULE bool
#else
#define TIDELINE_RULE static constexpr bool
#endif

// NOLINTBEGIN(readability-identifier-naming): members in a build with tests
struct VisibilityRules {
  TIDELINE_RULE exclusion = true;         // moment settings, in both directions
  TIDELINE_RULE blocks = true;            // who has blocked somebody, and who is, meet nothing
  TIDELINE_RULE partly_invisible = true;  // the lists of partly-invisible moments
  TIDELINE_RULE audience = true;          // every audience but public
  TIDELINE_RULE contacts_only = true;     // the partly audiences are for contacts alone
  TIDELINE_RULE own = true;               // an author sees whatever they write
  TIDELINE_RULE moment_first = true;      // nothing under a moment is for who may not see it
  TIDELINE_RULE known_writers = true;     // likes and comments are met of one's contacts alone, ...
  TIDELINE_RULE own_words = true;         // ... of oneself, ...
  TIDELINE_RULE authors_words = true;     // ... and of the moment's author
  TIDELINE_RULE closed_words = true;      // those of a closed account are gone

  friend bool operator==(const VisibilityRules&, const VisibilityRules&) = default;
};
// NOLINTEND(readability-identifier-naming)

#undef TIDELINE_RULE

}  // namespace tideline::feed
