import { type Random, seededRandom } from '../random.ts';
import { BODY_MUTATIONS } from './body-mutations.ts';
import type { Signer } from './dkim.ts';
import { HEADER_MUTATIONS } from './header-mutations.ts';
import { nameOf, onTop } from './mail.ts';
import { type Mutate, textOf } from './mutation.ts';
import { type Facts, MEMBER, type Original, OWNER, type Target, TEMPLATES, writeOriginal } from './originals.ts';
import { SIGNATURE_MUTATIONS } from './signature-mutations.ts';
import { STYLES } from './styles.ts';

/** One mail on its way in. */
export interface Step {
  readonly raw: Buffer;
  readonly facts: Facts;
  /** Over SMTP from anybody, or found in a mailbox. */
  readonly door: 'stranger' | 'imap';
  /** The signature was used before. */
  readonly again: boolean;
}

export interface Attack {
  readonly group: string;
  readonly what: string;
  readonly template: string;
  readonly style: string;
  readonly steps: readonly Step[];
}

type Table = Readonly<Record<string, { readonly weight: number; readonly mutate: Mutate }>>;
const MUTATIONS: Table = { ...HEADER_MUTATIONS, ...BODY_MUTATIONS, ...SIGNATURE_MUTATIONS };
const REPLAYS = { 'used again': 8, 'for others': 7, 'signed long ago': 4 } as const;

/** Every group as often as its weight says. */
const LOTTERY = [
  ...Object.entries(MUTATIONS).map(([name, { weight }]) => [name, weight] as const),
  ...Object.entries(REPLAYS),
].flatMap(([name, weight]) => Array.from({ length: weight }, () => name)) as [string, ...string[]];
const ALL_STYLES = STYLES as [(typeof STYLES)[number], ...(typeof STYLES)[number][]];
const ALL_TEMPLATES = TEMPLATES as [string, ...string[]];
const FOR_OTHERS = ['not-for-us', 'for-another'] as const;
const NOT_FOR_MUTATION = new Set<string>(FOR_OTHERS);
const DAY_MS = 86_400_000;

/** The attack of that number: the same for the same seed, but for times and keys. */
export function attackOf(options: { seed: number; number: number; target: Target; keys: Signer; now: number }): Attack {
  const random = seededRandom(options.seed * 1_000_003 + options.number);
  for (;;) {
    const made = tryAttack({ ...options, random });
    if (made) return made;
  }
}

interface Making {
  readonly random: Random;
  readonly number: number;
  readonly target: Target;
  readonly keys: Signer;
  readonly now: number;
}

function tryAttack(making: Making): Attack | null {
  const group = making.random.pick(LOTTERY);
  if (group === 'used again') return usedAgain(making);
  if (group === 'for others') return forOthers(making);
  if (group === 'signed long ago') return signedLongAgo(making);
  const original = write(making, making.random.pick(ALL_TEMPLATES));
  if (NOT_FOR_MUTATION.has(original.template)) return null;
  const made = MUTATIONS[group]?.mutate({ ...making, original });
  if (!made || made.raw === textOf(original.mail)) return null;
  return attack(group, made.what, original, [step(making, made.raw, original.facts)]);
}

function write(making: Making, template: string, atMs = making.now - 60_000): Original {
  const { random } = making;
  const from = random.chance(0.15) ? MEMBER : OWNER;
  return writeOriginal({ ...making, template, style: random.pick(ALL_STYLES), atMs, from });
}

const attack = (group: string, what: string, { template, style }: Original, steps: readonly Step[]): Attack => ({
  group,
  what,
  template,
  style: style.id,
  steps,
});

function step({ random, target }: Making, raw: string, facts: Facts, again = false): Step {
  const door = random.chance(0.25) ? 'imap' : 'stranger';
  return { raw: Buffer.from(door === 'imap' ? delivered(raw, target) : raw, 'latin1'), facts, door, again };
}

/** As a mail server puts it into a mailbox. */
export const delivered = (raw: string, { address }: Target): string =>
  `Delivered-To: ${address}\r\nReceived: by mx.provider.test with LMTP; Mon, 02 Mar 2026 10:00:00 +0100\r\n${raw}`;

/** Whoever got a copy sends the signed words once more. */
function usedAgain(making: Making): Attack | null {
  const { random, number } = making;
  const original = write(making, random.pick(ALL_TEMPLATES));
  const { mail, facts } = original;
  // To be stopped twice is to be stopped; an approval that was taken waits for nothing any more.
  if (NOT_FOR_MUTATION.has(original.template) || facts.command !== null || facts.approves !== null) return null;
  const id = `Message-ID: <another${number}@owner.test>`;
  const without = (name: string) => ({ ...mail, fields: mail.fields.filter((field) => nameOf(field) !== name) });
  const ways = {
    'the same bytes': mail,
    'Message-ID on top': onTop(mail, id),
    'Message-ID at the end': { ...mail, fields: [...mail.fields, id] },
    'Message-ID replaced': onTop(without('message-id'), id),
    'Message-ID left out': without('message-id'),
    'Message-ID and Date replaced': onTop(
      mail,
      id,
      `Date: ${new Date(making.now).toUTCString().replace('GMT', '+0000')}`,
    ),
    'Date replaced': onTop(without('date'), `Date: ${new Date(making.now).toUTCString().replace('GMT', '+0000')}`),
    'Date on top': onTop(mail, 'Date: Mon, 02 Mar 2026 10:00:00 +0100'),
    'its signature copied': onTop(mail, mail.fields[0] ?? ''),
    'other line folds': onTop(without('message-id'), `Message-ID:\r\n ${facts.messageId}`),
    'in brackets and comments': onTop(without('message-id'), `Message-ID: (x) ${facts.messageId}`),
  };
  const way = random.pick(Object.keys(ways) as [keyof typeof ways, ...(keyof typeof ways)[]]);
  return attack('used again', way, original, [
    step(making, textOf(mail), facts),
    step(making, textOf(ways[way]), facts, true),
  ]);
}

/** A mail that its author never wrote to the persona. */
function forOthers(making: Making): Attack {
  const { random, target } = making;
  const original = write(making, random.pick(FOR_OTHERS));
  const ways = {
    'as it is': original.mail,
    'To on top': onTop(original.mail, `To: ${target.address}`),
    'To at the end': { ...original.mail, fields: [...original.mail.fields, `To: ${target.address}`] },
    'To replaced': onTop(
      { ...original.mail, fields: original.mail.fields.filter((field) => nameOf(field) !== 'to') },
      `To: ${target.address}`,
    ),
    'Cc on top': onTop(original.mail, `Cc: ${target.address}`),
    'Resent-To': onTop(original.mail, `Resent-To: ${target.address}`, 'Resent-From: mallory@evil.test'),
    'Delivered-To': onTop(original.mail, `Delivered-To: ${target.address}`),
  };
  const way = random.pick(Object.keys(ways) as [keyof typeof ways, ...(keyof typeof ways)[]]);
  return attack('for others', way, original, [step(making, textOf(ways[way]), original.facts)]);
}

function signedLongAgo(making: Making): Attack | null {
  const { random, now } = making;
  const days = random.pick([9, 15, 40, 400, 4000]);
  const original = write(making, random.pick(ALL_TEMPLATES), now - days * DAY_MS);
  if (NOT_FOR_MUTATION.has(original.template)) return null;
  const today = `Date: ${new Date(now).toUTCString().replace('GMT', '+0000')}`;
  const ways = {
    'as it is': original.mail,
    'Date on top': onTop(original.mail, today),
    'Date replaced': onTop(
      { ...original.mail, fields: original.mail.fields.filter((field) => nameOf(field) !== 'date') },
      today,
    ),
    'Received just now': onTop(original.mail, `Received: from x by y; ${new Date(now).toUTCString()}`),
  };
  const way = random.pick(Object.keys(ways) as [keyof typeof ways, ...(keyof typeof ways)[]]);
  return attack('signed long ago', `${days} days, ${way}`, original, [step(making, textOf(ways[way]), original.facts)]);
}
