/** What survives JSON and a structured clone. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };
/** A JSON Schema document (2020-12 or draft-07). */
export type JsonSchema = { readonly [key: string]: unknown };
