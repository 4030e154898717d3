/**
 * What the rules of `test/house.test.ts` do not hold for yet. A list may only get shorter.
 */

/** `JSON.parse(` outside of codecs. */
export const PARSES_JSON: readonly string[] = [];

/** `ReturnType<typeof` as the type of a service. */
export const INFERS_TYPES: readonly string[] = [
  'engine/dispatch/waiting.ts',
  'engine/harness/loop/loop.ts',
  'engine/harness/respond/abandoned.ts',
  'engine/mail/compose/markdown.ts',
  'engine/mail/mime/headers.ts',
  'engine/tools/capabilities/artifacts.ts',
  'engine/tools/files/desk.ts',
  'engine/tools/files/turns.ts',
];

/** Folders of more than 15 files. */
export const CROWDED: readonly string[] = [];

/** Circles of files that need each other, types counted. */
export const TYPE_CIRCLES = 1;
