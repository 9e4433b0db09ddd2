// The tables in which runners keep their progress and what they could not apply.
#pragma once

namespace tideline::postgres {

// Tables that durable projections and views need in the service's database: projection_checkpoint,
// dead_letter, dead_letter_skip, state_topic_checkpoint. Run by the base migrations.
extern const char* const kProjectionTablesSql;
// The step after that: parked events can be applied again.
extern const char* const kDeadLetterReplaySql;
// And after that: state_topic_checkpoint knows the edition of the topic.
extern const char* const kStateTopicEditionSql;

}  // namespace tideline::postgres
