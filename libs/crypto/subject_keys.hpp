// Keys that personal text is encrypted under, one per author, held by the owning service. They are
// the one thing besides events that is written and deleted: destroying an author's key erases what
// he wrote from the log, the topic and every later replay.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace tideline::crypto {

using SubjectKey = std::array<std::uint8_t, 32>;

// 256 bits from the kernel's generator.
SubjectKey new_subject_key();

// The port. Implementations are thread-safe and may block on a database; their errors are those of
// the database, except where said. Destruction is for ever: a destroyed subject never gets another
// key, so that a late command of a closed account cannot bring one back.
class SubjectKeys {
 public:
  virtual ~SubjectKeys() = default;

  // Creates the key on the first call; all later calls, also concurrent ones from other processes,
  // give the same. Conflict (not retryable) once it has been destroyed.
  virtual core::Result<SubjectKey> get_or_create(const core::AccountId& subject) = 0;

  // nullopt: never created or destroyed.
  virtual core::Result<std::optional<SubjectKey>> find(const core::AccountId& subject) = 0;

  // One round trip for many: the answer at [i] belongs to subjects[i]; repeats are allowed.
  virtual core::Result<std::vector<std::optional<SubjectKey>>> find_many(
      std::span<const core::AccountId> subjects) = 0;

  // Idempotent; also when there never was a key.
  virtual core::Status destroy(const core::AccountId& subject) = 0;
};

// For tests and demos. Never blocks, never fails.
class InMemorySubjectKeys final : public SubjectKeys {
 public:
  core::Result<SubjectKey> get_or_create(const core::AccountId& subject) override;
  core::Result<std::optional<SubjectKey>> find(const core::AccountId& subject) override;
  core::Result<std::vector<std::optional<SubjectKey>>> find_many(
      std::span<const core::AccountId> subjects) override;
  core::Status destroy(const core::AccountId& subject) override;

 private:
  std::mutex mutex_;
  std::unordered_map<core::AccountId, std::optional<SubjectKey>> keys_;  // nullopt: destroyed
};

}  // namespace tideline::crypto
