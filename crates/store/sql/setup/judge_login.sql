-- Whether a login can do its work as the role $1 and no more than that. One row: its name, whether it has the
-- role's rights, whether it can become $2 (null: there is no such role to fear), and whether it has rights that
-- no login of the application needs.
SELECT me.rolname::text,
       pg_has_role(me.oid, $1::name, 'USAGE'),
       coalesce(pg_has_role(me.oid, $2::name, 'MEMBER'), false),
       me.rolsuper OR me.rolbypassrls OR me.rolcreaterole OR me.rolcreatedb OR me.rolreplication
       -- Who owns a table can switch its row-level security off.
       OR EXISTS (SELECT FROM pg_class AS ours
                  WHERE ours.relnamespace = 'public'::regnamespace AND ours.relforcerowsecurity
                    AND pg_has_role(me.oid, ours.relowner, 'MEMBER'))
FROM pg_roles AS me WHERE me.rolname = session_user
