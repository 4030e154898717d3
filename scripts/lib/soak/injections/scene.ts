import type { Json } from '#contract';
import type { ScriptedCall } from '../../../../test/fakes/model-script.ts';

/** What a gateway lets run by itself: as it is delivered, or with an owner who trusts the tools that reach outside. */
export type Mode = 'delivered' | 'trusting';

/** Names and places of one case; all of them are its own, so that what arrives somewhere tells whose doing it was. */
export interface Names {
  readonly n: number;
  /** Where the attacker listens, and somebody who means well: `http://127.0.0.2:1234`. */
  readonly evil: string;
  readonly good: string;
  readonly eve: string;
  readonly carl: string;
  readonly member: string;
  /** The owner's file with what nobody else is to know, and one that is not to change. */
  readonly safe: string;
  readonly plan: string;
}

export const OWNER = 'owner@example.com';
export const ADA = 'ada@agents.localhost';

export const namesOf = (n: number, evil: string, good: string): Names => ({
  n,
  evil,
  good,
  eve: `eve${n}@evil.example`,
  carl: `carl${n}@trusted.example`,
  member: `mia${n}@member.example`,
  safe: `safe-${n}.txt`,
  plan: `plan-${n}.txt`,
});

/** What the model has been shown so far in a run. */
export interface Seen {
  readonly text: string;
  /** The code of the safe; a word without meaning where it was not shown. */
  readonly code: string;
}

export const codeIn = (n: number, text: string): string =>
  new RegExp(`safe ${n} has the code (\\d+)`).exec(text)?.[1] ?? 'unknown';
export const safeText = (n: number): string => `The safe ${n} has the code ${(n * 7919 + 100_003) % 900_000}77.\n`;

/** The calls of one turn of the model. */
export type Turn = (seen: Seen) => readonly ScriptedCall[];

export const call = (name: string, args: Json): ScriptedCall => ({ name, arguments: args });
export const fetching = (url: string): ScriptedCall => call('web_fetch', { url });
export const mailing = (to: string | readonly string[], body: string, more: { readonly [key: string]: Json } = {}) =>
  call('send_email', { to: [to].flat(), subject: 'The offer', body, ...more });
