import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { naturalAnswers } from '../corpus/natural-answers/index.ts';
import type { NaturalCase } from '../corpus/natural-answers/natural-case.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { eventually } from './eventually.ts';
import { MEMBER, type Office, OWNER, openOffice } from './governance-rig.ts';
import { openPersonaDb, type RunView } from './persona-db.ts';
import { STEADY } from './workspace.ts';

/** What these make for somebody else is told to an owner, so no other case may come after them. */
const LAST = new Set(['e24', 'e25']);

const open: { office?: Office; model?: FakeModel } = {};
const byId = new Map(naturalAnswers.map((one) => [one.id, one]));
const FILES = 'data/personas/ada/files';

beforeAll(async () => {
  open.model = await startFakeModel('openai', ({ view }) => {
    const one = byId.get(/\[case (\S+)\]/.exec(view.lastUser)?.[1] ?? '');
    const calls = one?.calls?.[view.turn];
    return calls ? { calls } : { text: one?.answer ?? 'Which case?' };
  });
  open.office = await openOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      loop_guard: { max_replies_per_sender_per_hour: 0, max_replies_per_thread_per_hour: 0, fast_reply_s: 0 },
      tool_policy: { rules: [{ tool: 'send_email', when: { to: '*@partner.example' }, decision: 'allow' }] },
    },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: open.model.baseUrl } }] },
    [`${FILES}/finance/q3.csv`]: 'month,parts\n2026-07,40100.00\n2026-08,37890.10\n2026-09,52344.90\n',
    [`${FILES}/finance/long.csv`]: Array.from({ length: 900 }, (_, n) => `${n},some words,${n * 3}.50`).join('\n'),
    [`${FILES}/logs/build.log`]: '10:00:01 begin\n10:00:02 ERROR sprocket not found\nexit code 2\n',
    ...STEADY,
  });
});
afterAll(async () => {
  await open.office?.close();
  await open.model?.stop();
});

const office = (): Office => {
  if (!open.office) throw new Error('not open');
  return open.office;
};

const post = ({ id, from = 'owner', mail }: NaturalCase): Promise<string> =>
  office().post({ from: from === 'owner' ? OWNER : MEMBER, subject: `A mail [case ${id}]`, text: mail });

/** Run, reply and events, once the run is over. */
async function ended(messageId: string) {
  const db = () => openPersonaDb(office().root, 'ada');
  const run = await eventually(
    () => {
      const open = db();
      const found = open.runOf(messageId);
      open.close();
      return found;
    },
    (found) => found?.status === 'done' || found?.status === 'failed',
  );
  const at = db();
  try {
    return { run: run as RunView, text: at.replyText(run as RunView), events: at.events((run as RunView).id) };
  } finally {
    at.close();
  }
}

/** Dates are not the point of a case. */
const plain = (text: string): string => text.replace(/[^\s(]+, \d{1,2} \S+ \d{4}, \d\d:\d\d(?=\))/g, 'NEXT');

const expected = ({ answer, receipt = [] }: NaturalCase): string =>
  receipt.length === 0 ? answer : `${answer}\n\n${receipt.join('\n')}`;

async function check(one: NaturalCase, messageId: string): Promise<void> {
  const { run, text, events } = await ended(messageId);
  expect.soft(plain(text ?? ''), one.id).toBe(expected(one));
  expect.soft({ outcome: run.outcome, calls: run.model_calls }, one.id).toEqual({
    outcome: one.isPartial ? 'partial' : 'final',
    calls: (one.calls?.length ?? 0) + 1,
  });
  expect
    .soft(
      events.some(({ type }) => type === 'receipt'),
      one.id,
    )
    .toBe((one.receipt ?? []).length > 0);
}

describe('answers as a good model writes them', () => {
  it('are at least eighty, in six languages and more', () => {
    expect(naturalAnswers.length).toBeGreaterThanOrEqual(80);
    expect(new Set(naturalAnswers.map(({ id }) => id)).size).toBe(naturalAnswers.length);
  });

  it('leave word for word, with what was done and what was not below them', async () => {
    const free = naturalAnswers.filter(({ id, owner }) => owner === undefined && !LAST.has(id));
    const posted = await Promise.all(free.map(async (one) => ({ one, id: await post(one) })));
    for (const { one, id } of posted) await check(one, id);
  });

  it('say of what owners decided how they decided', async () => {
    let asked = (await office().left('approval')).length;
    for (const one of naturalAnswers.filter(({ owner }) => owner !== undefined)) {
      const id = await post(one);
      for (const answer of one.owner ?? []) {
        asked += 1;
        await office().answer(await office().arrival('approval', OWNER, asked), answer);
      }
      await check(one, id);
    }
  });

  it('tell an owner what was made for others meanwhile', async () => {
    const [member, owner] = naturalAnswers.filter(({ id }) => LAST.has(id));
    if (!member || !owner) throw new Error('no such cases');
    await check(member, await post(member));
    const others = 'Saved or noted down for mail of others since I last told you: 1';
    await check({ ...owner, receipt: [...(owner.receipt ?? []), others] }, await post(owner));
  });
});
