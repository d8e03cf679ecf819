-- Records where a model ($1) can be loaded from ($2).
INSERT INTO embedding_models (model, origin) VALUES ($1, $2)
ON CONFLICT (model, origin) DO UPDATE SET noted_at = now()
