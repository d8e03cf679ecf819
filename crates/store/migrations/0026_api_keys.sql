-- Keys are inserted by a plain statement again, and name a tenant that exists.
DROP FUNCTION docket_add_api_keys(
    uuid, uuid[], text[], text[], text[], bytea[], timestamptz[], uuid[], timestamptz, uuid[], uuid[], text[], jsonb[],
    text[]);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants;
