#include "mail/smtp_mailer.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "core/encoding.hpp"

namespace tideline::mail {
namespace {

constexpr std::size_t kWordBytes = 20;  // so that an encoded word stays below 75 characters

// Of at most `bytes_max` bytes, cut between characters.
std::string_view first_characters(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

// A header's text as "Q" encoded words (RFC 2047).
std::string encoded_words(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string words;
  while (!text.empty()) {
    const std::string_view part = first_characters(text, kWordBytes);
    words += words.empty() ? "=?UTF-8?Q?" : "\r\n =?UTF-8?Q?";
    for (const unsigned char byte : part) {
      words += '=';
      words += kDigits[byte >> 4U];
      words += kDigits[byte & 0xfU];
    }
    words += "?=";
    text.remove_prefix(part.size());
  }
  return words;
}

std::string date_of(core::Timestamp now) {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  // The names are those of the C locale, which no program of ours changes.
  const auto size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S +0000", &parts);
  return {text.data(), size};
}

class List {
 public:
  void add(const std::string& line) {
    list_.reset(curl_slist_append(list_.release(), line.c_str()));
  }
  curl_slist* get() const { return list_.get(); }

 private:
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> list_{nullptr, curl_slist_free_all};
};

// A reply of 5xx is for good (RFC 5321, 4.2.1).
core::Error error_of(CURLcode code, long reply) {
  const std::string what =
      curl_easy_strerror(code) + (reply == 0 ? "" : ", reply " + std::to_string(reply));
  constexpr long kPermanent = 500;
  if (reply >= kPermanent && code != CURLE_LOGIN_DENIED) return core::invalid_input(what);
  core::Error error = core::unavailable(what);
  error.retryable = true;
  return error;
}

}  // namespace

std::vector<std::string> headers_of(const Mail& mail, std::string_view from, core::Timestamp now,
                                    std::string_view id) {
  const std::string domain(from.substr(std::min(from.find('@'), from.size())));
  return {"Date: " + date_of(now),
          "From: <" + std::string(from) + ">",
          "To: <" + mail.to + ">",
          "Message-ID: <" + std::string(id) + domain + ">",
          "Subject: " + encoded_words(mail.subject),
          "Auto-Submitted: auto-generated"};
}

core::Status SmtpMailer::send(const Mail& mail) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(curl_easy_init(),
                                                                 curl_easy_cleanup);
  CHECK(easy != nullptr, "libcurl has a handle");
  const auto set = [&](CURLoption option, const auto& value) {
    CHECK(curl_easy_setopt(easy.get(), option, value) == CURLE_OK, "libcurl knows its options");
  };
  std::array<std::uint8_t, 16> id{};
  random_.fill(id);
  List recipients;
  recipients.add("<" + mail.to + ">");
  List headers;
  for (const auto& header : headers_of(mail, options_.from, clock_.now(), core::to_hex(id)))
    headers.add(header);
  const std::unique_ptr<curl_mime, decltype(&curl_mime_free)> body(curl_mime_init(easy.get()),
                                                                   curl_mime_free);
  curl_mimepart* text = curl_mime_addpart(body.get());
  curl_mime_data(text, mail.text.data(), mail.text.size());
  curl_mime_type(text, "text/plain; charset=utf-8");
  curl_mime_encoder(text, "base64");
  const std::string from = "<" + options_.from + ">";
  set(CURLOPT_URL, options_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  set(CURLOPT_USE_SSL, static_cast<long>(options_.allow_clear ? CURLUSESSL_TRY : CURLUSESSL_ALL));
  if (!options_.ca_file.empty()) set(CURLOPT_CAINFO, options_.ca_file.c_str());
  if (!options_.user.empty()) {
    set(CURLOPT_USERNAME, options_.user.c_str());
    set(CURLOPT_PASSWORD, options_.password.c_str());
  }
  set(CURLOPT_MAIL_FROM, from.c_str());
  set(CURLOPT_MAIL_RCPT, recipients.get());
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_MIMEPOST, body.get());
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(options_.timeout.count()));
  set(CURLOPT_NOSIGNAL, 1L);
  const CURLcode code = curl_easy_perform(easy.get());
  if (code == CURLE_OK) return core::success();
  long reply = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &reply);
  return error_of(code, reply);
}

}  // namespace tideline::mail
