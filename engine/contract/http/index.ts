/**
 * What adapters of model vendors share: what a failure means to the engine, the wait that a vendor asks for, a call's
 * arguments as text, and a `fetch` for the vendors' own SDKs. `#contract/http` in the package, `epistle/contract/http` in a workspace.
 */
export { certificateFault, innermostCode } from './certificates.ts';
export { eventsIn } from './events.ts';
export type { FailedAnswer, VendorCall, VendorHabits } from './failures.ts';
export { asVendorError, billedFailure, cutShort, failureInAnswer, noAnswer } from './failures.ts';
export { endedBy, fetchStaying, fetchTrusting, leanFetch, sentWith } from './fetch.ts';
export type { ModelList } from './listed-models.ts';
export { askForJson, listedModels, modelById } from './listed-models.ts';
export type { DialectName } from './markup/dialects.ts';
export type { AnsweredCall, AskedOf, PlainAnswer } from './markup/read.ts';
export { DIALECT_NAMES, plainAnswer } from './markup/read.ts';
export { MAX_WAIT_MS, retryAfterMs } from './retry-after.ts';
export { isShallow } from './shallow.ts';
export { isJsonText, jsonIn, parseArguments } from './tool-arguments.ts';
export { unknownOf } from './usage.ts';
export type { Failure } from './whose.ts';
export { byStatus, fieldOf } from './whose.ts';
