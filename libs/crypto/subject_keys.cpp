#include "crypto/subject_keys.hpp"

#include <sodium.h>

#include "crypto/sodium_ready.hpp"

namespace tideline::crypto {

SubjectKey new_subject_key() {
  sodium_ready();
  SubjectKey key;
  randombytes_buf(key.data(), key.size());
  return key;
}

core::Result<SubjectKey> InMemorySubjectKeys::get_or_create(const core::AccountId& subject) {
  const std::lock_guard lock(mutex_);
  const auto known = keys_.find(subject);
  if (known == keys_.end()) return *keys_.emplace(subject, new_subject_key()).first->second;
  if (!known->second) {
    return core::Error{core::ErrorCode::Conflict, "the subject's key has been destroyed"};
  }
  return *known->second;
}

core::Result<std::optional<SubjectKey>> InMemorySubjectKeys::find(const core::AccountId& subject) {
  const std::lock_guard lock(mutex_);
  const auto known = keys_.find(subject);
  return known == keys_.end() ? std::nullopt : known->second;
}

core::Result<std::vector<std::optional<SubjectKey>>> InMemorySubjectKeys::find_many(
    std::span<const core::AccountId> subjects) {
  const std::lock_guard lock(mutex_);
  std::vector<std::optional<SubjectKey>> found;
  found.reserve(subjects.size());
  for (const core::AccountId& subject : subjects) {
    const auto known = keys_.find(subject);
    found.push_back(known == keys_.end() ? std::nullopt : known->second);
  }
  return found;
}

core::Status InMemorySubjectKeys::destroy(const core::AccountId& subject) {
  const std::lock_guard lock(mutex_);
  keys_.insert_or_assign(subject, std::nullopt);
  return core::success();
}

}  // namespace tideline::crypto
