// The statements of a batch of appends, on the appender's session. Each function is one round trip
// and throws TransactionFailed.
#pragma once

#include <vector>

#include "postgres/connections/session.hpp"
#include "postgres/store/append_batch.hpp"

namespace tideline::postgres {

// Once on a session before any of the others.
void prepare_append_statements(Session& session);

// Opens the transaction, locks the position rows of the scope's logs in their order, and then
// reads, in statements of their own, so that they see what had committed when the locks were
// granted.
LockedState lock_and_read(Session& session, const BatchScope& scope);

// Whether those who listen on kAppendChannel are woken along with a commit.
enum class Wake { Now, Later };

// Writes the plan and commits. The notification has a transaction of its own, which nobody waits
// for on the disk: within the batch's, PostgreSQL would let only one of all databases commit at a
// time.
void write_and_commit(Session& session, const BatchPlan& plan, Wake wake);

// All in one round trip: locks the logs by moving them, has PostgreSQL refuse unless everything
// stands as it was presumed when the plan was made, which has events, and commits. What throws
// before the commit has written nothing: the state must be read then.
void commit_presumed(Session& session, const BatchScope& scope, const LockedState& presumed,
                     const BatchPlan& plan, Wake wake);

// The rows alone, within a transaction that somebody else ends.
void write_rows(Session& session, const BatchPlan& plan);
void wake_listeners(Session& session);

// Opens a transaction and locks the logs' position rows.
void lock_logs(Session& session, const std::vector<core::LogIndex>& logs);
// What the backends of lost connections have not begun by now they never will. Without this one
// could still have a whole batch before it, unread. One that has committed and waits for a replica
// is left to wait: ended, it would show what no replica has.
void end_backends(Session& session, const std::vector<int>& backends);
// Whether the plan's transaction has committed: its first event is there, or where it has none its
// first result. An equal result of somebody else would be the same answer.
bool was_committed(Session& session, const BatchPlan& plan);

extern const char* const kAppendChannel;

}  // namespace tideline::postgres
