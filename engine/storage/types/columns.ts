import type { Generated } from 'kysely';

/** A table with a column for each part of a type; `Default`: those that the database fills in. */
export type Columns<Type, Default extends keyof Type = never> = {
  -readonly [Key in keyof Type]: Key extends Default ? Generated<Type[Key]> : Type[Key];
};
