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
