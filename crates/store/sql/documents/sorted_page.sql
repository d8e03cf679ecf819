-- One page of a list (one of `lists/`) that is short enough to be sorted in memory ({order}): all its $12 documents are
-- examined, and those that fit and come after the cursor ({after}) are sorted.
WITH page AS (
    SELECT *, false AS ends_here
    FROM (
        SELECT listed.*, d.*, left(lower(d.title), 120) COLLATE "C" AS title_key, d.updated_at AS changed_at
        FROM ({list} LIMIT $12) AS listed
        CROSS JOIN LATERAL ({fitting}) AS d
    ) AS examined
    WHERE fits AND {after}
    ORDER BY {order}
    OFFSET $13 LIMIT $14
)
{described}
