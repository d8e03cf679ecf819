-- Every row of a tenant that does not follow from the row before it in its lane.
WITH chained AS (
    SELECT audit_id, lane, position, prev_hash, hash,
           docket_audit_hash(
               prev_hash, lane, position, audit_id, tenant_id, user_id, actor, entity_type, entity_id,
               action, detail, ts, trace_id) AS sealed_hash,
           lag(position, 1, 0::bigint) OVER by_place AS position_before,
           lag(hash, 1, decode(repeat('00', 32), 'hex')) OVER by_place AS hash_before
    FROM audit_log
    WHERE tenant_id = $1
    WINDOW by_place AS (PARTITION BY lane ORDER BY position)
)
SELECT audit_id, lane, position, position_before,
       hash <> sealed_hash AS resealed,
       -- Its predecessor exists, but stands elsewhere: the row, or its predecessor, was moved.
       prev_hash <> hash_before AND EXISTS (
           SELECT FROM audit_log AS other
           WHERE other.tenant_id = $1 AND other.hash = chained.prev_hash) AS moved
FROM chained
WHERE hash <> sealed_hash
   OR position <> position_before + 1
   OR prev_hash <> hash_before
ORDER BY lane, position
