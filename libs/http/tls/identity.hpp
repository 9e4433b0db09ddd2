// Who this process is to the others that it speaks HTTP over TLS with, and whom it believes.
#pragma once

#include <string>

namespace tideline::http {

// Paths of PEM files.
struct TlsIdentity {
  std::string certificate;  // its own, and what leads from it to the authority
  std::string key;          // of the certificate
  std::string authority;    // certificates of the only one that is believed
};

}  // namespace tideline::http
