DELETE FROM revoked_tokens WHERE expires_at <= $1
