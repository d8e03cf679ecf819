-- Whether a login can do the work of the role $1 and no more. One row: its name, whether it has the role's rights, whether
-- it can become $2 (NULL: there is no such role), and whether it has rights that no login of Docket needs.
SELECT me.rolname::text,
       pg_has_role(me.oid, $1::name, 'USAGE'),
       coalesce(pg_has_role(me.oid, $2::name, 'MEMBER'), false),
       me.rolsuper OR me.rolbypassrls OR me.rolcreaterole OR me.rolcreatedb OR me.rolreplication
       -- The owner of a table can disable its row-level security.
       OR EXISTS (SELECT FROM pg_class AS ours
                  WHERE ours.relnamespace = 'public'::regnamespace AND ours.relforcerowsecurity
                    AND pg_has_role(me.oid, ours.relowner, 'MEMBER'))
FROM pg_roles AS me WHERE me.rolname = session_user
