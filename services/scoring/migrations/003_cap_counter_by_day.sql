-- A start reads the counters of the last days alone; older ones are asked for one by one, by their key.
CREATE INDEX cap_counter_by_day ON cap_counter (day);
