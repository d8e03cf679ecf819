/**
 * Types of what the screens want and the API does not have, written by hand: nobody has promised it. A screen that needs it
 * says so when the server answers that there is no such route. What the OpenAPI document has is in `schema.ts`.
 */

/** `GET /v1/config`. A secret has no value, only the note that it is set. */
export interface ConfigurationView {
  settings: { key: string; value: unknown; secret: boolean; origin: string; about: string }[];
}
