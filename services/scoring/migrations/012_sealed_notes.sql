-- Notes are sealed. Those of older events stay in clear, as unsealed texts.
UPDATE ledger SET note = '0.' || note WHERE note IS NOT NULL;
