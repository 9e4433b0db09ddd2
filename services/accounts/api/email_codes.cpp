#include "accounts/api/email_codes.hpp"

#include <algorithm>
#include <array>
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
// Of another address, or another password, it is another one.
std::string reset_of(const core::AccountId& account, const VerifyEmail& to,
                     std::uint32_t password_version) {
  return about("reset", account, to.address.to_string() + ":" + std::to_string(password_version));
}

}  // namespace

// What a mail says, in Chinese and English.
struct EmailCodes::Purpose {
  std::string_view page;  // of a client
  std::string_view subject;
  std::string_view why;
  std::chrono::hours good_for;
  // Whether the address is as somebody typed it, who may not be its owner.
  bool is_anybodys = false;
  mail::Importance importance = mail::Importance::Normal;
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
  static constexpr Purpose kSignUp{
      .page = "sign-up",
      .subject = "注册验证码 / Your code for signing up",
      .why = "用这个验证码完成注册。\nWith this code you can register.",
      .good_for = kSignUpFor,
      .is_anybodys = true,
      .importance = mail::Importance::Low};
  send(kSignUp, email, address, sign_up_of(account, address));
}

void EmailCodes::mail_verification(const std::string& email, const core::AccountId& account,
                                   const core::AccountId& address) {
  static constexpr Purpose kVerification{
      .page = "verify-email",
      .subject = "邮箱验证码 / Is this your address?",
      .why = "用这个验证码确认此邮箱属于你。\nWith this code you show that this address is yours.",
      .good_for = kVerificationFor,
      .is_anybodys = true};
  send(kVerification, email, address, verification_of(account, address));
}

void EmailCodes::mail_reset(const VerifyEmail& to, const core::AccountId& account,
                            std::uint32_t password_version) {
  static constexpr Purpose kReset{
      .page = "reset-password",
      .subject = "重设密码 / Another password",
      .why = "用这个验证码设置新密码。\nWith this code you can set another password.",
      .good_for = kResetFor};
  send(kReset, to.email, to.address, reset_of(account, to, password_version));
}

void EmailCodes::tell(const std::optional<VerifyEmail>& to, Notice notice) {
  struct Words {
    const char* subject;
    const char* text;
  };
  static constexpr std::array<Words, 6> kWords{
      {{"密码已更改 / Your password was changed",
        "你的密码刚刚被更改，其他登录均已失效。\n"
        "Your password was changed a moment ago, and all other sessions have ended.\n"},
       {"已开启两步验证 / A second factor was set",
        "你的账号已开启两步验证，其他登录均已失效。\n"
        "From now on a sign-in takes a code of an authenticator app. All other sessions have "
        "ended.\n"},
       {"已关闭两步验证 / The second factor was removed",
        "你的账号已关闭两步验证。\n"
        "From now on a sign-in takes the password alone.\n"},
       {"邮箱已更换 / Another address",
        "你的账号已改用另一个邮箱，此邮箱不再接收验证码。\n"
        "Your account has another address now; codes go there and no more to this one.\n"},
       {"已生成恢复码 / Recovery codes were drawn",
        "你的账号已生成新的恢复码，以前的恢复码均已失效。\n"
        "Recovery codes were drawn for your account; those of before are no good any more.\n"},
       {"已使用恢复码 / A recovery code was used",
        "有人用恢复码登录了你的账号，或更改了它的设置。\n"
        "Somebody has signed in to your account, or changed it, with a recovery code.\n"}}};
  if (!sends_mail() || !to || to->email.empty()) return;
  const Words& words = kWords.at(static_cast<std::size_t>(notice));
  options_.mails->offer({to->email, words.subject,
                         std::string(words.text) +
                             "如果不是你本人所为，请立即重设密码。\n"
                             "If it was not you, reset your password at once.\n"});
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
                          const VerifyEmail& to, std::uint32_t password_version) const {
  return accepts(code, reset_of(account, to, password_version));
}

bool EmailCodes::accepts(std::string_view code, const std::string& subject) const {
  return options_.codes && options_.codes->accepts(code, subject, clock_.now());
}

void EmailCodes::send(const Purpose& purpose, const std::string& email,
                      const core::AccountId& address, const std::string& subject) {
  if (!sends_mail() || !options_.codes || email.empty()) return;
  const core::Timestamp now = clock_.now();
  const std::string to = address.to_string();
  if (mails_for_.take(subject, now)) return;
  if (purpose.is_anybodys && mails_to_.take(to, now)) return;
  const std::string code = options_.codes->make(subject, now + purpose.good_for);
  std::string text = std::string(purpose.why) + "\n\n" + code + "\n\n";
  if (!options_.link.empty()) {
    text += options_.link + std::string(purpose.page) + "?code=" + code + "\n\n";
  }
  const std::string hours = std::to_string(purpose.good_for.count());
  text += "有效期 " + hours + " 小时。如果不是你本人申请，请忽略此邮件。\n" + "It is good for " +
          hours + (purpose.good_for.count() == 1 ? " hour." : " hours.") +
          " If you have not asked for it, do nothing.\n";
  const bool taken = options_.mails->offer({email, std::string(purpose.subject), std::move(text)},
                                           purpose.importance);
  if (taken) return;
  mails_for_.give_back(subject);
  if (purpose.is_anybodys) mails_to_.give_back(to);
}

}  // namespace tideline::accounts
