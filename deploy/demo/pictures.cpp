#include "demo/pictures.hpp"

#include <openssl/evp.h>
#include <boost/crc.hpp>

#include <algorithm>
#include <array>

namespace tideline::demo {
namespace {

constexpr std::size_t kPictures = 4;  // of each sort
constexpr std::uint32_t kWidth = 900;
constexpr std::uint32_t kHeight = 600;
constexpr std::size_t kStoredBlockMax = 65'535;
constexpr std::uint32_t kAdlerModulus = 65'521;

struct Size {
  const char* name;
  std::uint32_t longer_side;
};
// An image is never enlarged.
constexpr std::array kSizes = {Size{"small", 160}, Size{"medium", 640}, Size{"large", kWidth}};

void put_number(std::string& bytes, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes.push_back(static_cast<char>(number >> shift));
  }
}

void put_chunk(std::string& bytes, const std::string& type, const std::string& data) {
  put_number(bytes, static_cast<std::uint32_t>(data.size()));
  boost::crc_32_type checksum;
  checksum.process_bytes(type.data(), type.size());
  checksum.process_bytes(data.data(), data.size());
  bytes.append(type).append(data);
  put_number(bytes, checksum.checksum());
}

// As zlib would store what it cannot make smaller.
std::string stored(const std::string& data) {
  std::string bytes = "\x78\x01";
  for (std::size_t begin = 0; begin < data.size(); begin += kStoredBlockMax) {
    const auto length = std::min(kStoredBlockMax, data.size() - begin);
    bytes.push_back(begin + length == data.size() ? 1 : 0);
    for (const std::size_t number : {length, ~length}) {
      bytes.push_back(static_cast<char>(number));
      bytes.push_back(static_cast<char>(number >> 8U));
    }
    bytes.append(data, begin, length);
  }
  std::uint32_t one = 1;
  std::uint32_t other = 0;
  for (const char byte : data) {
    one = (one + static_cast<unsigned char>(byte)) % kAdlerModulus;
    other = (other + one) % kAdlerModulus;
  }
  put_number(bytes, (other << 16U) + one);
  return bytes;
}

std::uint32_t little_endian(const std::string& bytes, std::size_t begin, std::size_t length) {
  std::uint32_t number = 0;
  for (std::size_t i = length; i-- > 0;) {
    number = (number << 8U) + static_cast<unsigned char>(bytes[begin + i]);
  }
  return number;
}

std::string sha256_of(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text.append({kDigits[digest[i] / 16], kDigits[digest[i] % 16]});
  }
  return text;
}

Reply upload(Client& client, Campus& campus, PersonIndex person, int status, const char* method,
             const std::string& target, const std::string& picture) {
  campus.as(client, person, 200, "GET", "/v1/me");  // renews the token
  const Person& who = campus.world().people[person];
  Call call{method, target, who.access_token, nullptr, who.position};
  call.bytes = picture;
  return client.expect(status, call);
}

// Reads it in each size. Its name ends with the hash of the largest one's bytes.
void expect_sizes(Client& client, const Person& reader, const std::string& path,
                  const std::string& position) {
  for (const Size& size : kSizes) {
    const std::string target = path + "?size=" + size.name;
    const std::string body =
        client.expect(200, {"GET", target, reader.access_token, nullptr, position}).body;
    const auto [width, height] = size_of_webp(body);
    if (std::max(width, height) != size.longer_side) {
      throw UnexpectedAnswer(target + " is " + std::to_string(width) + " by " +
                             std::to_string(height) + " pixels");
    }
    if (size.longer_side == kWidth && !path.ends_with(sha256_of(body))) {
      throw UnexpectedAnswer(target + " has other bytes than its name says");
    }
  }
}

void verify_avatar(Client& client, Campus& campus, PersonIndex person, std::uint32_t seed) {
  const World& world = campus.world();
  const Reply shown =
      upload(client, campus, person, 200, "PUT", "/v1/me/avatar", png_of(kWidth, kHeight, seed));
  const std::string path = shown.json().at("avatar").get<std::string>();
  const PersonIndex reader = (person + 1) % world.people.size();
  campus.as(client, reader, 200, "GET", "/v1/me");
  expect_sizes(client, world.people[reader], path, shown.position);
}

// Shown to one contact alone; others are told nothing of it.
void verify_picture_of_moment(Client& client, Campus& campus, PersonIndex author,
                              std::uint32_t seed) {
  const World& world = campus.world();
  const auto& contacts = world.contacts[author];
  const auto reader = std::ranges::find_if(
      contacts, [&](PersonIndex contact) { return !world.hidden_from[author].contains(contact); });
  if (reader == contacts.end()) return;
  const Reply stored =
      upload(client, campus, author, 201, "POST", "/v1/images", png_of(kWidth, kHeight, seed));
  const std::string hash = stored.json().at("hash").get<std::string>();
  const Reply published = campus.as(client, author, 201, "POST", "/v1/moments",
                                    {{"images", {hash}},
                                     {"audience", "partly-visible"},
                                     {"user_ids", {world.people[*reader].user_id}}});
  const std::string path =
      "/v1/moments/" + published.json().at("id").get<std::string>() + "/images/" + hash;
  campus.as(client, *reader, 200, "GET", "/v1/me");
  expect_sizes(client, world.people[*reader], path, published.position);
  for (PersonIndex other = 0; other < world.people.size(); ++other) {
    if (other == author || other == *reader) continue;
    campus.as(client, other, 404, "GET", path);
    return;
  }
}

}  // namespace

std::string png_of(std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
  std::string rows;
  for (std::uint32_t y = 0; y < height; ++y) {
    rows.push_back(0);  // no filter
    for (std::uint32_t x = 0; x < width; ++x) {
      for (const std::uint32_t colour : {x * 255 / width, y * 255 / height, (x ^ y) + seed * 31}) {
        rows.push_back(static_cast<char>(colour));
      }
    }
  }
  std::string header;
  put_number(header, width);
  put_number(header, height);
  header.append({8, 2, 0, 0, 0});  // bits of each of three colours
  std::string png = "\x89PNG\r\n\x1a\n";
  put_chunk(png, "IHDR", header);
  put_chunk(png, "IDAT", stored(rows));
  put_chunk(png, "IEND", "");
  return png;
}

std::pair<std::uint32_t, std::uint32_t> size_of_webp(const std::string& bytes) {
  constexpr std::size_t kHeaderBytes = 30;
  if (bytes.size() < kHeaderBytes || bytes.substr(8, 4) != "WEBP") return {0, 0};
  const std::string form = bytes.substr(12, 4);
  constexpr std::uint32_t kFourteenBits = 0x3fff;
  if (form == "VP8 ") {
    return {little_endian(bytes, 26, 2) & kFourteenBits,
            little_endian(bytes, 28, 2) & kFourteenBits};
  }
  if (form == "VP8L") {
    const std::uint32_t both = little_endian(bytes, 21, 4);
    return {(both & kFourteenBits) + 1, ((both >> 14U) & kFourteenBits) + 1};
  }
  if (form != "VP8X") return {0, 0};
  return {little_endian(bytes, 24, 3) + 1, little_endian(bytes, 27, 3) + 1};
}

std::size_t verify_pictures(WorkerPool& workers, Campus& campus) {
  const std::size_t people = campus.world().people.size();
  const std::size_t each = std::min(kPictures, people / 2);
  // One after the other, for an author of one may be the reader of another.
  workers.work(
      "pictures verified", 2 * each,
      [&](Client& client, std::size_t i) {
        const PersonIndex person = i * people / (2 * each);
        const auto seed = static_cast<std::uint32_t>(i);
        if (i % 2 == 0) return verify_avatar(client, campus, person, seed);
        verify_picture_of_moment(client, campus, person, seed);
      },
      1);
  return 2 * each;
}

}  // namespace tideline::demo
