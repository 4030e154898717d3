import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HeardRequest, Turn } from '../../fakes/model-script.ts';
import { epistle } from '../gateway.ts';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { openSchool, type Pupil, playbook, type School } from '../learning-rig.ts';

const open: { school?: School } = {};
const school = (): School => {
  if (!open.school) throw new Error('not open');
  return open.school;
};

const CONTENT = 'as ever';
const STEP = { tool: 'write_file', arguments: { path: '{{mail.word_after Keep it as}}', content: CONTENT } };
const WRITTEN = JSON.stringify(playbook(1, { steps: [STEP] }));

/** Answers of a model that wait until they are let go. */
function gate() {
  let release = (): void => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release };
}
const gates = { held: gate(), raced: gate() };

/** One model does what mails ask for; the others look at playbooks and write them. */
function answer({ view }: HeardRequest): Turn {
  const isWriter = view.system.startsWith('You write');
  const said = { text: isWriter ? WRITTEN : 'It leaves all to the model.' };
  if (view.model === 'held') return isWriter ? said : { ...said, until: gates.held.until };
  if (view.model === 'raced') return isWriter ? { ...said, until: gates.raced.until } : said;
  if (view.model !== 'm') return said;
  const [, name] = /Keep it as (\S+)/.exec(view.lastUser) ?? [];
  if (view.results.length > 0 || name === undefined) return { text: 'Done.' };
  return { calls: [{ name: 'write_file', arguments: { path: name, content: CONTENT } }] };
}

beforeAll(async () => {
  open.school = await openSchool(answer);
});
afterAll(async () => {
  for (const { release } of Object.values(gates)) release();
  await open.school?.close();
});

const PATIENCE = { timeout: 90_000 };
const rowsOf = (pupil: Pupil, table: string) => school().rows<Record<string, unknown>>(pupil, `select * from ${table}`);
const askedOf = (model: string) => school().model.requests.filter(({ view }) => view.model === model).length;
const refineJobs = (pupil: Pupil) => rowsOf(pupil, "jobs where kind = 'refine'").length;

/** One mail, and what was learned of it on record. */
async function keep(pupil: Pupil, name: string): Promise<string> {
  const { messageId } = await school().mail(pupil, `Keep it as ${name}`, { subject: `About ${name}` });
  await school().settled(pupil);
  return messageId;
}

/** Whoever had the answer writes back that it was wrong. */
async function judgeBad(pupil: Pupil, name: string, messageId: string): Promise<void> {
  const judged = rowsOf(pupil, 'playbook_feedback').length;
  const reply = { subject: `Re: About ${name}`, inReplyTo: messageId, references: [messageId] };
  await school().post({ to: `${pupil}@agents.localhost`, from: MEMBER, ...reply, text: 'bad' });
  await expect.poll(() => rowsOf(pupil, 'playbook_feedback').length, PATIENCE).toBe(judged + 1);
  await school().settled(pupil);
}

it('H-21: runs that end at once, and more while it is under way, come to one refinement; mail is answered meanwhile', async () => {
  for (const name of ['one.txt', 'two.txt', 'three.txt', 'four.txt']) await keep('held', name);
  expect(rowsOf('held', 'playbook_refinements')).toEqual([]);
  const both = ['five.txt', 'six.txt'].map((name) => school().mail('held', `Keep it as ${name}`, { subject: name }));
  for (const { result } of await Promise.all(both)) expect(result.outcome).toBe('final');
  await expect.poll(() => askedOf('held'), PATIENCE).toBe(1);
  // The first of its two calls is not answered yet.
  await keep('held', 'seven.txt');
  await keep('held', 'eight.txt');
  expect(rowsOf('held', 'playbook_outcomes')).toHaveLength(8);
  expect({ asked: askedOf('held'), jobs: refineJobs('held') }).toEqual({ asked: 1, jobs: 1 });
  gates.held.release();
  await expect.poll(() => refineJobs('held'), PATIENCE).toBe(0);
  expect(rowsOf('held', 'playbook_refinements')).toMatchObject([{ asked_by: 'runs', accepted: 1, to_version: 2 }]);
  expect(rowsOf('held', 'playbook_versions').map(({ origin }) => origin)).toEqual(['empty', 'refined']);
  expect(askedOf('held')).toBe(2);
  const notice = await school().arrival('notice', OWNER);
  expect(notice.mail.text).toContain('“answer” by version 2 of what I have learned (before: version 1;');
  expect(notice.mail.text).toContain('Reply "undo".');
});

it('H-22: a refinement that another process outruns is refused as that, and no version is there twice', async () => {
  for (const name of ['one.txt', 'two.txt', 'three.txt', 'four.txt', 'five.txt']) await keep('raced', name);
  await expect.poll(() => askedOf('raced'), PATIENCE).toBe(2);
  const own = JSON.stringify(playbook(1, { advice: 'Be brief.' }));
  const { json } = await epistle(school().root, ['learn', 'add', 'raced', 'answer'], own);
  expect(json).toMatchObject({ ok: true, version: 1 });
  gates.raced.release();
  await expect.poll(() => rowsOf('raced', 'playbook_refinements').length, PATIENCE).toBe(1);
  expect(rowsOf('raced', 'playbook_refinements')).toMatchObject([
    { accepted: 0, reason: 'lost_race', to_version: null, from_version: null },
  ]);
  expect(rowsOf('raced', 'playbook_versions')).toMatchObject([{ number: 1, origin: 'owner' }]);
  expect([...rowsOf('raced', 'undo_items'), ...rowsOf('raced', "outbox where kind = 'notice'")]).toEqual([]);
  const { result } = await school().mail('raced', 'Keep it as six.txt', { subject: 'After' });
  expect(school().events('raced', result.run_id, 'playbook_selected')).toMatchObject([{ version: 1 }]);
});

it('H-23: a model that is too small is not asked, however often that comes up, and the log says so once', async () => {
  for (const name of ['one.txt', 'two.txt', 'three.txt', 'four.txt', 'five.txt']) await keep('weak', name);
  await expect.poll(() => rowsOf('weak', 'playbook_refinements').length, PATIENCE).toBe(1);
  for (let times = 0; times < 2; times += 1) {
    const { json } = await school().cli('learn', 'refine', 'weak', 'answer');
    expect(json).toMatchObject({ ok: true, refinement: { accepted: false, reason: 'weak_model' } });
  }
  const asked = rowsOf('weak', 'playbook_refinements order by at').map(({ asked_by: by }) => by);
  expect(asked).toEqual(['runs', 'owner', 'owner']);
  expect(askedOf('claude-haiku-4-5')).toBe(0);
  expect(school().log().split('too small to refine playbooks')).toHaveLength(2);
  const { result } = await school().mail('weak', 'Keep it as six.txt');
  expect(result.outcome).toBe('final');
});

it('H-27: of twelve runs baseline looks at the newest ten, or at as many as it is told', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `file-${n}.txt`);
  for (const name of names) {
    const messageId = await keep('asked', name);
    if (name === 'file-0.txt' || name === 'file-11.txt') await judgeBad('asked', name, messageId);
  }
  const baseline = async (...args: string[]) => (await school().cli('learn', 'baseline', ...args)).json;
  expect((await baseline('asked', 'answer')).error.code).toBe('NO_CURRENT_VERSION');
  const own = JSON.stringify(playbook(1, { steps: [STEP] }));
  expect((await epistle(school().root, ['learn', 'add', 'asked', 'answer'], own)).json).toMatchObject({ ok: true });
  const ten = await baseline('asked', 'answer', '--count', '10');
  // Nine are done right, and one that was called bad is done again.
  expect(ten).toMatchObject({ ok: true, version: 1, raw: 0, current: 0.8, delta: 0.8 });
  expect(ten.examples.map(({ subject }: { subject: string }) => subject).toSorted()).toEqual(
    names
      .slice(2)
      .map((name) => `About ${name}`)
      .toSorted(),
  );
  expect((await baseline('asked', 'answer')).examples).toHaveLength(10);
  const all = await baseline('asked', 'answer', '--count', '50');
  expect(all.examples).toHaveLength(12);
  expect(all.current).toBeCloseTo(8 / 12, 5);
  const codes = ['51', '2', '0', 'x'].map(async (count) => {
    return (await baseline('asked', 'answer', '--count', count)).error.code;
  });
  expect(await Promise.all(codes)).toEqual(Array.from({ length: 4 }, () => 'COUNT_OUT_OF_RANGE'));

  for (const name of ['one.txt', 'two.txt']) await keep('on', name);
  await epistle(school().root, ['learn', 'add', 'on', 'answer'], own);
  expect(rowsOf('on', 'playbook_scenarios')).toHaveLength(2);
  expect((await baseline('on', 'answer')).error.code).toBe('INSUFFICIENT_SCENARIOS');
});
