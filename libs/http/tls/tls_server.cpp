#include "http/tls/tls_server.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <utility>

#include "core/check.hpp"

namespace tideline::http {
namespace {

// Otherwise a key file with a password would be asked for at the terminal.
int no_password(char*, int, int, void*) { return 0; }

std::string reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* text = ERR_reason_error_string(code);
  return text == nullptr ? "cannot be used" : text;
}

}  // namespace

void TlsSessionDeleter::operator()(SSL* session) const { SSL_free(session); }

core::Result<TlsServer::Context> TlsServer::read(const TlsOptions& options) {
  ERR_clear_error();
  Context made(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  CHECK(made != nullptr, "OpenSSL has memory");
  SSL_CTX* const context = made.get();
  SSL_CTX_set_default_passwd_cb(context, no_password);
  const TlsIdentity& files = options.identity;
  const auto refused = [](const std::string& file) {
    return core::invalid_input(file + ": " + reason());
  };
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
    return refused(files.certificate);
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1)
    return refused(files.key);
  if (SSL_CTX_load_verify_file(context, files.authority.c_str()) != 1)
    return refused(files.authority);
  // Both ends are ours.
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  X509_VERIFY_PARAM* const verified = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(
      verified, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_WILDCARDS);
  for (const std::string& name : options.clients) {
    // With a dot before it a name stands for all below it.
    if (name.starts_with('.') ||
        X509_VERIFY_PARAM_add1_host(verified, name.c_str(), name.size()) != 1)
      return core::invalid_input("not a name of a client: " + name);
  }
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  // What could not be sent at once lies elsewhere when it is tried again, with more behind it.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // Records without data are many turns of the reactor, not one long one.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  return made;
}

core::Result<std::unique_ptr<TlsServer>> TlsServer::load(
    TlsOptions options, std::function<void(std::string_view)> on_trouble) {
  // Without a name every certificate of the authority would do.
  if (options.clients.empty()) return core::invalid_input("no client is named");
  std::unique_ptr<TlsServer> server(new TlsServer(std::move(options), std::move(on_trouble)));
  server->changes_ = server->changes();
  auto context = read(server->options_);
  if (!context) return context.error();
  server->context_ = *std::move(context);
  server->looked_ = std::chrono::steady_clock::now();
  return server;
}

TlsServer::Changes TlsServer::changes() const {
  const TlsIdentity& files = options_.identity;
  Changes times;
  for (const std::string* file : {&files.certificate, &files.key, &files.authority}) {
    std::error_code error;
    times.push_back(std::filesystem::last_write_time(*file, error));
  }
  return times;
}

TlsServer::Context TlsServer::current() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kLookAgain) return context_;
  looked_ = now;
  auto seen = changes();
  if (seen == changes_) return context_;
  auto context = read(options_);
  if (context) {
    context_ = *std::move(context);
    changes_ = std::move(seen);
    trouble_.clear();
  } else if (trouble_ != context.error().message) {
    trouble_ = context.error().message;
    on_trouble_(trouble_);
  }
  return context_;
}

TlsSession TlsServer::accept(int descriptor) {
  TlsSession session(SSL_new(current().get()));
  CHECK(session != nullptr, "OpenSSL has memory");
  CHECK(SSL_set_fd(session.get(), descriptor) == 1, "OpenSSL has memory");
  SSL_set_accept_state(session.get());
  return session;
}

}  // namespace tideline::http
