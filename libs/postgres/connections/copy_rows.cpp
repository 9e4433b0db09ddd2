#include "postgres/connections/copy_rows.hpp"

#include <utility>
#include <variant>

#include "postgres/connections/libpq_result.hpp"

namespace tideline::postgres {
namespace {

using sql::Param;
using sql::Params;

constexpr std::size_t kChunkBytes = 64U << 10U;

// Takes every answer that is left, so that the connection is ready again, and fails on the worst.
void finish(PGconn* connection) {
  ResultPointer failed;
  while (ResultPointer result{PQgetResult(connection)}) {
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK && !failed) failed = std::move(result);
  }
  if (failed) throw_failure(connection, failed.get());
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char letter : name) {
    if (letter == '"') text.push_back('"');
    text.push_back(letter);
  }
  return text + '"';
}

std::string copy_statement(std::string_view table, std::span<const std::string> columns) {
  std::string sql = "COPY ";
  if (const auto dot = table.find('.'); dot != std::string_view::npos) {
    sql += quoted(table.substr(0, dot)) + ".";
    table.remove_prefix(dot + 1);
  }
  sql += quoted(table) + " (";
  const char* separator = "";
  for (const std::string& column : columns) {
    sql += separator + quoted(column);
    separator = ", ";
  }
  return sql + ") FROM STDIN";
}

void append_escaped(std::string& line, std::string_view text) {
  for (const char letter : text) {
    switch (letter) {
      case '\\':
        line.append("\\\\");
        break;
      case '\t':
        line.append("\\t");
        break;
      case '\n':
        line.append("\\n");
        break;
      case '\r':
        line.append("\\r");
        break;
      default:
        line.push_back(letter);
    }
  }
}

}  // namespace

void append_copy_line(std::string& lines, const Params& row) {
  bool first = true;
  for (const Param& value : row) {
    if (!first) lines.push_back('\t');
    first = false;
    if (const auto* text = std::get_if<std::string>(&value.sent())) {
      append_escaped(lines, *text);
    } else if (const auto* array = std::get_if<sql::BinaryArray>(&value.sent())) {
      append_escaped(lines, array->literal());
    } else {
      lines.append("\\N");
    }
  }
  lines.push_back('\n');
}

void copy_rows(PGconn* connection, std::string_view table, std::span<const std::string> columns,
               std::span<const Params> rows) {
  const ResultPointer begun{PQexec(connection, copy_statement(table, columns).c_str())};
  if (PQresultStatus(begun.get()) != PGRES_COPY_IN) throw_failure(connection, begun.get());
  std::string lines;
  lines.reserve(kChunkBytes * 2);
  const auto send = [&] {
    if (PQputCopyData(connection, lines.data(), static_cast<int>(lines.size())) != 1) {
      finish(connection);
      throw_failure(connection, nullptr);
    }
    lines.clear();
  };
  for (const Params& row : rows) {
    append_copy_line(lines, row);
    if (lines.size() >= kChunkBytes) send();
  }
  if (!lines.empty()) send();
  if (PQputCopyEnd(connection, nullptr) != 1) throw_failure(connection, nullptr);
  finish(connection);
}

}  // namespace tideline::postgres
