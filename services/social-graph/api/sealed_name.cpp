#include "social-graph/api/sealed_name.hpp"

#include "eventsourcing/codec.hpp"

namespace tideline::social_graph {

std::string seal_name(crypto::SubjectCipher& cipher, const core::AccountId& author,
                      std::string_view name, std::string_view context) {
  auto sealed = cipher.seal(author, name, context);
  if (!sealed) throw eventsourcing::CodecFailed(sealed.error());
  return std::move(*sealed);
}

std::string open_name(crypto::SubjectCipher& cipher, const core::AccountId& author,
                      std::string_view sealed, std::string_view context) {
  auto opened = cipher.open(author, sealed, context);
  if (!opened) throw eventsourcing::CodecFailed(opened.error());
  return opened->value_or("");
}

}  // namespace tideline::social_graph
