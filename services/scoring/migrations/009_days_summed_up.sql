-- Ranges of pages that are not summed up are read at each start: they are summed up as soon as they are
-- full. (A replay mixes days as long as some topics are further than others; a start reads the ranges of
-- those pages, too.)
DROP INDEX day_score_by_day;
CREATE INDEX day_score_by_day ON day_score USING brin (day) WITH (autosummarize = on);
