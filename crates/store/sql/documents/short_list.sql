-- Whether a list (one of `lists/`) has fewer than $12 documents.
SELECT count(*) < $12 FROM ({list} LIMIT $12) AS listed
