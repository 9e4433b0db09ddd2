// SQL as a port: what projections flush through and queries read through. Values travel as text,
// as PostgreSQL prints and reads them, and arrays among the parameters in binary form; Param and
// Row convert.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/clock.hpp"
#include "core/ids.hpp"
#include "core/result.hpp"
#include "sql/binary_array.hpp"

namespace tideline::sql {

// One parameter of a statement ($1, $2, ...). A vector is an array of the type that its elements
// say, be it empty: boolean[], bigint[] for any whole numbers, uuid[], date[], timestamptz[],
// text[]. A cast makes another one of it: "$1::smallint[]", "$2::jsonb[]".
class Param {
 public:
  Param(std::nullopt_t) {}
  Param(std::string text) : sent_(std::move(text)) {}
  Param(std::string_view text) : sent_(std::string(text)) {}
  Param(const char* text) : sent_(std::string(text)) {}
  template <std::same_as<bool> T>
  Param(T value) : sent_(value ? "true" : "false") {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Param(T value) : sent_(std::to_string(value)) {}
  Param(double value);
  Param(core::Timestamp time) : sent_(core::format_iso8601(time)) {}
  Param(core::Day day) : sent_(core::format_day(day)) {}
  Param(const core::AccountId& id) : sent_(id.to_uuid()) {}
  template <class Tag, class Rep>
  Param(const core::Strong<Tag, Rep>& strong) : Param(strong.value()) {}
  template <class T>
  Param(const std::optional<T>& value) {
    if (value) *this = Param(*value);
  }
  template <class T>
  Param(const std::vector<T>& values) : sent_(BinaryArray::of(values)) {}

  using Null = std::monostate;
  const std::variant<Null, std::string, BinaryArray>& sent() const { return sent_; }
  // nullopt: NULL. Of an array the literal.
  std::optional<std::string> text() const;

 private:
  std::variant<Null, std::string, BinaryArray> sent_;
};

using Params = std::vector<Param>;

// One row of an answer. A column that does not hold what is asked for is a bug in the statement.
class Row {
 public:
  explicit Row(std::vector<std::optional<std::string>> columns) : columns_(std::move(columns)) {}

  bool is_null(std::size_t column) const { return !columns_.at(column).has_value(); }
  const std::string& text(std::size_t column) const;
  std::optional<std::string> nullable_text(std::size_t column) const { return columns_.at(column); }
  std::int64_t integer(std::size_t column) const;
  bool boolean(std::size_t column) const;
  core::AccountId account(std::size_t column) const;  // of type uuid
  core::Day day(std::size_t column) const;            // of type date
  // Of type bigint: microseconds since 1970 (select (extract(epoch from t) * 1000000)::bigint), for
  // the text of a timestamptz depends on the session's time zone.
  core::Timestamp timestamp_us(std::size_t column) const;
  // "{a,b}" without nulls and nesting.
  std::vector<std::string> text_array(std::size_t column) const;

 private:
  std::vector<std::optional<std::string>> columns_;
};

using Rows = std::vector<Row>;

// Thrown by a Transaction when a statement fails; Database turns it into an Error. It leaves no
// other way: it passes only through flush() and queries, which have nothing to clean up.
class TransactionFailed : public core::Failed {
 public:
  using Failed::Failed;
};

// Valid only inside the call of Database that handed it out; one thread.
class Transaction {
 public:
  virtual ~Transaction() = default;

  // Throws TransactionFailed. Params are sent apart from the text: never build SQL from values.
  virtual Rows execute(std::string_view sql, const Params& params) = 0;
  // COPY table (columns) FROM STDIN, rows as given. Sort them by key first.
  virtual void copy_in(std::string_view table, std::span<const std::string> columns,
                       std::span<const Params> rows) = 0;

  Rows execute(std::string_view sql) { return execute(sql, Params{}); }
};

// Thread-safe; blocks for a connection, at most for the pool's deadline (then a retryable Error).
class Database {
 public:
  virtual ~Database() = default;

  // READ COMMITTED; commits when `work` returns, rolls back when it throws TransactionFailed.
  virtual core::Status transact(const std::function<void(Transaction&)>& work) = 0;
  // Read-only, REPEATABLE READ: all statements of `work` see one snapshot.
  virtual core::Status snapshot(const std::function<void(Transaction&)>& work) = 0;
  // For statements that only read, each of which sees a snapshot of its own: the least that a read
  // can cost, for there is nothing to begin and to commit.
  virtual core::Status each_alone(const std::function<void(Transaction&)>& work) {
    return snapshot(work);
  }

  // A query that returns something.
  template <class Work>
  auto read(const Work& work) -> core::Result<std::invoke_result_t<const Work&, Transaction&>> {
    return result_of(&Database::snapshot, work);
  }
  // The same for one statement, or for several that need not agree.
  template <class Work>
  auto read_each_alone(const Work& work)
      -> core::Result<std::invoke_result_t<const Work&, Transaction&>> {
    return result_of(&Database::each_alone, work);
  }

 private:
  template <class Run, class Work>
  auto result_of(Run run, const Work& work)
      -> core::Result<std::invoke_result_t<const Work&, Transaction&>> {
    std::optional<std::invoke_result_t<const Work&, Transaction&>> value;
    auto status = (this->*run)([&](Transaction& transaction) { value = work(transaction); });
    if (!status) return status.error();
    return std::move(*value);
  }
};

}  // namespace tideline::sql
