#include "push/vapid.hpp"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/encoding.hpp"

namespace tideline::push {
namespace {

std::string encoded(const nlohmann::json& part) {
  return core::to_base64url(core::as_bytes(part.dump()));
}

}  // namespace

core::Result<Vapid> Vapid::load(const std::string& key_file, std::string contact) {
  if (!contact.starts_with("mailto:") && !contact.starts_with("https:")) {
    return core::invalid_input("the contact begins neither with mailto: nor with https:");
  }
  std::ifstream file(key_file);
  const std::string pem{std::istreambuf_iterator<char>(file), {}};
  auto key = crypto::P256PrivateKey::from_pem(pem);
  if (!key) return core::invalid_input(key_file + ": " + key.error().message);
  return Vapid(std::move(*key), std::move(contact));
}

Vapid::Vapid(crypto::P256PrivateKey key, std::string contact)
    : key_(std::move(key)),
      public_key_(core::to_base64url(key_.public_key().uncompressed())),
      contact_(std::move(contact)) {}

core::Result<std::string> Vapid::authorization(const std::string& origin,
                                               core::Timestamp now) const {
  const auto until =
      std::chrono::duration_cast<std::chrono::seconds>((now + kGoodFor).time_since_epoch());
  const std::string token = encoded({{"typ", "JWT"}, {"alg", "ES256"}}) + "." +
                            encoded({{"aud", origin}, {"exp", until.count()}, {"sub", contact_}});
  const auto signature = key_.sign(token);
  if (!signature) return signature.error();
  return "vapid t=" + token + "." + core::to_base64url(*signature) + ", k=" + public_key_;
}

}  // namespace tideline::push
