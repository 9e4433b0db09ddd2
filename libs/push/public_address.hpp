// Whether an address is one of the open Internet: what strangers may make a server of ours connect
// to. Private, shared, link-local, loopback and multicast addresses are not, nor those that carry
// an IPv4 address in an IPv6 one. Pure.
#pragma once

struct sockaddr;

namespace tideline::push {

bool is_public_address(const sockaddr& address);

}  // namespace tideline::push
