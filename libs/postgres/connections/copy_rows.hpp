// COPY ... FROM STDIN over libpq. Included by session.cpp alone. Blocks.
#pragma once

#include <libpq-fe.h>

#include <span>
#include <string>
#include <string_view>

#include "sql/transaction.hpp"

namespace tideline::postgres {

// Appends one row in COPY's text format, with its end of line.
void append_copy_line(std::string& lines, const sql::Params& row);

// `table` may carry a schema ("feed_2.timeline"). Throws TransactionFailed.
void copy_rows(PGconn* connection, std::string_view table, std::span<const std::string> columns,
               std::span<const sql::Params> rows);

}  // namespace tideline::postgres
