import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BareAnswer, bareAnswers } from '../corpus/bare-quotes/index.ts';
import { ANSWERS } from '../corpus/bare-quotes/tongues.ts';
import { chance } from '../corpus/owner-answers/random.ts';
import { SIZE } from '../size.ts';
import { atRest } from './at-rest.ts';
import { type Asked, type Desk, openDesk, type Told } from './owner-answers-rig.ts';

/** Which of them a small run sends. */
const SEED = 2281;
const LANES = 3;
/** Of the clear answers, so many are acted on: of all, and of those of one program. */
const ACTED_ON = 0.95;
const ACTED_ON_PER_PROGRAM = 0.9;

interface Result extends Told {
  readonly one: BareAnswer;
  readonly asked: Asked;
  readonly raw: Buffer;
}

const small = (answers: readonly BareAnswer[]): readonly BareAnswer[] =>
  chance(SEED)
    .shuffled(answers)
    .slice(0, Math.ceil((answers.length * Math.min(SIZE, 20)) / 20));

const isClear = ({ says }: BareAnswer): boolean => says !== null;
const sent = [...small(bareAnswers.filter(isClear)), ...small(bareAnswers.filter((one) => !isClear(one)))];

const results: Result[] = [];
const open: { desk?: Desk } = {};

/** Answers in one language, one after the other: a question stays as long as nobody has decided it. */
async function answerAll(desk: Desk, answers: readonly BareAnswer[]): Promise<void> {
  const [first] = answers;
  if (!first) return;
  const before = await desk.ask(first.language);
  const now: { asked?: Asked } = {};
  for (const one of answers) {
    const asked = now.asked ?? (await desk.ask(one.language));
    const told = await desk.answer(asked, one, before.question);
    results.push({ one, asked, ...told });
    now.asked = asked;
    if (!desk.isPending(asked.approvalId)) delete now.asked;
  }
}

beforeAll(async () => {
  const desk = await openDesk(ANSWERS);
  open.desk = desk;
  const queue = [...Map.groupBy(sent, ({ language }) => language).values()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await answerAll(desk, next);
  };
  await Promise.all(Array.from({ length: LANES }, work));
  await atRest(desk.office.root, 60_000);
  report();
}, 3_600_000);
afterAll(() => open.desk?.close());

const desk = (): Desk => {
  if (!open.desk) throw new Error('not open');
  return open.desk;
};

const isActedOn = ({ one, outcome }: Result): boolean =>
  one.says === 'yes' ? outcome === 'approved' : one.says === 'no' && outcome === 'denied';

const isWrong = (result: Result): boolean =>
  isClear(result.one) ? !isActedOn(result) : result.outcome !== 'denied' && result.outcome !== 'asked_back';

const named = (found: readonly Result[]): string[] =>
  found.map(
    ({ one, outcome, detail }) => `${one.name}: ${outcome} | ${one.words.join(' / ')} | ${detail.slice(0, 200)}`,
  );

function table(title: string, key: (one: BareAnswer) => string): string {
  const rows = [...Map.groupBy(results, ({ one }) => `${isClear(one) ? 'clear' : 'other'} ${key(one)}`)].toSorted(
    ([a], [b]) => a.localeCompare(b),
  );
  const lines = rows.map(([name, found]) => {
    const outcomes = [...Map.groupBy(found, ({ outcome }) => outcome)].map(([what, all]) => `${what} ${all.length}`);
    const right = found.length - found.filter(isWrong).length;
    return `  ${name.padEnd(52)} ${right} of ${found.length}  ${outcomes.toSorted().join(', ')}`;
  });
  return [title, ...lines].join('\n');
}

/** Counts on the terminal, and each mail that went wrong as a file beside what was made of it. */
function report(): void {
  const folder = process.env.EPISTLE_WRONG_ANSWERS ?? join('.runtime', 'wrong-bare-answers');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const wrong = results.filter(isWrong);
  for (const [index, { raw }] of wrong.entries()) writeFileSync(join(folder, `${index + 1}.eml`), raw);
  writeFileSync(join(folder, 'wrong.txt'), `${named(wrong).join('\n')}\n`);
  const tables = [
    table('by class', (one) => one.class),
    table('by program', (one) => `${one.program} (${one.evidence})`),
    table('by language', (one) => one.language),
  ];
  process.stdout.write(`\n${tables.join('\n')}\n${wrong.length} of ${results.length} wrong; see ${folder}\n`);
}

const clear = (): Result[] => results.filter(({ one }) => isClear(one));
const others = (): Result[] => results.filter(({ one }) => !isClear(one));

describe('an owner whose program quotes the question without marks', () => {
  it('is never taken to have said yes without it', () => {
    const wrong = results.filter(({ one, outcome }) => one.says !== 'yes' && outcome === 'approved');
    expect(named(wrong)).toEqual([]);
    const decided = new Set(
      results.filter(({ outcome }) => outcome === 'approved').map(({ asked }) => asked.recipient),
    );
    expect(
      named(results.filter(({ asked }) => !decided.has(asked.recipient) && desk().isDone(asked.recipient))),
    ).toEqual([]);
  });

  it('is acted on nineteen times of twenty who answers clearly, and nine of ten with each program', () => {
    const missed = clear().filter((result) => !isActedOn(result));
    expect(named(missed.length > Math.max(1, clear().length * (1 - ACTED_ON)) ? missed : [])).toEqual([]);
    for (const found of Map.groupBy(clear(), ({ one }) => one.program).values()) {
      const short = found.filter((result) => !isActedOn(result));
      expect(named(short.length > Math.max(1, found.length * (1 - ACTED_ON_PER_PROGRAM)) ? short : [])).toEqual([]);
    }
  });

  it('is asked back, by a mail that leaves, where the answer is not acted on', () => {
    const heard = ['approved', 'denied', 'asked_back'];
    expect(named(clear().filter(({ outcome }) => !heard.includes(outcome)))).toEqual([]);
    expect(named(others().filter(({ outcome }) => !heard.includes(outcome)))).toEqual([]);
    expect(named(results.filter(({ clarify }) => clarify !== null && !desk().isSent(clarify)))).toEqual([]);
  });
});
