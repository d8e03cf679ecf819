-- One page of a list (one of `lists/`) in its order ({order}), of the documents in it that meet every other condition.
-- At most $12 documents of the list are examined. The last of those is returned whether it fits or not, so that the next
-- page can continue after it.
WITH page AS (
    SELECT *
    FROM (
        SELECT listed.*, d.*, row_number() OVER in_order = $12 AS ends_here,
               count(*) FILTER (WHERE d.fits) OVER in_order AS fitting
        FROM ({list} LIMIT $12) AS listed
        CROSS JOIN LATERAL ({fitting}) AS d
        WINDOW in_order AS (ORDER BY {order} ROWS UNBOUNDED PRECEDING)
    ) AS examined
    -- Pages that are requested by number skip $13 documents that fit.
    WHERE fits AND fitting > $13 OR ends_here
    ORDER BY {order}
    LIMIT $14
)
{described}
