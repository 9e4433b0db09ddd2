// How often a password may be tried: a token bucket for each account and source address together,
// a larger one for each account wherever it is tried from, and one for each source address. An
// attempt takes a token of each before the password is looked at, so that attempts at once are
// counted too; one that turns out right gets them back, so that a lecture hall that signs in behind
// one address is not held up. Who guesses from elsewhere locks nobody out: an account that has
// signed in from a source is not held up there by what is tried from others. And how often somebody
// may register, by source address.
//
// In memory of this process: with n replicas an attacker gets n times as many attempts. Bounded:
// above `buckets_max` the bucket that was asked longest ago is forgotten, and with it its count.
// Thread-safe; never blocks longer than for a short lock.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "core/clock.hpp"
#include "core/token_buckets.hpp"

namespace tideline::accounts {

using AttemptLimit = core::BucketLimit;
using core::TokenBuckets;

struct AttemptLimits {
  AttemptLimit per_account{10, 10};  // from one source
  AttemptLimit per_account_anywhere{100, 20};
  AttemptLimit per_source{200, 200};
  AttemptLimit registrations{600, 600};  // of a source
  AttemptLimit mails{60, 20};            // that strangers ask for, of a source
  AttemptLimit codes{10, 1.0 / 6};       // of an authenticator app, of an account
  std::size_t buckets_max = 100'000;     // of each kind
};

class AttemptLimiter {
 public:
  explicit AttemptLimiter(AttemptLimits limits)
      : pairs_(limits.per_account, limits.buckets_max),
        accounts_(limits.per_account_anywhere, limits.buckets_max),
        sources_(limits.per_source, limits.buckets_max),
        registrations_(limits.registrations, limits.buckets_max),
        mails_(limits.mails, limits.buckets_max),
        codes_(limits.codes, limits.buckets_max) {}

  enum class Caller { Stranger, SignedIn };
  // nullopt: go on. Else when to try again, at least a second.
  std::optional<std::chrono::seconds> begin(const std::string& account, const std::string& source,
                                            core::Timestamp now, Caller caller = Caller::Stranger);
  // The attempt was right, or could not be made.
  void forgive(const std::string& account, const std::string& source);
  // From now on this source is one that the account's owner is at.
  void trust(const std::string& account, const std::string& source);

  // The same for registering.
  std::optional<std::chrono::seconds> begin_registration(const std::string& source,
                                                         core::Timestamp now);
  void forgive_registration(const std::string& source);

  // The same for a mail that somebody asks for without having signed in.
  std::optional<std::chrono::seconds> begin_mail(const std::string& source, core::Timestamp now);

  // The same for a code of an authenticator app: a million are soon tried by who knows the
  // password.
  std::optional<std::chrono::seconds> begin_code(const std::string& account, core::Timestamp now);
  void forgive_code(const std::string& account);

 private:
  static std::string pair_of(const std::string& account, const std::string& source) {
    return account + ' ' + source;
  }

  TokenBuckets pairs_;  // marked: trusted
  TokenBuckets accounts_;
  TokenBuckets sources_;
  TokenBuckets registrations_;
  TokenBuckets mails_;
  TokenBuckets codes_;
};

}  // namespace tideline::accounts
