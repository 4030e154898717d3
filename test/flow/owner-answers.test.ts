import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OwnerAnswer } from '../corpus/owner-answers/answer-case.ts';
import { ownerAnswers } from '../corpus/owner-answers/index.ts';
import { chance } from '../corpus/owner-answers/random.ts';
import { SIZE } from '../size.ts';
import { atRest } from './at-rest.ts';
import { type Asked, type Desk, type Outcome, openDesk, type Told } from './owner-answers-rig.ts';

/** Which of them a small run sends. */
const SEED = 2281;
const LANES = 3;
/** What an owner who said no more than yes may be asked back about. */
const ASKED_ALTHOUGH_PLAIN = 0.05;

interface Result extends Told {
  readonly one: OwnerAnswer;
  readonly asked: Asked;
  readonly raw: Buffer;
}

const small = (answers: readonly OwnerAnswer[]): readonly OwnerAnswer[] =>
  chance(SEED)
    .shuffled(answers)
    .slice(0, Math.ceil((answers.length * Math.min(SIZE, 20)) / 20));

const of = (expected: OwnerAnswer['expected']) => ownerAnswers.filter((one) => one.expected === expected);
const sent = [...small(of('not_approve')), ...small(of('approve')), ...small(of('either'))];

const results: Result[] = [];
const open: { desk?: Desk } = {};

/** Answers in one language, one after the other: a question stays as long as nobody has decided it. */
async function answerAll(desk: Desk, answers: readonly OwnerAnswer[]): Promise<void> {
  const now: { asked?: Asked } = {};
  for (const one of answers) {
    const asked = now.asked ?? (await desk.ask(one.language));
    const told = await desk.answer(asked, one);
    results.push({ one, asked, ...told });
    now.asked = asked;
    if (!desk.isPending(asked.approvalId)) delete now.asked;
  }
}

beforeAll(async () => {
  const desk = await openDesk();
  open.desk = desk;
  const queue = [...Map.groupBy(sent, ({ language }) => language).values()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await answerAll(desk, next);
  };
  await Promise.all(Array.from({ length: LANES }, work));
  await atRest(desk.office.root, 60_000);
  report();
}, 5_400_000);
afterAll(() => open.desk?.close());

const desk = (): Desk => {
  if (!open.desk) throw new Error('not open');
  return open.desk;
};

const HEARD: readonly Outcome[] = ['denied', 'asked_back', 'edited'];

function isWrong({ one, outcome }: Result): boolean {
  if (one.expected === 'approve') return outcome !== 'approved';
  if (one.expected === 'either') return outcome !== 'approved' && outcome !== 'asked_back';
  return !HEARD.includes(outcome);
}

/** Of what `why` tells: how it was read and why it was not clear. */
const short = (detail: string): string => detail.replace(/,"items":\[.*?\]/, '').slice(0, 200);

const named = (found: readonly Result[]): string[] =>
  found.map(({ one, outcome, detail }) => `${one.name}: ${outcome} | ${one.words.join(' / ')} | ${short(detail)}`);

function table(title: string, key: (one: OwnerAnswer) => string): string {
  const rows = [...Map.groupBy(results, ({ one }) => `${one.expected} ${key(one)}`)].toSorted(([a], [b]) =>
    a.localeCompare(b),
  );
  const lines = rows.map(([name, found]) => {
    const outcomes = [...Map.groupBy(found, ({ outcome }) => outcome)].map(([what, all]) => `${what} ${all.length}`);
    return `  ${name.padEnd(48)} ${String(found.length).padStart(5)}  wrong ${String(found.filter(isWrong).length).padStart(4)}  ${outcomes.toSorted().join(', ')}`;
  });
  return [title, ...lines].join('\n');
}

/** Counts on the terminal, and each mail that went wrong as a file beside what was made of it. */
function report(): void {
  const folder = process.env.EPISTLE_WRONG_ANSWERS ?? join('.runtime', 'wrong-answers');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const wrong = results.filter(isWrong);
  for (const [index, { raw }] of wrong.entries()) writeFileSync(join(folder, `${index + 1}.eml`), raw);
  const told = wrong.map(({ one, asked, raw: _raw, ...rest }, index) => ({
    file: `${index + 1}.eml`,
    ...one,
    ...rest,
    asked: asked.question.messageId,
  }));
  writeFileSync(join(folder, 'wrong.json'), JSON.stringify(told, null, 2));
  const tables = [
    table('by class', (one) => one.class),
    table('by kind', (one) => one.kind ?? '-'),
    table('by language', (one) => one.language),
    table('by program', (one) => one.program),
  ];
  process.stdout.write(`\n${tables.join('\n')}\n${wrong.length} of ${results.length} wrong; see ${folder}\n`);
}

const expecting = (expected: OwnerAnswer['expected']) => results.filter(({ one }) => one.expected === expected);

describe('an answer in which a reader sees more than a yes', () => {
  it('is never acted on, wherever in the mail it says so', () => {
    expect(expecting('not_approve').length).toBeGreaterThanOrEqual(100 * Math.min(SIZE, 20));
    expect(named(expecting('not_approve').filter(({ outcome }) => outcome === 'approved'))).toEqual([]);
  });

  it('is a no, or is asked back by a mail to its writer, and never goes under', () => {
    const lost = expecting('not_approve').filter(({ outcome }) => outcome !== 'approved' && !HEARD.includes(outcome));
    expect(named(lost)).toEqual([]);
    const unsent = results.filter(({ clarify }) => clarify !== null && !desk().isSent(clarify));
    expect(named(unsent)).toEqual([]);
  });

  it('leaves what was asked about undone', () => {
    const decided = new Set(
      results.filter(({ outcome }) => outcome === 'approved').map(({ asked }) => asked.recipient),
    );
    const undone = results.filter(({ asked }) => !decided.has(asked.recipient) && desk().isDone(asked.recipient));
    expect(named(undone)).toEqual([]);
  });
});

/** Those of a kind of yes that were not acted on, if these are too many. */
function tooMany(isOne: (one: OwnerAnswer) => boolean): readonly Result[] {
  const plain = expecting('approve').filter(({ one }) => isOne(one));
  const missed = plain.filter(({ outcome }) => outcome !== 'approved');
  return missed.length > Math.max(1, Math.floor(plain.length * ASKED_ALTHOUGH_PLAIN)) ? missed : [];
}

describe('a plain yes', () => {
  it('is acted on, nineteen times of twenty, where it stands alone', () => {
    expect(named(tooMany((one) => one.class === 'yes_alone'))).toEqual([]);
  });

  it('is so as well above an ordinary signature, the footer of a program and the question', () => {
    expect(named(tooMany((one) => one.class !== 'yes_alone'))).toEqual([]);
  });

  it('has the mail that was asked about sent', () => {
    const acted = results.filter(({ outcome }) => outcome === 'approved');
    expect(named(acted.filter(({ asked }) => !desk().isDone(asked.recipient)))).toEqual([]);
  });

  it('is never dropped, and is asked back at most, where its signature looks like a doubt', () => {
    expect(
      named(
        [...expecting('approve'), ...expecting('either')].filter(
          ({ outcome }) => outcome !== 'approved' && outcome !== 'asked_back',
        ),
      ),
    ).toEqual([]);
  });
});
