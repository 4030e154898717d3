import { type Random, seededRandom } from '../random.ts';
import { type YearClock, yearClock } from './clock.ts';
import { holderOf, idOf, KINDS, type Kind, type Note, playbookFor, type Route, wordsOf } from './kinds.ts';
import { type Letter, openYearOffice, type YearOffice } from './office.ts';
import { MONTH, type Worked, yearReport } from './report.ts';
import { REFINING, VERDICTS, type WorkerModel, workerModel } from './worker-model.ts';

export interface YearOptions {
  readonly seed: number;
  readonly size: 'small' | 'full';
  /** What makes playbooks better after a month: refinement after runs, or an owner who adds them. */
  readonly by: 'runs' | 'owner';
  say(line: string): void;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What a day's work itself may take. */
const MARGIN_MS = 10_000;
const STARTS = Date.UTC(2026, 0, 5, 8);
const DAYS = 364;
/** Of two kinds the steps that were right become wrong. */
const CHANGE = { kinds: ['answer', 'task:stock'], day: 180, to: 'south' } as const;
const MENDED = 212;

/** `every`: days from one day with mail to the next; `mails`: of a kind on such a day. */
const SIZES = {
  full: { every: 1, kinds: KINDS, mails: { answer: 2, triage: 2 } },
  small: { every: 4, kinds: KINDS.filter(({ work }) => work === 'answer'), mails: {} },
} as const;

/** Of what a mail has cost in the first month, in `policy`. In a small year the runs in which steps fail weigh more. */
const MAX_SHARE = { full: 0.2, small: 0.25 } as const;

/** Whoever gets a wrong answer may say so. */
const SAYS_BAD = 0.5;

/** An owner adds a playbook of each kind after a month, and another where the old one has become wrong. */
async function ownerAdds(day: number, kind: Kind, office: YearOffice): Promise<void> {
  const route: Route | null = day === MONTH ? 'north' : isChanged(kind.work) && day === MENDED ? CHANGE.to : null;
  if (route !== null) await office.add(kind, playbookFor(kind, route));
}

/**
 * A year of one persona: mails of six kinds to a real engine under a clock that jumps from day to day, and a model that does
 * some of them wrong. What each mail has cost is counted at the model's socket, and what came of it where the notes are taken.
 */
export async function yearRun({ seed, size, by, say }: YearOptions) {
  const began = performance.now();
  const { every, kinds } = SIZES[size];
  const random = seededRandom(seed);
  const clock = yearClock(STARTS);
  const model = workerModel(seed);
  const office = await openYearOffice(clock, model.answer);
  const worked: Worked[] = [];
  const told = { verdicts: 0, verdict_calls: 0, refine_calls: 0, refine_tokens: 0 };
  try {
    for (let day = 0; day < DAYS; day += every) {
      if (by === 'owner') for (const kind of kinds) await ownerAdds(day, kind, office);
      if (by === 'runs' && day === MONTH) office.learnByRuns();
      if (day >= CHANGE.day) office.setWays(waysAfterChange());
      const lived = await liveDay({ office, model, clock, random }, day, SIZES[size]);
      worked.push(...lived.worked);
      told.verdicts += lived.verdicts;
      told.verdict_calls += lived.beside.get(VERDICTS)?.calls ?? 0;
      told.refine_calls += lived.beside.get(REFINING)?.calls ?? 0;
      told.refine_tokens += lived.beside.get(REFINING)?.tokens ?? 0;
      if (day % 28 === 0) say(`day ${day}: ${worked.length} runs`);
    }
    const counts = {
      versions: office.count('select count(*) from playbook_versions'),
      refused: office.count('select count(*) from playbook_refinements where accepted = 0'),
      feedback: office.count('select count(*) from playbook_feedback'),
      most_scenarios: office.count(
        'select coalesce(max(n), 0) from (select count(*) as n from playbook_scenarios group by kind)',
      ),
    };
    return {
      ...yearReport(worked, { kinds, change: CHANGE, maxShare: MAX_SHARE[size], by }),
      seed,
      size,
      by,
      mails: worked.filter(({ isMail }) => isMail).length,
      ...told,
      ...counts,
      seconds: Math.round((performance.now() - began) / 100) / 10,
    };
  } finally {
    await office.close();
  }
}

/** All mails and due times of one day, what came of them, and what people said of it; then the time until the next one. */
async function liveDay(
  { office, model, clock, random }: { office: YearOffice; model: WorkerModel; clock: YearClock; random: Random },
  day: number,
  size: (typeof SIZES)[keyof typeof SIZES],
) {
  const dawn = clock.now();
  const today = lettersOf(day, size);
  const runs = await hand(office, today);
  await office.settle(HOUR_MS);
  const [notes, costs, counted] = [office.takeNotes(), model.takeCosts(), office.runsSince(dawn)];
  const worked = today.map(({ kind, id }): Worked => {
    const run = counted.find((one) => (runs.get(one.id) ?? runs.get(one.message_id)) === id) ?? null;
    const { calls, tokens } = costs.get(id) ?? { calls: 0, tokens: 0 };
    const isMail = kind.intent !== null;
    return { day, kind: kind.work, isMail, run, calls, tokens, right: isRight(notes, kind, id) };
  });
  const wronged = today.filter((_, index) => worked[index]?.isMail && !worked[index].right);
  const verdicts = wronged.filter(() => random.chance(SAYS_BAD));
  for (const { kind, id } of verdicts) await office.post(verdictOn(kind, id));
  await office.settle(DAY_MS * size.every - (clock.now() - dawn) - MARGIN_MS);
  return { worked, verdicts: verdicts.length, beside: sumOf(costs, model.takeCosts()) };
}

type Costs = ReturnType<WorkerModel['takeCosts']>;

/** Of two looks together. */
const sumOf = (first: Costs, then: Costs): Costs =>
  new Map(
    [...new Set([...first.keys(), ...then.keys()])].map((name) => {
      const [one, other] = [first.get(name), then.get(name)];
      const add = (key: 'calls' | 'tokens') => (one?.[key] ?? 0) + (other?.[key] ?? 0);
      return [name, { calls: add('calls'), tokens: add('tokens') }];
    }),
  );

interface Today {
  readonly kind: Kind;
  readonly id: string;
}

function lettersOf(day: number, { kinds, mails }: (typeof SIZES)[keyof typeof SIZES]): readonly Today[] {
  const many: Readonly<Record<string, number>> = mails;
  return kinds.flatMap((kind) =>
    Array.from({ length: many[kind.work] ?? 1 }, (_, index) => ({ kind, id: idOf(kind, day * 4 + index + 2) })),
  );
}

/** Hands all of a day in; the id by the Message-ID of its mail, or by the run of its due time. */
async function hand(office: YearOffice, today: readonly Today[]): Promise<ReadonlyMap<string, string>> {
  const runs = new Map<string, string>();
  for (const { kind, id } of today) {
    if (kind.intent === null) runs.set(await office.due(kind), id);
    else {
      const letter = letterOf(kind, id);
      await office.post(letter);
      runs.set(letter.messageId, id);
    }
  }
  return runs;
}

const letterOf = (kind: Kind, id: string): Letter => ({
  subject: `About ${kind.desk} ${id}`,
  text: wordsOf(kind, id),
  messageId: `<${id}@member.example>`,
});

const verdictOn = (kind: Kind, id: string): Letter => {
  const { subject, messageId } = letterOf(kind, id);
  return { subject: `Re: ${subject}`, text: 'bad', messageId: `<no.${id}@member.example>`, inReplyTo: messageId };
};

const waysAfterChange = (): Readonly<Record<string, Route>> =>
  Object.fromEntries(KINDS.map(({ work, desk }) => [desk, isChanged(work) ? CHANGE.to : 'north']));

const isChanged = (work: string): boolean => CHANGE.kinds.some((one) => one === work);

/** One note, of whoever holds it; by a way that is closed none is taken. */
function isRight(notes: readonly Note[], { desk }: Kind, id: string): boolean {
  const own = notes.filter((note) => note.desk === desk && note.id === id);
  return own.length === 1 && own[0]?.holder === holderOf(id);
}
