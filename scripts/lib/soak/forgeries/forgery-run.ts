import { seededRandom } from '../random.ts';
import { type Attack, attackOf, delivered } from './attacks.ts';
import { createKeys, type Signer } from './dkim.ts';
import { forwarded } from './forwards.ts';
import { type Believed, forgedIn, lostRights } from './judge.ts';
import { textOf } from './mutation.ts';
import { type Cell, openOffice } from './office.ts';
import { type Original, OWNER, TEMPLATES, writeOriginal } from './originals.ts';
import { STYLES, type Style } from './styles.ts';

export interface ForgeryOptions {
  readonly seed: number;
  readonly mutants: number;
  /** Only the mutant of this number; its bytes are in the report. */
  readonly only: number | null;
  say(line: string): void;
}

/** One mutant that was believed, or one honest mail that was not. */
interface Finding {
  readonly number: number;
  readonly group: string;
  readonly what: string;
  readonly mail: string;
  readonly door: string;
  readonly why: readonly string[];
  /** The words that the author is believed to have written. */
  readonly said: string | null;
}

const CELLS = 6;
const EXAMPLES_EACH = 3;
const MAX_EXAMPLES = 80;
const PROVEN_SHARE = 0.99;

/** Mutated signed mails, each against a persona's real way in; then honest mail, which has to stay believed. */
export async function forgeryRun({ seed, mutants, only, say }: ForgeryOptions) {
  const began = performance.now();
  const keys = createKeys(['owner.test', 'member.test', 'evil.test']);
  const office = await openOffice(keys.zone, CELLS);
  try {
    const tally = createTally();
    const numbers = only === null ? Array.from({ length: mutants }, (_, n) => n) : [only];
    await share(numbers, office.cells, async (number, cell) => {
      const attack = attackOf({ seed, number, target: cell.target, keys, now: Date.now() });
      tally.count(number, attack, await carryOut(attack, cell));
      if (number % 1000 === 999) say(`${number + 1} mutants, ${tally.forged()} believed wrongly`);
    });
    const honest = only === null ? await deliverHonest(office.cells, keys, seed) : NOTHING_HONEST;
    const { ordinary } = honest;
    const problems = [
      ...(tally.forged() > 0 ? [`${tally.forged()} mutants were believed to say what their signer did not sign`] : []),
      ...(ordinary.proven < PROVEN_SHARE * ordinary.delivered ? ['honest mail lost its rights'] : []),
    ];
    return {
      ok: problems.length === 0,
      seed,
      mutants: numbers.length,
      problems,
      ...tally.report(),
      honest,
      ...(only === null ? {} : { mail: bytesOfOnly(office.cells, seed, only, keys) }),
      seconds: Math.round((performance.now() - began) / 100) / 10,
    };
  } finally {
    await office.close();
  }
}

/** Each cell takes the numbers that are its own, so that a number is always the same attack on the same persona. */
async function share<Item>(
  items: readonly Item[],
  cells: readonly Cell[],
  work: (item: Item, cell: Cell) => Promise<void>,
): Promise<void> {
  await Promise.all(
    cells.map(async (cell, index) => {
      for (let at = index; at < items.length; at += cells.length) {
        const item = items[at];
        if (item !== undefined) await work(item, cell);
      }
    }),
  );
}

interface Outcome {
  readonly door: string;
  readonly believed: Believed;
  readonly why: readonly string[];
}

/** The steps in order; what comes last is what the attacker wants. */
async function carryOut({ steps }: Attack, cell: Cell): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    const believed = await cell.deliver(step);
    // The mail before it has to have been believed, or there is nothing to use again.
    const again = step.again && outcomes.some((one) => one.believed.message !== null);
    const why = forgedIn({ facts: step.facts, persona: cell.target.address, at: Date.now(), again }, believed);
    outcomes.push({ door: step.door, believed, why });
  }
  return outcomes;
}

function createTally() {
  const made = new Map<string, number>();
  const decisions = new Map<string, number>();
  const byGroup = new Map<string, number>();
  const byWhy = new Map<string, number>();
  const originals = new Set<string>();
  const styles = new Set<string>();
  const examples: Finding[] = [];
  const shown = new Map<string, number>();
  let forged = 0;
  let rightly = 0;
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  return {
    forged: () => forged,
    count(number: number, attack: Attack, outcomes: readonly Outcome[]) {
      const { group, what, template, style } = attack;
      add(made, group);
      originals.add(`${template}/${style}`);
      styles.add(style);
      const last = outcomes.at(-1);
      if (last) add(decisions, `${last.believed.decision} ${last.believed.code ?? last.believed.tier ?? ''}`.trim());
      const broken = outcomes.find(({ why }) => why.length > 0);
      if (!broken) {
        if (last?.believed.message) rightly += 1;
        return;
      }
      forged += 1;
      add(byGroup, group);
      for (const why of broken.why) add(byWhy, why);
      const key = `${group} ${broken.why[0]}`;
      if ((shown.get(key) ?? 0) >= EXAMPLES_EACH || examples.length >= MAX_EXAMPLES) return;
      add(shown, key);
      const { door, why, believed } = broken;
      const said = believed.message?.newText.slice(0, 200) ?? null;
      examples.push({ number, group, what, mail: `${template}/${style}`, door, why, said });
    },
    report: () => ({
      originals: originals.size,
      styles: styles.size,
      forged,
      believed_rightly: rightly,
      made: Object.fromEntries(made),
      forged_by_kind: Object.fromEntries(byGroup),
      forged_by_what: Object.fromEntries(byWhy),
      decisions: Object.fromEntries(decisions),
      examples,
    }),
  };
}

const NOTHING_HONEST = {
  ordinary: { delivered: 0, proven: 0 },
  unsigned_recipients: { delivered: 0, proven: 0 },
  bare_parts: { delivered: 0, proven: 0 },
  by_style: {},
  lost: [] as object[],
};

/** All ways to write in all ordinary styles, as they are and forwarded. */
async function deliverHonest(cells: readonly Cell[], keys: Signer, seed: number) {
  const random = seededRandom(seed);
  const ours = TEMPLATES.filter((template) => template !== 'not-for-us' && template !== 'for-another');
  const plain = STYLES.filter(({ honest, id }) => honest || id === 'microsoft');
  const wanted = plain.flatMap((style) =>
    ours
      .filter((template) => !namesNobody(template, style))
      .flatMap((template) =>
        (['as it is', 'forwarded', 'in a mailbox'] as const).map((way) => ({ style, template, way })),
      ),
  );
  const figures: Record<string, { delivered: number; proven: number }> = {};
  const lost: object[] = [];
  const numbered = wanted.map((one, number) => ({ ...one, number: 1_000_000 + number }));
  await share(numbered, cells, async ({ style, template, way, number }, cell) => {
    const { target } = cell;
    const original: Original = writeOriginal({
      template,
      style,
      target,
      keys,
      number,
      random,
      from: OWNER,
      atMs: Date.now() - 60_000,
    });
    const raw = way === 'as it is' ? textOf(original.mail) : forwarded(original);
    const door = way === 'in a mailbox' ? 'imap' : 'stranger';
    const bytes = Buffer.from(door === 'imap' ? delivered(raw, target) : raw, 'latin1');
    const believed = await cell.deliver({ raw: bytes, door });
    const honest = { facts: original.facts, persona: target.address, at: Date.now(), again: false };
    const missing = [...lostRights(honest, 'owner', believed), ...forgedIn(honest, believed)];
    const group = mayHaveParts(original) ? 'bare_parts' : style.id;
    const figure = figures[group] ?? { delivered: 0, proven: 0 };
    figures[group] = figure;
    figure.delivered += 1;
    if (missing.length === 0) figure.proven += 1;
    else lost.push({ mail: `${template}/${style.id}`, way, missing });
  });
  const sum = (ids: readonly string[]) =>
    ids.reduce(
      (total, id) => ({
        delivered: total.delivered + (figures[id]?.delivered ?? 0),
        proven: total.proven + (figures[id]?.proven ?? 0),
      }),
      { delivered: 0, proven: 0 },
    );
  return {
    ordinary: sum(STYLES.filter(({ honest }) => honest).map(({ id }) => id)),
    unsigned_recipients: sum(['microsoft']),
    bare_parts: sum(['bare_parts']),
    by_style: figures,
    lost: lost.slice(0, MAX_EXAMPLES),
  };
}

/** Nothing signed says that it is for the persona: the mail has no rights to lose. */
const namesNobody = (template: string, { id }: Style): boolean => template === 'in-copy' && id === 'minimal';

/**
 * A text that holds what begins a part, and nobody signed that it is a text: it may have been a mail with parts, whose
 * words were others'. It is refused, which is right.
 */
const mayHaveParts = ({ mail, facts }: Original): boolean =>
  !facts.signed.has('content-type') &&
  /\r\n--MALLORY\r\nContent-Type:/.test(mail.body) &&
  !/boundary=|text\/html/.test(textOf(mail));

/** To look at, or to hand to somebody. */
function bytesOfOnly(cells: readonly Cell[], seed: number, number: number, keys: Signer): string {
  const [cell] = cells;
  if (!cell) return '';
  return (
    attackOf({ seed, number, target: cell.target, keys, now: Date.now() }).steps.at(-1)?.raw.toString('latin1') ?? ''
  );
}
