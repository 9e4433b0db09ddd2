// The server's side of TLS: a certificate of its own, and clients that must show one (RFC 8446).
//
// Files are looked at again every second: what an authority renews is used for the connections
// that begin from then on, without a restart. Files that cannot be used change nothing, and are
// tried again. Sessions are not resumed: each connection shows its certificate anew.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "http/tls/identity.hpp"

namespace tideline::http {

struct TlsSessionDeleter {
  void operator()(SSL* session) const;
};
// Of one connection, which uses it from one thread at a time.
using TlsSession = std::unique_ptr<SSL, TlsSessionDeleter>;

struct TlsOptions {
  TlsIdentity identity;
  // DNS names. The certificate of a client must have one of them.
  std::vector<std::string> clients;
};

// Thread-safe.
class TlsServer {
 public:
  static constexpr std::chrono::seconds kLookAgain{1};

  // `on_trouble` is told why changed files are not used; it must not block. InvalidInput says which
  // file cannot be used now.
  static core::Result<std::unique_ptr<TlsServer>> load(
      TlsOptions options, std::function<void(std::string_view)> on_trouble);

  // Awaits the client's handshake on `descriptor`, which it does not own.
  [[nodiscard]] TlsSession accept(int descriptor);

 private:
  using Context = std::shared_ptr<SSL_CTX>;
  using Changes = std::vector<std::filesystem::file_time_type>;

  TlsServer(TlsOptions options, std::function<void(std::string_view)> on_trouble)
      : options_(std::move(options)), on_trouble_(std::move(on_trouble)) {}
  static core::Result<Context> read(const TlsOptions& options);
  [[nodiscard]] Changes changes() const;
  Context current();

  const TlsOptions options_;
  const std::function<void(std::string_view)> on_trouble_;
  std::mutex mutex_;
  Context context_;
  Changes changes_;      // when the files were as they are in context_
  std::string trouble_;  // as told last
  std::chrono::steady_clock::time_point looked_;
};

}  // namespace tideline::http
