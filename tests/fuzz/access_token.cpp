// Access tokens: nobody else can make one, so none is ever accepted, whatever its parts look like.
#include "core/check.hpp"
#include "crypto/token.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  static const auto verifier = crypto::TokenVerifier::load(TIDELINE_FUZZ_KEYS);
  CHECK(verifier.ok(), "there is a public key to verify with");
  const core::Timestamp now{std::chrono::seconds(1'800'000'000)};
  const auto verified = verifier->verify(fuzz::as_text(data, size), now);
  CHECK(!verified.ok(), "nobody has signed this");
  CHECK(verified.error().code == core::ErrorCode::InvalidInput, "it is the client's mistake");
  return 0;
}
