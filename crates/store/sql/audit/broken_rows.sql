-- The rows of a tenant ($1) whose hash, position or link to the row before in their chain shard is wrong.
WITH chained AS (
    SELECT audit_id, shard, position, prev_hash, hash,
           docket_audit_hash(
               prev_hash, shard, position, audit_id, tenant_id, user_id, actor, entity_type, entity_id,
               action, detail, ts, trace_id) AS expected_hash,
           lag(audit_id) OVER by_position AS id_before,
           lag(position, 1, 0::bigint) OVER by_position AS position_before,
           lag(hash, 1, decode(repeat('00', 32), 'hex')) OVER by_position AS hash_before
    FROM audit_log
    WHERE tenant_id = $1
    WINDOW by_position AS (PARTITION BY shard ORDER BY position)
)
SELECT audit_id, shard, position, id_before, position_before,
       hash <> expected_hash AS hash_differs,
       -- Its predecessor exists at another position: the row, or its predecessor, was moved.
       prev_hash <> hash_before AND EXISTS (
           SELECT FROM audit_log AS other
           WHERE other.tenant_id = $1 AND other.hash = chained.prev_hash) AS moved
FROM chained
WHERE hash <> expected_hash
   OR position <> position_before + 1
   OR prev_hash <> hash_before
ORDER BY shard, position
