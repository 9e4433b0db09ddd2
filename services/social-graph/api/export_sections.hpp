// Everything that this service keeps of what one person has written or set, section by section: for
// GET /v1/social-graph-export, and for the operator's subcommand. What others have set about that
// person (tags, remarks, moment settings, blocks, who follows) is theirs and not in it.
#pragma once

#include <vector>

#include "crypto/subject_cipher.hpp"
#include "http/routing/data_export.hpp"
#include "people/people_directory.hpp"
#include "sql/transaction.hpp"

namespace tideline::social_graph {

// All outlive the sections.
struct ExportPorts {
  sql::Database& database;
  crypto::SubjectCipher& cipher;
  const people::PeopleDirectory& people;
};

// Each blocks on the database and the keys. Texts whose key is destroyed are null. Throws
// core::Failed.
std::vector<http::ExportSection> export_sections(const ExportPorts& ports);

}  // namespace tideline::social_graph
