import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../scripts/lib/soak/random.ts';
import { SIZE, someOf } from '../../size.ts';
import { launchOffice, MEMBER, OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { type AnswerFirst, BOB, deletion, mailCall, openAnswerFirst } from './rig.ts';

// Questions that an answer did not wait for, each with a fate that a seed chooses. Whatever it is: one answer at once, one mail
// after it for each question that was decided or whose time is over, none for one that nobody is asked about any more, and
// nothing twice.

const FATES = ['yes', 'no', 'edit', 'stale', 'gone', 'twice', 'meanwhile', 'taken back'] as const;
type Fate = (typeof FATES)[number];

interface Story {
  readonly n: number;
  readonly fate: Fate;
  readonly subject: string;
  readonly isDeletion: boolean;
}

function storiesOf(count: number, seed: number): readonly Story[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, n): Story => {
    // Each fate comes first once, whatever the seed says.
    const fate = FATES[n < FATES.length ? n : Math.floor(random.next() * FATES.length)] ?? 'yes';
    const isDeletion = fate === 'stale' || fate === 'gone' || (fate !== 'edit' && random.next() < 0.3);
    return { n, fate, subject: `Story ${n}.`, isDeletion };
  });
}

const pathOf = ({ n }: Story): string => `story-${n}.txt`;

interface Told {
  readonly messageId: string;
  /** What its question is found by. */
  readonly about: string;
  readonly file: string;
}

/** What people do about its question. */
async function comesTo(
  office: AnswerFirst,
  { n, fate, subject }: Story,
  { messageId, about, file }: Told,
): Promise<void> {
  const question = await office.questionAbout(about);
  const id = question.mail.messageId ?? '';
  switch (fate) {
    case 'yes':
      await office.answer(question, 'yes');
      break;
    case 'no':
      await office.answer(question, 'no');
      break;
    case 'edit':
      await office.answer(question, `edit 1\nbody: Changed in ${subject}`);
      await office.answer(await office.questionAbout(`Changed in ${subject}`, [id]), 'yes');
      break;
    case 'stale':
      writeFileSync(file, 'Other words\n');
      await office.answer(question, 'yes');
      await office.answer(await office.questionAbout(about, [id]), 'yes');
      break;
    case 'gone':
      rmSync(file);
      await office.answer(question, 'yes');
      break;
    case 'twice':
      await office.answer(question, 'yes');
      await office.answer(question, 'yes', { messageId: `<twice-${n}@example.com>` });
      break;
    case 'meanwhile':
    case 'taken back': {
      const text = fate === 'meanwhile' ? `And what of story ${n}?` : `Undo\n\nMia`;
      office.script(fate === 'meanwhile' ? text : 'Undo', 'Noted.');
      const later = { from: MEMBER, subject: `Re: ${subject}`, inReplyTo: messageId, references: [messageId], text };
      await office.post(later);
      if (fate === 'taken back') await onceRecorded(office.root, () => expect(office.stateOf(messageId)).toBe('stale'));
      await office.answer(question, 'yes');
      break;
    }
  }
}

/** One story from its mail to its end; what of it is not as it must be. */
async function tell(office: AnswerFirst, story: Story): Promise<readonly string[]> {
  const { fate, subject, isDeletion } = story;
  const file = join(office.root, 'data/personas/ada/files', pathOf(story));
  mkdirSync(join(office.root, 'data/personas/ada/files'), { recursive: true });
  writeFileSync(file, `The words of ${subject}\n`);
  const about = isDeletion ? pathOf(story) : subject;
  const call = isDeletion ? deletion(pathOf(story)) : mailCall(subject);
  const { messageId } = await office.asks(subject, [[call], `Asked: ${subject}`], {
    text: `${subject} With ${BOB}: ${about}`,
  });
  const purposes = () => office.answersTo(messageId).map(({ purpose }) => purpose);
  const found: string[] = purposes().join() === 'final' ? [] : [`at once: ${purposes().join()}`];
  await comesTo(office, story, { messageId, about, file });
  const count = fate === 'taken back' ? 0 : 1;
  await onceRecorded(office.root, () => expect(purposes().filter((one) => one === 'follow_up')).toHaveLength(count));
  await office.left('reply');
  const wanted = fate === 'taken back' ? 'final' : 'final,follow_up';
  if (purposes().join() !== wanted) found.push(`answers: ${purposes().join()}`);
  const isDone = !['no', 'taken back', 'gone'].includes(fate);
  const toBob = async () => (await office.left('reply', BOB)).filter(({ mail }) => mail.subject === subject).length;
  // One that was put off for a moment leaves a moment later.
  if (isDone && !isDeletion)
    await onceRecorded(office.root, async () => expect(await toBob(), `to Bob: ${subject}`).toBeGreaterThan(0));
  const mails = await toBob();
  if (!isDeletion && mails !== (isDone ? 1 : 0)) found.push(`${mails} mails to Bob`);
  if (isDeletion && existsSync(file) !== (!isDone && fate !== 'gone')) found.push('the file');
  const inThread = (await office.left('reply', MEMBER)).filter(({ mail }) => mail.inReplyTo === messageId);
  if (inThread.length !== count + 1) found.push(`${inThread.length} mails in the thread`);
  const replayed = await office.replays(messageId);
  if (replayed.length > 0) found.push(`replay: ${JSON.stringify(replayed).slice(0, 400)}`);
  return found.map((what) => `${subject} (${fate}): ${what}`);
}

describe('questions that an answer did not wait for', () => {
  let office: AnswerFirst;
  beforeAll(async () => {
    office = await openAnswerFirst();
  });
  afterAll(() => office.close());

  it('have one answer at once, and one mail after it where something came of them', async () => {
    const problems: string[] = [];
    for (const story of storiesOf(SIZE >= 20 ? 240 : FATES.length, 20261129))
      problems.push(...(await tell(office, story)));
    expect(problems).toEqual([]);
  });
});

/** Passed while the answer is made, and while what was decided is carried out. */
const ANSWERING = [
  ...(['accept.committed', 'dispatch.claimed', 'run.context_committed', 'run.model_replied'] as const),
  ...([
    'run.event.permission',
    'run.event.call_waits',
    'run.event.observation',
    'run.event.approval_requested',
  ] as const),
  ...([
    'run.event.receipt',
    'run.event.reply_committed',
    'run.finished',
    'outbox.claimed',
    'outbox.handed_over',
  ] as const),
];
const CARRYING_OUT = [
  ...(['run.event.approval_decided', 'dispatch.claimed', 'run.event.calls_taken_up', 'run.step_intended'] as const),
  ...(['run.event.tool_call_intended', 'run.event.observation', 'run.tool_executed', 'run.event.decision'] as const),
  ...(['run.event.receipt', 'run.event.reply_committed', 'run.event.run_ended', 'run.finished'] as const),
  ...(['outbox.claimed', 'outbox.handed_over', 'outbox.recorded'] as const),
];
const KILLS = [
  ...someOf(ANSWERING, 3).map((label) => ({ label, when: 'answering' }) as const),
  // Each place between the decision and the mail that follows it.
  ...CARRYING_OUT.map((label) => ({ label, when: 'carrying out' }) as const),
];

describe('a process that is killed', () => {
  let office: AnswerFirst;
  beforeAll(async () => {
    office = await openAnswerFirst({}, {}, launchOffice);
  });
  afterAll(() => office.close());

  /** The process dies at the label while that is done, and another finds it done once more by whoever got no answer. */
  async function killedAt(label: string, act: () => Promise<unknown>): Promise<void> {
    const program = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
    await act().catch(() => {});
    await program.death();
    await office.restart({});
    await act();
  }

  it.each(KILLS)('at $label while $when: one answer, one mail after it, one effect', async ({ label, when }) => {
    const subject = `Killed at ${label} ${when}.`;
    const id = `<${label}-${when.replace(' ', '-')}@member.example>`;
    office.script(subject, [mailCall(subject)], `Asked: ${subject}`);
    const ask = () =>
      office.post({ from: MEMBER, subject, text: `${subject} With ${BOB}.`, messageId: id, date: DATE });
    if (when === 'answering') await killedAt(label, ask);
    else await ask();
    const question = await office.questionAbout(subject);
    const yes = () => office.answer(question, 'yes', { messageId: id.replace('member', 'owner'), date: DATE });
    if (when === 'answering') await yes();
    else await killedAt(label, yes);
    const purposes = () => office.answersTo(id).map(({ purpose, state }) => `${purpose} ${state}`);
    await onceRecorded(office.root, () => expect(purposes()).toEqual(['final sent', 'follow_up sent']));
    await office.left('reply');
    expect(purposes()).toEqual(['final sent', 'follow_up sent']);
    expect((await office.left('reply', BOB)).filter(({ mail }) => mail.subject === subject)).toHaveLength(1);
    expect(await office.replays(id)).toEqual([]);
  });
});

const DATE = new Date('2026-11-22T10:00:00Z');

describe('an owner’s STOP, and time that is over', () => {
  const count = SIZE >= 20 ? 15 : 2;

  it('close what waits, and nobody is told after the answer; or each once', async () => {
    const office = await openAnswerFirst();
    try {
      const asked: string[] = [];
      for (let n = 0; n < count; n += 1)
        asked.push((await office.asks(`Stopped ${n}.`, [[mailCall(`Stopped ${n}.`)], 'Asked.'])).messageId);
      await office.post({ subject: 'STOP' });
      await office.arrival('notice', OWNER);
      await office.post({ subject: 'RESUME' });
      await office.arrival('notice', OWNER, 2);
      for (const messageId of asked) {
        expect(office.answersTo(messageId).map(({ purpose }) => purpose)).toEqual(['final']);
        expect(await office.replays(messageId)).toEqual([]);
      }
      expect(await office.left('reply', BOB)).toEqual([]);
    } finally {
      await office.close();
    }
  });

  it('tell whoever asked once that nobody answered in time', async () => {
    const office = await openAnswerFirst({}, { ttl_hours: 5 / 3600, reminder_hours: 0 });
    try {
      for (let n = 0; n < count; n += 1) {
        const { messageId } = await office.asks(`Late ${n}.`, [[mailCall(`Late ${n}.`)], 'Asked.']);
        const purposes = () => office.answersTo(messageId).map(({ purpose }) => purpose);
        await onceRecorded(office.root, () => expect(purposes()).toEqual(['final', 'follow_up']));
        expect(await office.replays(messageId)).toEqual([]);
      }
      expect(await office.left('reply', BOB)).toEqual([]);
    } finally {
      await office.close();
    }
  });
});
