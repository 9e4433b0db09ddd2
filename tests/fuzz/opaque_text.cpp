// Texts that the suite gives out and takes back: cursors and the places in them, refresh tokens,
// position tokens. Each has one form: what is accepted is what would have been given out.
#include "accounts/api/refresh_token.hpp"
#include "core/check.hpp"
#include "core/encoding.hpp"
#include "eventsourcing/events/position_vector.hpp"
#include "fuzz/input.hpp"
#include "http/messages/cursor.hpp"
#include "scoring/api/board_place.hpp"
#include "sql/keyset.hpp"

namespace tideline {
namespace {

void try_cursor(std::string_view text) {
  if (const auto place = http::decode_cursor("list", text)) {
    CHECK(http::encode_cursor("list", *place) == text, "a cursor has one form");
  }
}

void try_positions(std::string_view text) {
  const auto positions = eventsourcing::PositionVector::from_token(text);
  if (!positions) return;
  CHECK(positions->to_token() == text, "a position token has one form");
  CHECK(positions->covers(*positions), "a vector covers itself");
}

// What base64url hides, shown to the mutations as it is.
std::string hidden(std::string_view text) { return core::to_base64url(core::as_bytes(text)); }

}  // namespace
}  // namespace tideline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tideline;
  std::string_view input = fuzz::as_text(data, size);
  switch (fuzz::take_choice(input) % 7) {
    case 0:
      try_cursor(input);
      break;
    case 1:
      if (const auto place = sql::parse_account_place(input)) {
        CHECK(sql::place_text(*place) == input, "a place has one form");
      }
      if (const auto place = sql::parse_id_place(input)) {
        CHECK(sql::place_text(*place) == input, "a place has one form");
      }
      break;
    case 2:
      if (const auto place = scoring::parse_board_place(input)) {
        CHECK(scoring::board_place_text(*place) == input, "a place has one form");
      }
      break;
    case 3:
      if (const auto token = accounts::RefreshToken::parse(input)) {
        CHECK(token->text() == input, "a refresh token has one form");
        (void)token->hashes();
      }
      break;
    case 4:
      try_positions(input);
      break;
    case 5:
      try_cursor(hidden(input));
      break;
    default:
      try_positions(hidden(input));
  }
  return 0;
}
