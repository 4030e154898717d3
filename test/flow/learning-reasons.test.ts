import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { epistle } from './gateway.ts';
import { bytesOf, openSchool, type Pupil, playbook, type School } from './learning-rig.ts';

const open: { school?: School } = {};
const school = (): School => {
  if (!open.school) throw new Error('not open');
  return open.school;
};

beforeAll(async () => {
  open.school = await openSchool(() => ({ text: 'Noted.' }));
  for (const pupil of ['off', 'on', 'policy'] as const) await school().mail(pupil, 'Hello.');
});
afterAll(() => open.school?.close());

const ADVICE = 'Say it in verse.';
const BODY = { advice: ADVICE, steps: [{ tool: 'list_files', arguments: {} }], answer: 'In verse.' };

/** One mail: what was asked for it, what was answered, and what the trace says of a playbook. */
async function worked(pupil: Pupil, subject: string) {
  const { requests, result } = await school().mail(pupil, 'Please.', { subject });
  const [selected] = school().events(pupil, result.run_id, 'playbook_selected');
  return {
    run: String(result.run_id),
    selected,
    seen: { asked: requests.map(bytesOf), said: result.reply.text, outcome: result.outcome },
  };
}

const GONE = 'alter table playbook_versions rename to gone_versions';

describe('a playbook that cannot be used', () => {
  beforeEach(() => {
    school().rows('policy', 'delete from playbook_versions returning id');
  });

  it.each([
    ['no_version', () => {}],
    ['syntax', () => school().keep('policy', 1, {}, { text: '{"meta": {"kind"' })],
    ['meta_invalid', () => school().keep('policy', 1, { steps: [{ tool: 'shell', arguments: { command: 'id' } }] })],
    ['meta_threw', () => school().database('policy', (db) => db.exec(GONE))],
  ] as const)(
    'H-1: for %s a mail is answered as where nothing is learned, and the trace says so',
    async (reason, prepare) => {
      const off = await worked('off', `About ${reason}`);
      prepare();
      const on = await worked('policy', `About ${reason}`);
      if (reason === 'meta_threw')
        school().database('policy', (db) => db.exec('alter table gone_versions rename to playbook_versions'));
      expect(on.seen).toEqual(off.seen);
      expect(off.seen.outcome).toBe('final');
      expect(on.selected).toMatchObject({ loaded: false, reason, mode: 'none' });
      // Where it is off nobody looks, so there is nothing to say.
      expect(off.selected).toBeUndefined();
    },
  );

  it('H-3: has nothing of it at work in mail of another kind, nor a part that it does not name', async () => {
    school().keep('policy', 1, BODY, { kind: 'triage' });
    const off = await worked('off', 'Another kind');
    const other = await worked('policy', 'Another kind');
    expect(other.seen).toEqual(off.seen);
    expect(other.selected).toMatchObject({ kind: 'answer', loaded: false, reason: 'no_version' });
    school().keep('policy', 1, BODY, { text: JSON.stringify(playbook(1, BODY, 'triage')) });
    const misplaced = await worked('policy', 'Misplaced');
    expect(misplaced.selected).toMatchObject({ loaded: false, reason: 'meta_invalid' });
    school().rows('policy', `delete from playbook_versions where kind = 'answer' returning id`);
    const meta = { kind: 'answer', capabilities: ['advice'], version: 1 };
    school().keep('policy', 1, BODY, { text: JSON.stringify({ ...BODY, meta }) });
    const { requests, result } = await school().mail('policy', 'Please.', { subject: 'A part' });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.view.system).toContain(ADVICE);
    expect(requests[0]?.view.system).not.toContain('list_files {}');
    expect(school().events('policy', result.run_id, 'playbook_step')).toEqual([]);
    expect(result.reply.text).toContain('Noted.');
  });
});

/** Fifty outcomes of a version, `followed` of them followed, `ageMs` old; the others are as new as can be. */
function crafted(
  version: string,
  of: { readonly succeeded: number; readonly failed: number; readonly followed: number },
  ageMs = 0,
): void {
  school().database('on', (db) => {
    db.exec('delete from playbook_outcomes');
    const insert = db.prepare(
      `insert into playbook_outcomes (run_id, thread_id, kind, version_id, mode, succeeded, failed, used, delegated,
         followed, model_calls, tokens, at) values (?, 't', 'answer', ?, 'none', ?, ?, 0, 0, ?, 1, 1, ?)`,
    );
    const now = Date.now();
    for (let n = 0; n < 50; n += 1) {
      const isFollowed = n < of.followed;
      insert.run(`crafted-${n}`, version, of.succeeded, of.failed, isFollowed ? 1 : 0, isFollowed ? now - ageMs : now);
    }
  });
}

const statusOf = async (kind: string) =>
  (await epistle(school().root, ['learn', 'status', 'on'])).json.kinds.find(
    (one: { kind: string }) => one.kind === kind,
  );

describe('what a playbook may do', () => {
  const HOUR = 3_600_000;
  // What was learned of the mail before would count beside what is crafted.
  beforeEach(() => school().settled('on'));

  it.each([
    ['just below 0.30', { succeeded: 1, failed: 1, followed: 10 }, HOUR, 'none'],
    ['0.30', { succeeded: 1, failed: 1, followed: 10 }, 0, 'assisted'],
    ['just below 0.60', { succeeded: 1, failed: 0, followed: 10 }, HOUR, 'assisted'],
    ['0.60', { succeeded: 1, failed: 0, followed: 10 }, 0, 'filter'],
    ['just below 0.85', { succeeded: 1, failed: 0, followed: 35 }, HOUR, 'filter'],
    ['0.85', { succeeded: 1, failed: 0, followed: 35 }, 0, 'policy'],
  ] as const)('H-8: with an H of %s the next mail is worked so', async (name, of, ageMs, mode) => {
    school().rows('on', 'delete from playbook_versions returning id');
    const version = school().keep('on', 1, BODY);
    crafted(version, of, ageMs);
    const { requests, result } = await school().mail('on', 'Please.', { subject: name });
    const [selected] = school().events('on', result.run_id, 'playbook_selected');
    expect(selected).toMatchObject({ loaded: true, mode, by: 'outcomes' });
    expect(requests.some(({ view }) => view.system.includes(ADVICE))).toBe(mode === 'assisted' || mode === 'filter');
    expect(result.reply.text).toContain(mode === 'policy' ? 'In verse.' : 'Noted.');
  });

  it('H-6: is told by status as it is by hand, of mails that are as old as they are', async () => {
    school().database('on', (db) => db.exec('delete from playbook_versions; delete from playbook_outcomes'));
    school().keep('on', 1, BODY);
    for (let n = 0; n < 12; n += 1) await school().mail('on', 'Please.', { subject: `Old ${n}` });
    const ids = () => school().rows<{ run_id: string }>('on', 'select run_id from playbook_outcomes order by seq desc');
    await school().settled('on');
    expect(ids()).toHaveLength(12);
    const now = Date.now();
    let [weights, succeeded, failed, followed] = [0, 0, 0, 0];
    for (const [n, { run_id: id }] of ids().entries()) {
      const [days, broke, heeded] = [n * 11, n % 3 === 0 ? 1 : 0, n % 2];
      const sql = 'update playbook_outcomes set at = ?, failed = ?, followed = ? where run_id = ? returning run_id';
      school().rows('on', sql, now - days * 86_400_000, broke, heeded, id);
      const weight = 2 ** (-days / 30);
      weights += weight;
      succeeded += weight;
      failed += weight * broke;
      followed += weight * heeded;
    }
    const byHand = (0.2 * succeeded + 0.3 * (weights - failed) + 0.5 * followed) / weights;
    const { h, outcomes } = await statusOf('answer');
    expect(outcomes).toBe(12);
    expect(h).toBeCloseTo(byHand, 7);
  });

  it('H-25: of 25 versions the newest, the best with its ancestors and twenty in all are kept', async () => {
    school().database('on', (db) => db.exec('delete from playbook_versions; delete from playbook_outcomes'));
    const add = async (number: number) => {
      const text = JSON.stringify(playbook(1, { advice: `Say ${number}.` }));
      const { json } = await epistle(school().root, ['learn', 'add', 'on', 'answer'], text);
      expect(json).toMatchObject({ ok: true, version: number });
    };
    for (let number = 1; number <= 3; number += 1) await add(number);
    // By these mails the third has an H; no other has one.
    for (let n = 0; n < 10; n += 1) await school().mail('on', 'Please.', { subject: `By the third ${n}` });
    await school().settled('on');
    expect(school().rows('on', 'select run_id from playbook_outcomes')).toHaveLength(10);
    for (let number = 4; number <= 25; number += 1) await add(number);
    const left = school().rows<{ number: number }>('on', 'select number from playbook_versions order by number');
    const numbers = left.map(({ number }) => number);
    expect(numbers).toHaveLength(20);
    expect(numbers).toEqual(expect.arrayContaining([1, 2, 3, 24, 25]));
    const { version, versions } = await statusOf('answer');
    expect({ version, versions }).toEqual({ version: 25, versions: 20 });
    const { json } = await epistle(school().root, ['learn', 'inspect', 'on', 'answer', 'best']);
    expect(json.version.number).toBe(3);
  });
});
