/**
 * What the rules of `test/house.test.ts` do not hold for yet. A list may only get shorter.
 */

/** `JSON.parse(` outside of codecs. */
export const PARSES_JSON: readonly string[] = [
  'engine/delivery/notices/relay.ts',
  'engine/delivery/notices/wait-notice.ts',
  'engine/delivery/notices/waiting-note.ts',
  'engine/delivery/questions/clarify-mail.ts',
  'engine/delivery/questions/question-mail.ts',
  'engine/delivery/questions/question-parts.ts',
  'engine/delivery/questions/requests.ts',
  'engine/dispatch/schedule/task-ended.ts',
  'engine/harness/context/as-built.ts',
  'engine/harness/context/history.ts',
  'engine/harness/context/resolver-message.ts',
  'engine/harness/loop/resume.ts',
  'engine/harness/loop/run-batch.ts',
  'engine/harness/loop/run-plan.ts',
  'engine/harness/loop/standing.ts',
  'engine/harness/replay/compare.ts',
  'engine/harness/replay/ending.ts',
  'engine/harness/replay/record.ts',
  'engine/harness/replay/views.ts',
  'engine/harness/replay/world.ts',
  'engine/harness/respond/receipt-calls.ts',
  'engine/harness/respond/receipt-readers.ts',
  'engine/harness/respond/render-answer.ts',
  'engine/harness/respond/respond.ts',
  'engine/harness/respond/task-mail.ts',
  'engine/intake/answers/take-approval-answer.ts',
  'engine/models/budget-window.ts',
  'engine/queries/doctor/harness.ts',
  'engine/queries/explain/chain.ts',
  'engine/tools/judge-edit.ts',
  'engine/tools/undo.ts',
];

/** `ReturnType<typeof` as the type of a service. */
export const INFERS_TYPES: readonly string[] = [
  'engine/app/gateway-process.ts',
  'engine/dispatch/waiting.ts',
  'engine/harness/loop/loop.ts',
  'engine/harness/respond/abandoned.ts',
  'engine/intake/apply-bounce.ts',
  'engine/mail/compose/markdown.ts',
  'engine/mail/mime/headers.ts',
  'engine/record/recorder.ts',
  'engine/tools/capabilities/artifacts.ts',
  'engine/tools/files/desk.ts',
  'engine/tools/files/turns.ts',
];

export const KNOWS_ROWS: readonly string[] = [];

/** Folders of more than 15 files. */
export const CROWDED: readonly string[] = [
  'engine/config',
  'engine/extensions',
  'engine/lib',
  'engine/mail/mime',
  'engine/policy',
  'engine/wording',
];

/** Circles of files that need each other, types counted. */
export const TYPE_CIRCLES = 11;
