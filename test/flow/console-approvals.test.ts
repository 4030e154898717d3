import { afterEach, describe, expect, it } from 'vitest';
import { browserAt, openConsole } from './console-rig.ts';
import { CARL, mailTo, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

const OLGA = 'olga@example.com';
const open: { office?: Awaited<ReturnType<typeof openConsole>> } = {};
afterEach(() => open.office?.close());

/** An office in which Ada asks whether she may write to Carl, and the page of that question. */
async function asked(files: Readonly<Record<string, string | object>> = {}) {
  const office = await openConsole(files);
  open.office = office;
  await office.ask(mailTo(CARL, 'Offer <b>for</b> "Carl"'));
  const { json } = await office.cli('approvals', 'list');
  const [{ id, persona }] = json.approvals;
  const path = `/approvals/${persona}/${id}`;
  const once = (state: string) =>
    onceRecorded(office.root, async () => {
      expect((await office.cli('approvals', 'show', id)).json.approval.state).toBe(state);
    });
  return { office, id, path, once };
}
const hashIn = (text: string): string => /name="hash" value="([0-9a-f]+)"/.exec(text)?.[1] ?? '';

describe('a question in the console', () => {
  it('is shown as its mail has it, and what was decided can be taken back for ten seconds', async () => {
    const { office, path } = await asked();
    const owner = await office.loggedIn();
    const today = await owner.get('/');
    expect(today.text).toContain('May I send');
    expect(today.text).toContain('Offer &lt;b&gt;for&lt;/b&gt;');
    expect(today.text).not.toContain('<b>for</b>');
    const { text } = await owner.get(path);
    expect(text).toContain(CARL);
    const hash = hashIn(text);

    expect(await owner.press(`${path}/decide`, { say: 'approve', hash: 'other' })).toMatchObject({ status: 409 });
    expect(await owner.press(`${path}/decide`, { say: 'approve', hash })).toMatchObject({ status: 303 });
    expect((await owner.get('/approvals')).text).toContain('Take it back');
    expect(await owner.press(`${path}/decide`, { say: 'deny', hash })).toMatchObject({ status: 409 });
    expect(await office.states()).toEqual(['pending']);
    expect(await owner.press(`${path}/take-back`)).toMatchObject({ status: 303 });
    expect((await owner.get(path)).text).not.toContain('Take it back');
    expect(await owner.press(`${path}/take-back`)).toMatchObject({ status: 409 });
    expect(await office.states()).toEqual(['pending']);
  });

  it('that another owner has decided is taken back with who took back whose on record', async () => {
    const { office, id, path } = await asked({
      'personas/ada/persona.json': {
        name: 'Ada',
        address: 'ada@agents.localhost',
        owners: [OWNER, OLGA],
        access: { allow: ['*@member.example'] },
      },
    });
    const [owner, olga] = [await office.loggedIn('--as', OWNER), await office.loggedIn('--as', OLGA)];
    const hash = hashIn((await owner.get(path)).text);
    expect(await owner.press(`${path}/decide`, { say: 'approve', hash })).toMatchObject({ status: 303 });
    await olga.get(path);
    expect(await olga.press(`${path}/take-back`)).toMatchObject({ status: 303 });
    expect(await office.states()).toEqual(['pending']);
    const { audit } = (await office.cli('audit')).json;
    expect(audit[0]).toMatchObject({
      event: 'decision_taken_back',
      actor: OLGA,
      approval_id: id,
      tool: 'send_email',
      detail: { decision: 'approved', decided_by: OWNER },
    });
    // What comes too late changes nothing, and is no row.
    expect(await olga.press(`${path}/take-back`)).toMatchObject({ status: 409 });
    expect((await office.cli('audit')).json.audit[0]).toEqual(audit[0]);
  });

  it('is decided by the gateway, whatever becomes of the browser and of the gateway itself', async () => {
    const { office, id, path, once } = await asked();
    const owner = await office.loggedIn();
    const { text } = await owner.get(path);
    const pressed = await owner.press(`${path}/decide`, { say: 'deny', hash: hashIn(text), reason: 'not this week' });
    expect(pressed).toMatchObject({ status: 303 });
    await office.restart();
    await once('rejected');
    const { json } = await office.cli('approvals', 'show', id);
    expect(json.approval).toMatchObject({ decided_by: OWNER, reason: 'not this week' });
    const { json: told } = await office.cli('audit');
    expect(told.audit[0]).toMatchObject({ event: 'approval_decided', actor: OWNER, approval_id: id });
  });

  it('is decided at once where its time would be over before that', async () => {
    const { office, id, path } = await asked({
      'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, ttl_hours: 1 } },
    });
    const { json } = await office.cli('approvals', 'show', id);
    const before = await office.loggedIn();
    const soon = new Date(Date.parse(json.approval.expires_at) - 12_000).toISOString();
    await office.restart({ NODE_ENV: 'test', EPISTLE_TEST_NOW: soon });
    const owner = browserAt(office.url(), before.cookie());
    const hash = hashIn((await owner.get(path)).text);
    const pressed = await owner.press(`${path}/decide`, { say: 'deny', hash });
    expect([pressed.status, pressed.headers.location]).toEqual([303, path]);
    expect((await office.cli('approvals', 'show', id)).json.approval).toMatchObject({
      state: 'rejected',
      decided_by: OWNER,
    });
    expect((await owner.get(path)).text).not.toContain('Take it back');
  });

  it('tells on its page and in the record of a decision that came too late', async () => {
    const { office, id, path } = await asked();
    const owner = await office.loggedIn();
    const hash = hashIn((await owner.get(path)).text);
    expect(await owner.press(`${path}/decide`, { say: 'approve', hash })).toMatchObject({ status: 303 });
    expect(await office.cli('approvals', 'deny', id)).toMatchObject({ code: 0 });
    expect((await owner.get(path)).text).not.toContain('It is carried out');
    await onceRecorded(office.root, async () => {
      const { json } = await office.cli('audit');
      expect(json.audit).toContainEqual(
        expect.objectContaining({ event: 'decision_in_vain', actor: OWNER, approval_id: id, decision: 'approved' }),
      );
    });
    const { text } = await owner.get(path);
    expect(text).toContain(`Approved by ${OWNER}`);
    expect(text).toContain('too late');
    expect(await office.left('reply', CARL)).toEqual([]);
  });

  it('is for whoever may decide: not for a viewer, and not for the owner of another persona', async () => {
    const { office, path } = await asked({
      'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: ['bob@example.com'] },
    });
    const viewer = await office.loggedIn('--role', 'viewer');
    const { text } = await viewer.get(path);
    expect(text).toContain('You are here as viewer');
    const form = { say: 'approve', hash: /"arguments_hash": ?"?([0-9a-f]+)/.exec(text)?.[1] ?? 'x' };
    expect(await viewer.press(`${path}/decide`, form)).toMatchObject({ status: 403 });
    const bob = await office.loggedIn('--as', 'bob@example.com');
    expect((await bob.get(path)).status).toBe(404);
    expect((await bob.get('/approvals')).text).not.toContain('Carl');
    expect(await bob.press(`${path}/decide`, form)).toMatchObject({ status: 404 });
    expect(await bob.press(`${path}/take-back`)).toMatchObject({ status: 409 });
    expect(await office.states()).toEqual(['pending']);
  });

  it('offers behind ten yeses that such calls go without one from now on, to an owner alone', async () => {
    const office = await openConsole();
    open.office = office;
    for (const round of [1, 2]) {
      await office.ask(Array.from({ length: 5 }, (_, at) => mailTo(CARL, `Note ${round} ${at}`)).join('\n'));
      await office.answer(await office.arrival('approval', OWNER, round), 'yes to all');
      await onceRecorded(office.root, async () => {
        expect(await office.states()).toEqual(Array.from({ length: round * 5 }, () => 'executed'));
      });
    }
    await office.ask(mailTo(CARL, 'The eleventh'));
    const { json } = await office.cli('approvals', 'list', '--status', 'pending');
    const [{ id, persona }] = json.approvals;
    const path = `/approvals/${persona}/${id}`;
    const operator = await office.loggedIn('--role', 'operator');
    const theirs = await operator.get(path);
    expect(theirs.text).not.toContain('from_now_on');
    const form = { say: 'from_now_on', hash: hashIn(theirs.text) };
    expect(await operator.press(`${path}/decide`, form)).toMatchObject({ status: 422 });
    const owner = await office.loggedIn();
    const { text } = await owner.get(path);
    expect(text).toContain(`without asking: sending a mail (${CARL})`);
    expect(await owner.press(`${path}/decide`, form)).toMatchObject({ status: 303 });
    expect((await owner.get(path)).text).toContain('and from now on without asking');
    const rules = async () => (await office.cli('rules', 'list')).json.rules;
    expect(await rules()).toEqual([]);
    await onceRecorded(office.root, async () => {
      expect(await rules()).toMatchObject([{ effect: 'allow', whom: [CARL], said_by: OWNER, origin: 'approvals' }]);
    });
    await office.ask(mailTo(CARL, 'The twelfth'));
    expect((await office.cli('approvals', 'list', '--status', 'pending')).json.approvals).toEqual([]);
  });

  it('about what takes something away needs a log-in of the last five minutes', async () => {
    const office = await openConsole();
    open.office = office;
    await office.ask('/write_file {"path":"old.txt","content":"kept"}');
    await office.ask('/delete_file {"path":"old.txt"}');
    const { json } = await office.cli('approvals', 'list');
    const destructive = json.approvals.find(({ risk }: { risk: string }) => risk === 'destructive');
    const operator = await office.loggedIn('--role', 'operator');
    const path = `/approvals/${destructive.persona}/${destructive.id}`;
    const { text } = await operator.get(path);
    expect(text).toContain('takes something away');
    const refused = await operator.press(`${path}/decide`, { say: 'approve', hash: hashIn(text) });
    expect(refused).toMatchObject({ status: 403 });
    const owner = await office.loggedIn();
    // Six minutes later.
    const later = new Date(Date.now() + 6 * 60_000).toISOString();
    await office.restart({ NODE_ENV: 'test', EPISTLE_TEST_NOW: later });
    const still = browserAt(office.url(), owner.cookie());
    const seen = await still.get(path);
    expect(seen.status).toBe(200);
    const form = { say: 'approve', hash: hashIn(seen.text) };
    const notFresh = await still.press(`${path}/decide`, form);
    expect(notFresh).toMatchObject({ status: 403 });
    expect(notFresh.text).toContain('open it in this browser');
    expect(await still.press(`${path}/decide`, { ...form, say: 'deny' })).toMatchObject({ status: 303 });
    await office.restart({});
    const fresh = await office.loggedIn();
    await fresh.get(path);
    expect(await fresh.press(`${path}/take-back`)).toMatchObject({ status: 303 });
    expect(await fresh.press(`${path}/decide`, form)).toMatchObject({ status: 303 });
  });
});

describe('what was decided after the answer had left', () => {
  const NOW = {
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, answer: 'now' } },
  };
  const made = async (office: Awaited<ReturnType<typeof openConsole>>, ...names: readonly string[]) => {
    for (const name of names) await office.ask(`/write_file {"path":"${name}","content":"kept"}`);
    await office.ask(names.map((name) => `/delete_file {"path":"${name}"}`).join('\n'));
    const { json } = await office.cli('approvals', 'list', '--status', 'pending');
    const [{ id, persona }] = json.approvals;
    expect(await office.cli('approvals', 'approve', id)).toMatchObject({ code: 0 });
    return { id, path: `/approvals/${persona}/${id}` };
  };

  it('is undone on the page of its question', async () => {
    const office = await openConsole(NOW);
    open.office = office;
    const { path } = await made(office, 'old.txt');
    const owner = await office.loggedIn();
    const undo = await onceRecorded(office.root, async () => {
      const { text } = await owner.get(path);
      expect(text).toContain('Undo what was done');
      return /name="undo" value="([^"]+)"/.exec(text)?.[1] ?? '';
    });
    expect(await owner.press(`${path}/undo`, { undo })).toMatchObject({ status: 303 });
    await onceRecorded(office.root, async () => {
      expect((await owner.get(path)).text).not.toContain('Undo what was done');
      expect((await office.cli('audit')).json.audit[0]).toMatchObject({ event: 'undo' });
    });
  });

  it('is undone by the id of its question, all calls of it', async () => {
    const office = await openConsole(NOW);
    open.office = office;
    const { id } = await made(office, 'a.txt', 'b.txt');
    await onceRecorded(office.root, async () => {
      expect((await office.cli('approvals', 'show', id)).json.approval.state).toBe('executed');
    });
    expect(await office.cli('approvals', 'undo', id)).toMatchObject({ code: 0 });
    await onceRecorded(office.root, async () => {
      const { json } = await office.cli('audit');
      const undone = json.audit.filter(({ event }: { event: string }) => event === 'undo');
      expect(undone).toHaveLength(2);
    });
  });
});
