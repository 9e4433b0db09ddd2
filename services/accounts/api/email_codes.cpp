#include "accounts/api/email_codes.hpp"

#include <algorithm>
#include <utility>

namespace tideline::accounts {
namespace {

std::string lower(std::string_view text) {
  std::string made(text);
  // Of ASCII: which other letters are the same depends on who reads them.
  std::ranges::transform(made, made.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return made;
}

std::string about(std::string_view purpose, const core::AccountId& account,
                  const std::string& what) {
  return std::string(purpose) + ":" + account.to_string() + ":" + what;
}

std::string sign_up_of(const core::AccountId& account, const core::AccountId& address) {
  return about("sign-up", account, address.to_string());
}
std::string invitation_of(const core::AccountId& account) {
  return about("invitation", account, "");
}
std::string verification_of(const core::AccountId& account, const core::AccountId& address) {
  return about("verification", account, address.to_string());
}
std::string reset_of(const core::AccountId& account, std::uint32_t password_version) {
  return about("reset", account, std::to_string(password_version));
}

}  // namespace

// What a mail says, in Chinese and English.
struct EmailCodes::Purpose {
  std::string_view page;  // of a client
  std::string_view subject;
  std::string_view why;
};

core::AccountId address_of(const crypto::AccountIds& ids, std::string_view email) {
  // No user_id holds a colon, so that no address is an account.
  return ids.of("mailto:" + lower(email));
}

bool is_in(std::string_view email, const std::vector<std::string>& domains) {
  const std::string domain = lower(email.substr(email.find('@') + 1));
  return std::ranges::find(domains, domain) != domains.end();
}

void EmailCodes::mail_sign_up(const std::string& email, const core::AccountId& account,
                              const core::AccountId& address) {
  static constexpr Purpose kSignUp{"sign-up", "注册验证码 / Your code for signing up",
                                   "用这个验证码完成注册。\nWith this code you can register."};
  send(kSignUp, email, address.to_string(), sign_up_of(account, address), kSignUpFor);
}

void EmailCodes::mail_verification(const std::string& email, const core::AccountId& account,
                                   const core::AccountId& address) {
  static constexpr Purpose kVerification{
      "verify-email", "邮箱验证码 / Is this your address?",
      "用这个验证码确认此邮箱属于你。\nWith this code you show that this address is yours."};
  send(kVerification, email, address.to_string(), verification_of(account, address),
       kVerificationFor);
}

void EmailCodes::mail_reset(const VerifyEmail& to, const core::AccountId& account,
                            std::uint32_t password_version) {
  static constexpr Purpose kReset{
      "reset-password", "重设密码 / Another password",
      "用这个验证码设置新密码。\nWith this code you can set another password."};
  send(kReset, to.email, to.address.to_string(), reset_of(account, password_version), kResetFor);
}

void EmailCodes::mail_password_changed(const std::optional<VerifyEmail>& to) {
  if (!sends_mail() || !to || to->email.empty()) return;
  options_.mails->offer(
      {to->email, "密码已更改 / Your password was changed",
       "你的密码刚刚被更改，其他登录均已失效。如果不是你本人所为，请立即重设密码。\n"
       "Your password was changed a moment ago, and all other sessions have ended. "
       "If it was not you, reset it at once.\n"});
}

std::string EmailCodes::invitation(const core::AccountId& account,
                                   std::chrono::hours good_for) const {
  return options_.codes->make(invitation_of(account), clock_.now() + good_for);
}

bool EmailCodes::is_sign_up(std::string_view code, const core::AccountId& account,
                            const core::AccountId& address) const {
  return accepts(code, sign_up_of(account, address));
}
bool EmailCodes::is_invitation(std::string_view code, const core::AccountId& account) const {
  return accepts(code, invitation_of(account));
}
bool EmailCodes::is_verification(std::string_view code, const core::AccountId& account,
                                 const core::AccountId& address) const {
  return accepts(code, verification_of(account, address));
}
bool EmailCodes::is_reset(std::string_view code, const core::AccountId& account,
                          std::uint32_t password_version) const {
  return accepts(code, reset_of(account, password_version));
}

bool EmailCodes::accepts(std::string_view code, const std::string& subject) const {
  return options_.codes && options_.codes->accepts(code, subject, clock_.now());
}

void EmailCodes::send(const Purpose& purpose, const std::string& email, const std::string& key,
                      const std::string& subject, std::chrono::hours good_for) {
  if (!sends_mail() || !options_.codes || email.empty()) return;
  const core::Timestamp now = clock_.now();
  if (mails_to_.take(key, now)) return;
  const std::string code = options_.codes->make(subject, now + good_for);
  std::string text = std::string(purpose.why) + "\n\n" + code + "\n\n";
  if (!options_.link.empty())
    text += options_.link + std::string(purpose.page) + "?code=" + code + "\n\n";
  text += "有效期 " + std::to_string(good_for.count()) +
          " 小时。如果不是你本人申请，请忽略此邮件。\n" + "It is good for " +
          std::to_string(good_for.count()) + (good_for.count() == 1 ? " hour." : " hours.") +
          " If you have not asked for it, do nothing.\n";
  options_.mails->offer({email, std::string(purpose.subject), std::move(text)});
}

}  // namespace tideline::accounts
