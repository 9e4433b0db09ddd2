#include "push/public_address.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace tideline::push {
namespace {

struct Block {
  std::uint32_t address;
  unsigned bits;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c) {
  return a << 24 | b << 16 | c << 8;
}

// IANA's special-purpose registry, and everything from multicast on.
constexpr std::array kNotPublic{
    Block{v4(0, 0, 0), 8},      Block{v4(10, 0, 0), 8},     Block{v4(100, 64, 0), 10},
    Block{v4(127, 0, 0), 8},    Block{v4(169, 254, 0), 16}, Block{v4(172, 16, 0), 12},
    Block{v4(192, 0, 0), 24},   Block{v4(192, 0, 2), 24},   Block{v4(192, 88, 99), 24},
    Block{v4(192, 168, 0), 16}, Block{v4(198, 18, 0), 15},  Block{v4(198, 51, 100), 24},
    Block{v4(203, 0, 113), 24}, Block{v4(224, 0, 0), 3},
};

bool is_public(std::uint32_t address) {
  return std::ranges::none_of(kNotPublic, [&](const Block& block) {
    return (address ^ block.address) >> (32 - block.bits) == 0;
  });
}

// Of 2000::/3 without Teredo and its neighbours (2001::/23), documentation, and 6to4.
bool is_public(const in6_addr& address) {
  const std::uint8_t* bytes = address.s6_addr;
  const auto first = static_cast<unsigned>(bytes[0] << 8 | bytes[1]);
  const auto second = static_cast<unsigned>(bytes[2] << 8 | bytes[3]);
  if (first >> 13 != 1) return false;
  if (first == 0x2001 && (second < 0x200 || second == 0xdb8)) return false;
  return first != 0x2002 && !(first == 0x3fff && second < 0x1000);
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4_address;
    std::memcpy(&v4_address, &address, sizeof v4_address);
    return is_public(ntohl(v4_address.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6_address;
    std::memcpy(&v6_address, &address, sizeof v6_address);
    return is_public(v6_address.sin6_addr);
  }
  return false;
}

}  // namespace tideline::push
