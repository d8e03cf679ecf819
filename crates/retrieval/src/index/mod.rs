//! What can be found of one tenant, in memory: derived from the database, ranked within a scope.
