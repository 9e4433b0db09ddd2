// Subject keys in the owning service's table `subject_key`. A destroyed key leaves its row behind
// without the key, so that no late command brings the subject back.
//
// Thread-safe, blocks on the database; errors as in crypto/subject_keys.hpp.
#pragma once

#include "crypto/subject_keys.hpp"
#include "postgres/connections/database.hpp"

namespace tideline::postgres {

class PostgresSubjectKeys final : public crypto::SubjectKeys {
 public:
  explicit PostgresSubjectKeys(PooledDatabase& database) : database_(database) {}

  core::Result<crypto::SubjectKey> get_or_create(const core::AccountId& subject) override;
  core::Result<std::optional<crypto::SubjectKey>> find(const core::AccountId& subject) override;
  core::Result<std::vector<std::optional<crypto::SubjectKey>>> find_many(
      std::span<const core::AccountId> subjects) override;
  core::Status destroy(const core::AccountId& subject) override;

 private:
  // The row of a subject that had none a moment ago.
  core::Result<sql::Rows> create(const core::AccountId& subject);

  PooledDatabase& database_;
};

}  // namespace tideline::postgres
