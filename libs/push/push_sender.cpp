#include "push/push_sender.hpp"

#include <curl/curl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/check.hpp"
#include "push/public_address.hpp"

namespace tideline::push {
namespace {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeMulti {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;
using Multi = std::unique_ptr<CURLM, FreeMulti>;
using Headers = std::unique_ptr<curl_slist, FreeList>;

void append(Headers& headers, const std::string& line) {
  curl_slist* longer = curl_slist_append(headers.get(), line.c_str());
  CHECK(longer != nullptr, "there is memory for a header");
  (void)headers.release();
  headers.reset(longer);
}

// One request of a batch.
struct Transfer {
  Easy easy;
  Headers headers;
  std::size_t answered = 0;
  bool is_not_public = false;
};

std::size_t pass_over(char*, std::size_t size, std::size_t count, void* pointer) {
  auto& transfer = *static_cast<Transfer*>(pointer);
  transfer.answered += size * count;
  return transfer.answered > PushSender::kAnswerBytesMax ? 0 : size * count;
}

// Every connection goes through here, with the address that it is made to.
curl_socket_t open_public(void* pointer, curlsocktype, curl_sockaddr* address) {
  if (!is_public_address(address->addr)) {
    static_cast<Transfer*>(pointer)->is_not_public = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void prepare(Transfer& transfer, const PushRequest& request, const PushSenderOptions& options) {
  transfer.easy.reset(curl_easy_init());
  CURL* easy = transfer.easy.get();
  CHECK(easy != nullptr, "libcurl has a handle");
  append(transfer.headers, "Content-Type: application/octet-stream");
  append(transfer.headers, "Content-Encoding: aes128gcm");
  append(transfer.headers, "TTL: " + std::to_string(options.time_to_live.count()));
  append(transfer.headers, "Urgency: normal");
  if (!options.topic.empty()) append(transfer.headers, "Topic: " + options.topic);
  append(transfer.headers, "Authorization: " + request.authorization);
  append(transfer.headers, "Expect:");
  const bool is_public = options.reach == Reach::Public;
  curl_easy_setopt(easy, CURLOPT_URL, request.endpoint.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, is_public ? "https" : "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  // Behind a proxy nobody here would see whom it connects to.
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // A name server of a stranger's may be slow: its answer is not waited for once the time is over.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(PushSender::kTimeout.count()));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers.get());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &pass_over);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  if (!options.ca_file.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  }
  if (is_public) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &open_public);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  }
  curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
}

PushAnswer answer_of(const Transfer& transfer, CURLcode done) {
  if (transfer.is_not_public) return {PushOutcome::Refused, "its address is not public"};
  long status = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (done != CURLE_OK && status == 0) return {PushOutcome::Later, curl_easy_strerror(done)};
  if (status >= 200 && status < 300) return {PushOutcome::Taken, ""};
  PushAnswer answer{PushOutcome::Refused, "it answered " + std::to_string(status)};
  if (status == 404 || status == 410) answer.outcome = PushOutcome::Gone;
  if (status == 429 || status >= 500) answer.outcome = PushOutcome::Later;
  curl_off_t wait = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_RETRY_AFTER, &wait);
  if (wait > 0) answer.retry_after = std::chrono::seconds(wait);
  return answer;
}

}  // namespace

PushSender::PushSender(PushSenderOptions options) : options_(std::move(options)) {
  static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(kReady == CURLE_OK, "libcurl is ready");
}

std::vector<PushAnswer> PushSender::send(std::span<const PushRequest> batch) const {
  const Multi multi(curl_multi_init());
  CHECK(multi != nullptr, "libcurl has a handle");
  std::vector<Transfer> transfers(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    prepare(transfers[i], batch[i], options_);
    curl_multi_add_handle(multi.get(), transfers[i].easy.get());
  }
  std::vector<PushAnswer> answers(batch.size());
  for (int running = 1; running > 0;) {
    if (curl_multi_perform(multi.get(), &running) != CURLM_OK) break;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Transfer* transfer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      answers[static_cast<std::size_t>(transfer - transfers.data())] =
          answer_of(*transfer, message->data.result);
    }
    if (running > 0) curl_multi_poll(multi.get(), nullptr, 0, 1000, nullptr);
  }
  for (const Transfer& transfer : transfers) {
    curl_multi_remove_handle(multi.get(), transfer.easy.get());
  }
  return answers;
}

}  // namespace tideline::push
