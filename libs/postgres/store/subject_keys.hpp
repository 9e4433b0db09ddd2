// Subject keys in the owning service's table `subject_key`, wrapped (crypto/key_wrap.hpp). A
// destroyed key leaves its row behind without the key, so that no late command brings the subject
// back.
//
// Thread-safe, blocks on the database; errors as in crypto/subject_keys.hpp.
#pragma once

#include <optional>

#include "crypto/key_wrap.hpp"
#include "crypto/subject_keys.hpp"
#include "postgres/connections/database.hpp"

namespace tideline::postgres {

class PostgresSubjectKeys final : public crypto::SubjectKeys {
 public:
  // Both must outlive it.
  PostgresSubjectKeys(PooledDatabase& database, crypto::KeyWrap& wrap)
      : database_(database), wrap_(wrap) {}

  core::Result<crypto::SubjectKey> get_or_create(const core::AccountId& subject) override;
  core::Result<std::optional<crypto::SubjectKey>> find(const core::AccountId& subject) override;
  core::Result<std::vector<std::optional<crypto::SubjectKey>>> find_many(
      std::span<const core::AccountId> subjects) override;
  core::Status destroy(const core::AccountId& subject) override;

  struct Wrapped {
    std::size_t seen = 0;
    std::size_t changed = 0;
    std::optional<core::AccountId> last;  // none: there are no more behind `after`
  };
  // Wraps keys behind `after`, a thousand at most, by the key that wraps now. Others may read them
  // meanwhile, and destroy them, which stands.
  core::Result<Wrapped> wrap_anew(const std::optional<core::AccountId>& after);

 private:
  // The row of a subject that had none a moment ago.
  core::Result<sql::Rows> create(const core::AccountId& subject);

  PooledDatabase& database_;
  crypto::KeyWrap& wrap_;
};

}  // namespace tideline::postgres
