#include "observability/request_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tideline::observability {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

class RequestRecorderTest : public testing::Test {
 protected:
  FinishedRequest request(int status, milliseconds duration) const {
    FinishedRequest finished;
    finished.method = "GET";
    finished.route = "/v1/projects/{id}";
    finished.status = status;
    finished.duration = duration;
    finished.request_id = "request-1";
    finished.correlation_id = "correlation-1";
    finished.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    return finished;
  }

  core::ManualClock clock{core::Timestamp(std::chrono::seconds(1'700'000'000))};
  std::vector<std::string> lines;
  Logging logging{{.service = "projects",
                   .level = Level::Info,
                   .level_by_logger = {},
                   .sink = [this](std::string_view line) { lines.emplace_back(line); }},
                  clock};
  Metrics metrics;
  RequestRecorder recorder{metrics, logging.logger("http")};
};

TEST_F(RequestRecorderTest, CountsByRouteAndStatus) {
  recorder.finished(request(200, milliseconds(20)));
  recorder.finished(request(200, milliseconds(20)));
  recorder.finished(request(404, milliseconds(1)));
  const std::string text = metrics.render();
  const std::string labels = "method=\"GET\",route=\"/v1/projects/{id}\"";
  EXPECT_THAT(text, HasSubstr("tideline_http_requests_total{" + labels + ",status=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("tideline_http_requests_total{" + labels + ",status=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("tideline_http_request_duration_seconds_bucket{" + labels +
                              ",le=\"0.025\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("tideline_http_request_duration_seconds_bucket{" + labels +
                              ",le=\"0.01\"} 1\n"));
  EXPECT_TRUE(lines.empty()) << "an ordinary request is not logged";
}

TEST_F(RequestRecorderTest, CountsBytesBothWays) {
  FinishedRequest finished = request(200, milliseconds(1));
  finished.request_bytes = 10;
  finished.response_bytes = 3000;
  recorder.finished(finished);
  finished.status = 404;
  recorder.finished(finished);
  const std::string text = metrics.render();
  const std::string labels = "{method=\"GET\",route=\"/v1/projects/{id}\"}";
  EXPECT_THAT(text, HasSubstr("tideline_http_request_bytes_total" + labels + " 20\n"));
  EXPECT_THAT(text, HasSubstr("tideline_http_response_bytes_total" + labels + " 6000\n"));
}

TEST_F(RequestRecorderTest, WhatClientsInventMakesNoLabels) {
  FinishedRequest finished = request(404, milliseconds(1));
  finished.method = "BREW";
  finished.route = "";
  recorder.finished(finished);
  finished.method = "";
  recorder.finished(finished);
  const std::string text = metrics.render();
  EXPECT_THAT(text, HasSubstr("{method=\"other\",route=\"none\",status=\"404\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("BREW")));
}

TEST_F(RequestRecorderTest, LogsSlowRequests) {
  recorder.finished(request(200, milliseconds(499)));
  EXPECT_TRUE(lines.empty());
  recorder.finished(request(200, milliseconds(500)));
  ASSERT_EQ(lines.size(), 1U);
  const json line = json::parse(lines[0]);
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["message"], "slow request");
  EXPECT_EQ(line["route"], "/v1/projects/{id}");
  EXPECT_EQ(line["duration_ms"], 500.0);
  EXPECT_EQ(line["request_id"], "request-1");
  EXPECT_EQ(line["correlation_id"], "correlation-1");
  EXPECT_EQ(line["trace_id"], "0af7651916cd43dd8448eb211c80319c");
}

TEST_F(RequestRecorderTest, LogsWhoWasRefused) {
  recorder.finished(request(404, milliseconds(1)));
  EXPECT_TRUE(lines.empty());
  FinishedRequest forbidden = request(403, milliseconds(1));
  forbidden.account = "ceirceirceirceirceirceirce";
  recorder.finished(forbidden);
  recorder.finished(request(401, milliseconds(1)));
  ASSERT_EQ(lines.size(), 1U) << "nobody known is refused by the last one";
  const json refused = json::parse(lines[0]);
  EXPECT_EQ(refused["account"], "ceirceirceirceirceirceirce");
  EXPECT_EQ(refused["route"], "/v1/projects/{id}");
  EXPECT_EQ(refused["request_id"], "request-1");
}

TEST_F(RequestRecorderTest, LogsFailures) {
  FinishedRequest failed = request(500, milliseconds(1));
  failed.failure = "bad_alloc";
  recorder.finished(failed);
  recorder.finished(request(503, milliseconds(1)));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(json::parse(lines[0])["level"], "error");
  EXPECT_EQ(json::parse(lines[0])["failure"], "bad_alloc");
  EXPECT_EQ(json::parse(lines[1])["level"], "warning");
}

TEST_F(RequestRecorderTest, CountsConnectionsAndUndeliveredAnswers) {
  recorder.connection_opened();
  recorder.connection_opened();
  recorder.connection_closed();
  FinishedRequest lost = request(200, milliseconds(1));
  lost.delivered = false;
  recorder.finished(lost);
  EXPECT_THAT(metrics.render(), HasSubstr("tideline_http_connections_open 1\n"));
  EXPECT_THAT(metrics.render(), HasSubstr("tideline_http_undelivered_total 1\n"));
}

}  // namespace
}  // namespace tideline::observability
