#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "accounts/api/routes.hpp"
#include "accounts/cli/account_operations.hpp"
#include "accounts/cli/sign_up_operations.hpp"
#include "accounts/migrations.hpp"
#include "accounts/projections/account_projection.hpp"
#include "accounts/projections/account_queries.hpp"
#include "accounts/projections/person_search.hpp"
#include "accounts/projections/profile_feed.hpp"
#include "accounts/projections/profile_visits.hpp"
#include "accounts/projections/project_list_projection.hpp"
#include "accounts/projections/score_view.hpp"
#include "accounts/settings.hpp"
#include "blocks/block_model.hpp"
#include "runtime/service.hpp"
#include "runtime/swept_uploads.hpp"

namespace {

using namespace tideline;

constexpr int kMailSenders = 4;     // threads: a mail server answers slowly
constexpr int kVisitRecorders = 4;  // threads, so that the store commits their appends together

// What only this service has of the keys for tokens. Mistakes go to the settings' list.
struct TokenKeys {
  std::optional<crypto::TokenSigner> signer;
  std::optional<crypto::TokenVerifier> verifier;

  void load(const accounts::Settings& settings, core::Config& config) {
    if (settings.signing_key.empty() || settings.public_keys.empty()) return;  // complained of
    crypto::TokenSignerOptions options;
    options.lifetime = settings.access_token_lifetime;
    auto signing = crypto::TokenSigner::load(settings.signing_key, options);
    if (signing) {
      signer = std::move(signing).value();
    } else {
      config.add_error("TIDELINE_JWT_SIGNING_KEY", signing.error().message);
    }
    auto verifying = crypto::TokenVerifier::load(settings.public_keys);
    if (verifying) {
      verifier = std::move(verifying).value();
    } else {
      config.add_error("TIDELINE_JWT_PUBLIC_KEYS", verifying.error().message);
    }
  }
};

accounts::AttemptLimits limits_of(const accounts::Settings& settings) {
  const auto limit = [](std::int64_t attempts) {
    return accounts::AttemptLimit{static_cast<double>(attempts), static_cast<double>(attempts)};
  };
  const auto anywhere = static_cast<double>(settings.attempts_per_account_anywhere);
  const auto mails = static_cast<double>(settings.mails_per_source);
  return {.per_account = limit(settings.attempts_per_account),
          .per_account_anywhere = {anywhere, anywhere / 5},
          .per_source = limit(settings.attempts_per_source),
          .registrations = limit(settings.registrations_per_source),
          .mails = {mails, mails / 3}};
}

void add_metrics(observability::Metrics& metrics, const observability::Log& log,
                 accounts::ApiPorts& ports) {
  ports.on_attempt = [attempts = metrics.counters("tideline_accounts_password_attempts_total",
                                                  "Passwords that were tried", {"outcome"}),
                      log](const accounts::ToldAttempt& attempt) {
    attempts.with({attempt.outcome}).add();
    if (attempt.outcome != "refused" && attempt.outcome != "limited") return;
    const observability::LogContext context(std::string(attempt.request_id), "");
    log.info(
        "attempt with a password",
        {{"outcome", attempt.outcome}, {"account", attempt.account}, {"source", attempt.source}});
  };
  metrics.show([&workers = *ports.password_workers] { return workers.waiting(); },
               {{"tideline_accounts_passwords_waiting",
                 "Requests with a password that wait for a worker", std::identity()}});
  metrics.show([&hasher = ports.hasher] { return hasher.running(); },
               {{"tideline_accounts_password_hashes_running",
                 "Password hashes that run at this moment", std::identity()}});
  metrics.show(
      [&views = ports.views] { return &views; },
      {{"tideline_accounts_profile_visits_queued", "Visits that wait to be recorded",
        &accounts::ProfileViewRecorder::queued},
       {"tideline_accounts_profile_visits_dropped", "Visits since the start that were not recorded",
        &accounts::ProfileViewRecorder::dropped}});
}

// Null where no mail is sent.
mail::MailQueue* make_mails(runtime::ServiceContext& context, const accounts::Settings& settings) {
  if (settings.smtp.url.empty()) return nullptr;
  auto& mailer = context.make<mail::SmtpMailer>(settings.smtp, context.clock(), context.random());
  auto& mails = context.make<mail::MailQueue>(
      mailer, mail::MailQueueOptions{}, [log = context.log("mails")](std::string_view what) {
        log.warning("a mail was not sent", {{"reason", what}});
      });
  for (int i = 0; i < kMailSenders; ++i) {
    context.add_background("mails", [&](std::stop_token stop) { mails.run(stop); });
  }
  using Status = mail::MailQueueStatus;
  context.metrics().show(
      [&mails] { return mails.status(); },
      {{"tideline_accounts_mails_waiting", "Mails that wait to be sent", &Status::waiting},
       {"tideline_accounts_mails_sent", "Mails that a server has taken", &Status::sent},
       {"tideline_accounts_mails_given_up", "Mails that no server took", &Status::given_up},
       {"tideline_accounts_mails_refused", "Mails that found too many waiting", &Status::refused}});
  return &mails;
}

void compose(runtime::ServiceContext& context, const accounts::Settings& settings,
             const TokenKeys& keys) {
  auto& profiles = context.make<accounts::ProfileSeal>(context.cipher());
  auto& hasher = context.make<crypto::PasswordHasher>(crypto::PasswordHashOptions{
      .concurrent_max = static_cast<unsigned>(settings.password_hashes_max),
      .wait_max = settings.password_wait});
  auto& password_workers =
      context.make<http::WorkerQueue>(static_cast<std::size_t>(settings.passwords_waiting_max));
  const unsigned workers = settings.password_hashes_max == 0
                               ? std::max(1U, std::thread::hardware_concurrency())
                               : static_cast<unsigned>(settings.password_hashes_max);
  for (unsigned i = 0; i < workers; ++i) {
    context.add_background("passwords", [&](std::stop_token stop) { password_workers.run(stop); });
  }
  auto& attempts = context.make<accounts::AttemptLimiter>(limits_of(settings));
  auto& emails = context.make<accounts::EmailCodes>(
      accounts::EmailOptions{settings.codes, make_mails(context, settings), settings.mail_link},
      context.clock());
  auto& views = context.make<accounts::ProfileViewRecorder>(
      context.store(), static_cast<std::size_t>(settings.visits_queued_max));
  for (int i = 0; i < kVisitRecorders; ++i) {
    context.add_background("profile-visits", [&](std::stop_token stop) { views.run(stop); });
  }
  const auto accounts_model =
      context.add_projection(std::make_unique<accounts::AccountProjection>());
  const auto projects_model =
      context.add_projection(std::make_unique<accounts::ProjectListProjection>());
  const auto visits_model =
      context.add_projection(std::make_unique<accounts::ProfileVisitProjection>());
  const search::TermKeys person_terms(context.cipher(), std::string(accounts::kPersonTermContext));
  const auto search_model = context.add_projection(
      std::make_unique<accounts::PersonSearchProjection>(profiles, person_terms));
  const auto blocks_model = context.add_projection(std::make_unique<blocks::BlockProjection>());
  context.add_projection(std::make_unique<accounts::ProfileFeed>(
      profiles, context.state_publisher(runtime::StateTopic::Profiles, "profile-feed")));
  auto& scores = context.add_state_view(
      runtime::StateTopic::Scores, std::make_unique<accounts::ScoreView>(),
      {std::begin(accounts::kScoreSources), std::end(accounts::kScoreSources)});

  accounts::ApiPorts ports{
      .commands = context.commands(),
      .store = context.store(),
      .database = context.database(),
      .clock = context.clock(),
      .random = context.random(),
      .campus = context.campus(),
      .account_ids = context.account_ids(),
      .profiles = profiles,
      .hasher = hasher,
      .signer = *keys.signer,
      .verifier = *keys.verifier,
      .attempts = attempts,
      .emails = emails,
      .views = views,
      .images = context.make<uploads::TableImageStore>(
          context.database(),
          runtime::add_uploads(context, "accounts", accounts::kReferencedUploadsSql)),
      .renditions = context.make<images::RenditionMaker>(),
      .links = context.links(),
      .accounts_applied = accounts_model.committed,
      .visits_applied = visits_model.committed,
      .projects_applied = projects_model.committed,
      .blocks_applied = blocks_model.committed,
      .scores_applied = scores,
      .search_applied = search_model.committed,
      .person_terms = person_terms,
      .sign_up = {settings.sign_up_closed, settings.sign_up_domains},
      .operators_need_second_factor = settings.operators_need_second_factor,
      .session_lifetime = settings.session_lifetime,
      .on_attempt = {},
      .password_workers = &password_workers};
  add_metrics(context.metrics(), context.log("accounts"), ports);
  accounts::add_routes(context.router(), ports);
}

}  // namespace

int main(int argc, char** argv) {
  accounts::Settings settings;
  TokenKeys keys;
  return runtime::run_service(
      argc, argv,
      {.name = "accounts",
       .version = TIDELINE_VERSION,
       .migrations = accounts::migrations(),
       .keeps_blocks = true,
       .keeps_uploads = true,
       .read_settings =
           [&](core::Config& config) {
             settings = accounts::Settings::read(config);
             keys.load(settings, config);
           },
       .compose = [&](runtime::ServiceContext& context) { compose(context, settings, keys); },
       .operations = {accounts::role_operation(settings), accounts::second_factor_operation(),
                      accounts::password_operation(), accounts::suspension_operation(),
                      accounts::enrol_operation(), accounts::invite_operation(settings)}});
}
