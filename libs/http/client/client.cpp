#include "http/client/client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/check.hpp"

namespace tideline::http {
namespace {

constexpr int kIdlePollMs = 1'000;

std::string escape(std::string_view text) {
  char* escaped = curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size()));
  CHECK(escaped != nullptr, "libcurl has memory");
  std::string made = escaped;
  curl_free(escaped);
  return made;
}

// With TLS it has the name that is asked for; use_tls() says where that is.
std::string url_of(const OutgoingRequest& request, const std::optional<ClientTls>& tls) {
  std::string url = "http://" + request.address + request.path;
  if (tls) url = "https://" + tls->server + request.path;
  char before = '?';
  for (const auto& [name, value] : request.query) {
    url += before + escape(name) + '=' + escape(value);
    before = '&';
  }
  return url;
}

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_printable(std::string_view value) {
  constexpr unsigned char kDelete = 0x7f;
  return std::ranges::none_of(value, [](unsigned char c) { return c < ' ' || c == kDelete; });
}

core::Error error_of(CURLcode code) {
  const std::string what = curl_easy_strerror(code);
  const bool never_got_there =
      code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
      code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ||
      code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CACERT_BADFILE;
  return never_got_there ? core::unavailable(what) : core::timed_out(what);
}

// One request and what has come of its answer. Of the client's thread.
class Transfer {
 public:
  Transfer(const OutgoingRequest& request, const ClientOptions& options, Client::Then then)
      : body_bytes_max_(options.body_bytes_max), then_(std::move(then)), easy_(curl_easy_init()) {
    CHECK(easy_ != nullptr, "libcurl has a handle");
    for (const auto& [name, value] : request.headers) {
      fields_ = curl_slist_append(fields_, (name + ": " + value).c_str());
    }
    set(CURLOPT_URL, url_of(request, options.tls).c_str());
    set(CURLOPT_PROTOCOLS_STR, options.tls ? "https" : "http");
    if (options.tls) use_tls(*options.tls, request.address);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_PROXY, "");
    set(CURLOPT_HTTPHEADER, fields_);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Transfer::take_field);
    set(CURLOPT_HEADERDATA, this);
  }
  ~Transfer() {
    curl_easy_cleanup(easy_);
    curl_slist_free_all(fields_);
    curl_slist_free_all(connect_to_);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* easy() const { return easy_; }
  void finish(CURLcode code) {
    if (code != CURLE_OK) return then_(error_of(code));
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    then_(std::move(response_));
  }
  void give_up(const char* why) { then_(core::unavailable(why)); }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    CHECK(curl_easy_setopt(easy_, option, value) == CURLE_OK, "an option of libcurl");
  }

  void use_tls(const ClientTls& tls, const std::string& address) {
    connect_to_ = curl_slist_append(nullptr, ("::" + address).c_str());
    set(CURLOPT_CONNECT_TO, connect_to_);
    set(CURLOPT_CAINFO, tls.identity.authority.c_str());
    // No other authority, such as those of the system; and no memory of what the file held.
    set(CURLOPT_CAPATH, static_cast<char*>(nullptr));
    set(CURLOPT_CA_CACHE_TIMEOUT, 0L);
    set(CURLOPT_SSLCERT, tls.identity.certificate.c_str());
    set(CURLOPT_SSLKEY, tls.identity.key.c_str());
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_3));
  }

  static std::size_t take_body(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    std::string& body = transfer.response_.body;
    if (body.size() + size * count > transfer.body_bytes_max_) return 0;
    body.append(bytes, size * count);
    return size * count;
  }

  static std::size_t take_field(char* bytes, std::size_t size, std::size_t count, void* self) {
    const std::string_view line = without_line_end({bytes, size * count});
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return size * count;
    const auto name = line.substr(0, colon);
    const auto value = trim_blanks(line.substr(colon + 1));
    if (is_token(name) && is_printable(value)) {
      static_cast<Transfer*>(self)->response_.headers.add(name, value);
    }
    return size * count;
  }

  const std::size_t body_bytes_max_;
  const Client::Then then_;
  CURL* const easy_;
  curl_slist* fields_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  Response response_;
};

}  // namespace

class Client::Transfers {
 public:
  explicit Transfers(ClientOptions options) : options_(std::move(options)) {
    static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
    CHECK(kReady == CURLE_OK, "libcurl is ready");
    multi_ = curl_multi_init();
    CHECK(multi_ != nullptr, "libcurl has a handle");
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~Transfers() {
    thread_.request_stop();
    curl_multi_wakeup(multi_);
    thread_.join();
    for (auto& [easy, transfer] : in_flight_) {
      curl_multi_remove_handle(multi_, easy);
      transfer->give_up("the client ends");
    }
    for (auto& transfer : arriving_) transfer->give_up("the client ends");
    curl_multi_cleanup(multi_);
  }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  void add(const OutgoingRequest& request, Then then) {
    auto transfer = std::make_unique<Transfer>(request, options_, std::move(then));
    {
      const std::lock_guard lock(mutex_);
      if (count_ < options_.in_flight_max) {
        ++count_;
        arriving_.push_back(std::move(transfer));
      }
    }
    if (transfer) return transfer->give_up("too many requests are in flight");
    curl_multi_wakeup(multi_);
  }

 private:
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      take_arriving();
      int running = 0;
      curl_multi_perform(multi_, &running);
      finish_done();
      curl_multi_poll(multi_, nullptr, 0, kIdlePollMs, nullptr);
    }
  }

  void take_arriving() {
    std::vector<std::unique_ptr<Transfer>> arrived;
    {
      const std::lock_guard lock(mutex_);
      arrived.swap(arriving_);
    }
    for (auto& transfer : arrived) {
      CURL* const easy = transfer->easy();
      in_flight_[easy] = std::move(transfer);
      CHECK(curl_multi_add_handle(multi_, easy) == CURLM_OK, "libcurl takes a request");
    }
  }

  void finish_done() {
    int left = 0;
    while (const CURLMsg* done = curl_multi_info_read(multi_, &left)) {
      if (done->msg != CURLMSG_DONE) continue;
      const CURLcode code = done->data.result;
      auto finished = in_flight_.extract(done->easy_handle);
      curl_multi_remove_handle(multi_, finished.key());
      {
        const std::lock_guard lock(mutex_);
        --count_;
      }
      finished.mapped()->finish(code);
    }
  }

  const ClientOptions options_;
  CURLM* multi_ = nullptr;
  std::map<CURL*, std::unique_ptr<Transfer>> in_flight_;  // of the thread
  std::mutex mutex_;
  std::size_t count_ = 0;
  std::vector<std::unique_ptr<Transfer>> arriving_;
  std::jthread thread_;
};

Client::Client(ClientOptions options)
    : transfers_(std::make_unique<Transfers>(std::move(options))) {}

Client::~Client() = default;

void Client::get(const OutgoingRequest& request, Then then) {
  transfers_->add(request, std::move(then));
}

}  // namespace tideline::http
