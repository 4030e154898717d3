import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSenderChecks } from '../../../../engine/mail/identity/sender-checks.ts';
import type { ParsedMail } from '../../../../engine/mail/mime/types.ts';
import { seededRandom } from '../../../../scripts/lib/soak/random.ts';
import { BORDERS } from '../../../corpus/borders/all.ts';
import { ATTACKS, type Attack } from '../../../corpus/borders/attacks/all.ts';
import { isDelegated } from '../../../corpus/borders/conclude.ts';
import type { Border } from '../../../corpus/borders/facts.ts';
import { isVictim, rawOf } from '../../../corpus/borders/letters.ts';
import { makeOriginals, type Original } from '../../../corpus/borders/originals.ts';
import { SIZE } from '../../../size.ts';
import { parsed } from '../fixtures.ts';
import { type Brought, brought, DOORS, type Door, seenBy, throughBorders } from './behind-a-border.ts';

const SEED = 20261128;
const CASES = 1000 * SIZE;
/** It ends what hangs; two dozen milliseconds for each. */
const TIMEOUT_MS = 60_000 + 60 * CASES;
/** A number that was printed makes that case again. */
const FIRST = 0;
const NAMES = Object.keys(ATTACKS);

const checks = createSenderChecks();
const authenticatorOf = throughBorders(checks);
const authenticators = new Map(BORDERS.map((border) => [border, authenticatorOf(border)]));
let originals: readonly Original[];
const originalMails = new Map<Original, ParsedMail>();
beforeAll(async () => {
  originals = await makeOriginals();
  for (const original of originals) originalMails.set(original, await parsed(rawOf(original.letter)));
});
afterAll(() => checks.close());

/**
 * What became of a forgery. `the same mail`: it says what its author wrote to this persona lately, so that it is a
 * duplicate. `delegated`: the DMARC policy of the domain itself lets the forger's host write for it.
 */
type Fate = 'refused' | 'the same mail' | 'delegated' | 'believed';

function fateOf({ final, words, facts }: Brought, { original }: Attack, border: Border): Fate {
  if (!final.authenticated || !isVictim(final.address)) return 'refused';
  if (original?.isOurs && saysTheSame(words, originalMails.get(original))) return 'the same mail';
  return isDelegated(facts, border) ? 'delegated' : 'believed';
}

/** What counts of a mail is what its author wrote, or was left out. */
function saysTheSame(words: ParsedMail, original: ParsedMail | undefined): boolean {
  if (!original) return false;
  const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);
  const lists = ['to', 'cc', 'replyTo', 'inReplyTo', 'references'] as const;
  const texts = ['subject', 'dateHeader'] as const;
  return (
    lists.every((name) => words[name].length === 0 || same(words[name], original[name])) &&
    texts.every((name) => words[name] === '' || words[name] === original[name]) &&
    words.text === original.text &&
    same(
      words.attachments.map(({ sha256, name }) => [sha256, name]),
      original.attachments.map(({ sha256, name }) => [sha256, name]),
    )
  );
}

interface Tried {
  readonly number: number;
  readonly border: Border;
  readonly name: string;
  readonly door: Door;
  readonly fate: Fate;
  readonly tale: string;
}

async function tried(number: number): Promise<Tried[]> {
  const random = seededRandom(SEED + number);
  const border = BORDERS[number % BORDERS.length];
  const name = NAMES[Math.floor(number / BORDERS.length) % NAMES.length] ?? '';
  const way = ATTACKS[name];
  const authenticator = border && authenticators.get(border);
  if (!border || !way || !authenticator) throw new Error(`there is no case ${number}`);
  const attack = await way(random, { border, originals });
  const seen = { quotes: random.chance(0.4), cleans: random.chance(0.5), order: random.between(0, 3) };
  const facts = await seenBy(attack.letter, attack.session, seen);
  return Promise.all(
    DOORS.map(async (door) => {
      const result = await brought(attack.letter, { border, facts, door, authenticator });
      const fate = fateOf(result, attack, border);
      return { number, border, name, door, fate, tale: fate === 'believed' ? taleOf(result, attack) : '' };
    }),
  );
}

const taleOf = ({ final, raw }: Brought, { session, original }: Attack): string =>
  [
    `MAIL FROM:<${session.mailFrom}> HELO ${session.helo} from ${session.hostname}`,
    original
      ? `made of a mail that ${original.victim.address} wrote${original.isOurs ? ' to us lately' : ''}`
      : 'made of nothing',
    `believed: ${JSON.stringify(final)}`,
    raw.toString('latin1'),
  ].join('\n');

describe('12 borders, and mail that claims to be of somebody who is believed', () => {
  it(`is never believed: ${CASES} forgeries, by IMAP and from the relay`, { timeout: TIMEOUT_MS }, async () => {
    const all: Tried[] = [];
    for (let number = FIRST; number < FIRST + CASES; number += 1) all.push(...(await tried(number)));
    const believed = all.filter(({ fate }) => fate === 'believed');
    if (SIZE > 1 || believed.length > 0) process.stdout.write(tableOf(all));
    // Each kind, as it was made: the number makes it again.
    for (const one of firstOfEach(believed)) process.stdout.write(`\n#${one.number} ${kindOf(one)}\n${one.tale}\n`);
    expect(believed.map((one) => `#${one.number} ${kindOf(one)}`)).toEqual([]);
    // What is no forgery was there, too: else nothing would have been tried.
    expect(all.some(({ fate }) => fate === 'the same mail')).toBe(true);
  });
});

/** Of those that were believed once: an old mail that a neighbour of the domain signed anew, behind a border without DMARC. */
it.each([17977])('is refused now that was believed: #%i', async (number) => {
  expect((await tried(number)).map(({ fate }) => fate)).toEqual(DOORS.map(() => 'refused'));
});

const kindOf = ({ border, name, door }: Tried): string => `${border.name}, ${door}: ${name}`;

function firstOfEach(believed: readonly Tried[]): Tried[] {
  const firsts = new Map<string, Tried>();
  for (const one of believed) if (!firsts.has(kindOf(one))) firsts.set(kindOf(one), one);
  return [...firsts.values()];
}

/** Per border and per attack: how many of each fate. */
function tableOf(all: readonly Tried[]): string {
  const count = (rows: readonly Tried[]) => {
    const of = (fate: Fate) => rows.filter((row) => row.fate === fate).length;
    return `${rows.length} tried, ${of('refused')} refused, ${of('the same mail')} the same mail, ${of('delegated')} delegated, ${of('believed')} believed`;
  };
  const lines = [
    ...BORDERS.map((border) => `${border.name}: ${count(all.filter((row) => row.border === border))}`),
    ...NAMES.map((name) => `${name}: ${count(all.filter((row) => row.name === name))}`),
    `all: ${count(all)}`,
  ];
  return `${lines.join('\n')}\n`;
}
