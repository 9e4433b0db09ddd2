// Everything that this service keeps of what one person has written or set, for an export. What
// others have set about that person (tags, remarks, moment settings, blocks, followers) is theirs
// and not in it.
#pragma once

#include "core/result.hpp"
#include "crypto/subject_cipher.hpp"
#include "http/messages/json.hpp"
#include "people/people_directory.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

// Reads one snapshot, all lists whole. Blocks on the database and the keys. Texts whose key is
// destroyed are null.
core::Result<http::Json> export_person(sql::Database& database, crypto::SubjectCipher& cipher,
                                       const people::PeopleDirectory& people,
                                       const core::AccountId& account);

}  // namespace tideline::social_graph
