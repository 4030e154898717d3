import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { browserAt, openConsole } from './console-rig.ts';
import { CARL, MEMBER, mailTo, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

const open: { office?: Awaited<ReturnType<typeof openConsole>> } = {};
afterEach(() => open.office?.close());

const BEN = {
  'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: ['bob@example.com'] },
};
const HOSTILE = '</textarea><script>alert(1)</script>';
const fieldIn = (text: string, name: string): string | undefined =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1];
const hashIn = (text: string): string => /name="hash" value="([0-9a-f]+)"/.exec(text)?.[1] ?? '';

const KEPT = 'The harbour office opens at seven';

/** The one thing that is remembered, so many times more. */
function copyFact(root: string, times: number): void {
  const database = new SQLite(join(root, 'data/personas/ada/persona.db'));
  const [fact] = database.prepare<[], Record<string, unknown>>('select * from facts').all();
  const { seq: _, ...row } = fact ?? {};
  const names = Object.keys(row);
  const insert = database.prepare(
    `insert into facts (${names.join(', ')}) values (${names.map((name) => `@${name}`).join(', ')})`,
  );
  database.transaction(() => {
    for (let at = 0; at < times; at += 1)
      insert.run({ ...row, id: `${row.id}-${times}-${at}`, hash: `${row.hash}-${times}-${at}` });
  })();
  database.close();
}

async function asked(subject: string, files: Readonly<Record<string, string | object>> = {}) {
  const office = await openConsole({ ...BEN, ...files });
  open.office = office;
  await office.ask(mailTo(CARL, subject));
  const { json } = await office.cli('approvals', 'list');
  const [{ id, persona }] = json.approvals;
  return { office, path: `/approvals/${persona}/${id}` };
}

describe('a question whose call is changed in the console', () => {
  it('is checked as a call of the persona is, and asked about anew', async () => {
    const { office, path } = await asked(HOSTILE);
    const owner = await office.loggedIn();
    const { text } = await owner.get(path);
    expect(text).toContain('name="arg.subject"');
    expect(text).not.toContain(HOSTILE);
    const hash = hashIn(text);
    const refused: readonly (readonly [Record<string, string>, number, string])[] = [
      [{ hash: 'other', 'arg.subject': 'Better' }, 409, 'not what you were shown'],
      [{ hash }, 422, 'Nothing was changed'],
      [{ hash, all: '[1]' }, 422, 'no JSON object'],
      // What the tool does not take, nobody gets past it by typing.
      [{ hash, 'arg.to': '' }, 422, 'it is refused'],
      [{ hash, all: '{"to":["carl@elsewhere.example"],"nonsense":true}' }, 422, 'it is refused'],
    ];
    for (const [form, status, said] of refused) {
      const pressed = await owner.press(`${path}/edit`, form);
      expect({ form, status: pressed.status }).toEqual({ form, status });
      expect(pressed.text).toContain(said);
    }
    const noToken = await owner.send(`${path}/edit`, { method: 'POST', form: { hash, 'arg.subject': 'Better' } });
    expect(noToken.status).toBe(403);
    const viewer = await office.loggedIn('--role', 'viewer');
    expect((await viewer.get(path)).text).not.toContain('Change it');
    expect(await viewer.press(`${path}/edit`, { hash, 'arg.subject': 'Better' })).toMatchObject({ status: 403 });
    const bob = await office.loggedIn('--as', 'bob@example.com');
    expect(await bob.press(`${path}/edit`, { hash, 'arg.subject': 'Better' })).toMatchObject({ status: 404 });
    expect(await office.states()).toEqual(['pending']);

    const done = await owner.press(`${path}/edit`, { hash, 'arg.subject': 'Better', 'arg.body': 'One\r\ntwo' });
    expect(done.status).toBe(303);
    expect(await office.states()).toEqual(['stale', 'pending']);
    const { json } = await office.cli('approvals', 'show', 'last');
    expect(json.approval.arguments).toMatchObject({ to: [CARL], subject: 'Better', body: 'One\ntwo' });
    const { json: told } = await office.cli('audit');
    expect(told.audit[0]).toMatchObject({
      event: 'approval_edited',
      actor: OWNER,
      detail: { keys: ['body', 'subject'] },
    });
    // The old one is closed, and the new one is a question like any other.
    expect(await owner.press(`${path}/edit`, { hash, 'arg.subject': 'Other' })).toMatchObject({ status: 409 });
    expect((await owner.get(String(done.headers.location))).text).toContain('data-deed="approve"');
  });

  it('is approved with the owner’s own words where those count, in ten seconds in which it can be taken back', async () => {
    const { office, path } = await asked('Offer', {
      'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, own_words: 'count' } },
    });
    const owner = await office.loggedIn();
    const hash = hashIn((await owner.get(path)).text);
    const done = await owner.press(`${path}/edit`, { hash, 'arg.subject': 'Better' });
    const to = String(done.headers.location);
    expect((await owner.get(to)).text).toContain('Take it back');
    expect(await owner.press(`${to}/take-back`)).toMatchObject({ status: 303 });
    expect(await office.states()).toEqual(['stale', 'pending']);
    const again = await owner.press(`${to}/edit`, { hash: hashIn((await owner.get(to)).text), 'arg.subject': 'Best' });
    expect(again.status).toBe(303);
    await onceRecorded(office.root, async () => {
      expect(await office.left('reply', CARL)).toMatchObject([{ mail: { subject: 'Best' } }]);
    });
    // Nobody is asked by mail about what was decided with its own words.
    const mailed = (await office.left('approval')).map(({ mail }) => mail.text ?? '');
    expect(mailed.filter((text) => text.includes('Best'))).toEqual([]);
  });
});

describe('two deletions that are one question', () => {
  it('are asked about one by one in the console, one is done and undone there, and only by an owner', async () => {
    const office = await openConsole(BEN);
    open.office = office;
    for (const path of ['a.txt', 'b.txt']) await office.ask(`/write_file {"path":"${path}","content":"kept"}`);
    await office.ask('/delete_file {"path":"a.txt"}\n/delete_file {"path":"b.txt"}');
    const { json } = await office.cli('approvals', 'list');
    const [{ id, persona }] = json.approvals;
    const path = `/approvals/${persona}/${id}`;
    const operator = await office.loggedIn('--role', 'operator');
    const { text } = await operator.get(path);
    expect(text).toContain('Ask about each by itself');
    const viewer = await office.loggedIn('--role', 'viewer');
    expect(await viewer.press(`${path}/split`, { hash: hashIn(text) })).toMatchObject({ status: 403 });
    expect(await operator.press(`${path}/split`, { hash: hashIn(text) })).toMatchObject({ status: 303 });
    expect(await operator.press(`${path}/split`, { hash: hashIn(text) })).toMatchObject({ status: 409 });
    expect((await office.states()).toSorted()).toEqual(['pending', 'pending', 'stale']);

    const { json: two } = await office.cli('approvals', 'list', '--status', 'pending');
    const items = two.approvals as { id: string; arguments: { path: string } }[];
    const pathOf = (name: string) => `/approvals/${persona}/${items.find((one) => one.arguments.path === name)?.id}`;
    const decide = async (name: string, say: string, who: typeof operator) =>
      who.press(`${pathOf(name)}/decide`, { say, hash: hashIn((await who.get(pathOf(name))).text) });
    expect(await decide('a.txt', 'approve', operator)).toMatchObject({ status: 403 });
    const owner = await office.loggedIn();
    expect(await decide('a.txt', 'approve', owner)).toMatchObject({ status: 303 });
    expect(await decide('b.txt', 'deny', owner)).toMatchObject({ status: 303 });
    const done = await onceRecorded(office.root, async () => {
      const page = await owner.get(pathOf('a.txt'));
      expect(page.text).toContain('Undo what was done');
      return page;
    });
    const undo = /name="undo" value="([^"]+)"/.exec(done.text)?.[1] ?? '';
    expect(await operator.press(`${pathOf('a.txt')}/undo`, { undo })).toMatchObject({ status: 403 });
    const bob = await office.loggedIn('--as', 'bob@example.com');
    expect(await bob.press(`${pathOf('a.txt')}/undo`, { undo })).toMatchObject({ status: 404 });
    expect(await owner.press(`${pathOf('b.txt')}/undo`, { undo })).toMatchObject({ status: 409 });
    expect(await owner.press(`${pathOf('a.txt')}/undo`, { undo })).toMatchObject({ status: 303 });
    await onceRecorded(office.root, async () => {
      const { json: told } = await office.cli('audit');
      expect(told.audit).toContainEqual(expect.objectContaining({ event: 'undo_requested', actor: OWNER }));
      expect((await office.cli('audit')).json.audit[0]).toMatchObject({ event: 'undo' });
    });
    expect((await owner.get(pathOf('a.txt'))).text).not.toContain('Undo what was done');
  });
});

const FAY = 'fay@evil.example';
const at = (address: string): string => `/people/${encodeURIComponent(address)}`;

describe('what an owner does to mail, people, runs and budgets in the console', () => {
  it('is an owner’s alone, is about what is theirs, and stands in the log under their name', async () => {
    const office = await openConsole({
      ...BEN,
      'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 } },
    });
    open.office = office;
    await office.ask('Hello', FAY, HOSTILE);
    await office.ask(mailTo(CARL, 'Offer'));
    const newest = async (): Promise<string> => (await office.cli('mail', 'list', '--refused')).json.mails[0].id;
    const id = await newest();
    const [{ id: run }] = (await office.cli('runs', 'list')).json.runs;
    const acts: readonly (readonly [string, Record<string, string>])[] = [
      [`/mail/${id}/allow`, {}],
      [`/mail/${id}/take-in`, {}],
      [`/mail/${id}/private`, {}],
      [`/runs/ada/${run}/cancel`, {}],
      [`/runs/ada/${run}/retry`, {}],
      [`${at(FAY)}/allow`, { persona: 'ada' }],
      [`${at(FAY)}/block`, { persona: 'ada' }],
      [`${at(MEMBER)}/forget`, { persona: 'ada' }],
      ['/costs/budget', { persona: 'ada', usd: '2' }],
    ];
    // Who comes into the console stands there, too, as of no persona.
    const audited = async (): Promise<number> =>
      (await office.cli('audit', '--limit', '500')).json.audit.filter(
        ({ persona }: { persona: string | null }) => persona !== null,
      ).length;
    const before = await audited();
    const operator = await office.loggedIn('--role', 'operator');
    const bob = await office.loggedIn('--as', 'bob@example.com');
    const owner = await office.loggedIn();
    for (const [path, form] of acts) {
      expect({ path, status: (await operator.press(path, form)).status }).toEqual({ path, status: 403 });
      const byBob = (await bob.press(path, form)).status;
      expect({ path, status: byBob }).toEqual({ path, status: path === '/costs/budget' ? 403 : 404 });
      const noToken = await owner.send(path, { method: 'POST', form });
      expect({ path, status: noToken.status }).toEqual({ path, status: 403 });
    }
    // A pattern in an address of a page is nobody, and a rule about oneself locks one out.
    expect(await owner.press(`${at('*@evil.example')}/allow`, { persona: 'ada' })).toMatchObject({ status: 404 });
    expect(await owner.press(`${at(FAY)}/allow`, { persona: 'ben' })).toMatchObject({ status: 404 });
    // By the rules as they are it is refused as before.
    expect(await owner.press(`/mail/${id}/take-in`)).toMatchObject({ status: 409 });
    expect(await owner.press(`/runs/ada/${run}/retry`)).toMatchObject({ status: 409 });
    for (const usd of ['two', '-1', '1e9'])
      expect(await owner.press('/costs/budget', { persona: 'ada', usd })).toMatchObject({ status: 422 });
    expect(await audited()).toBe(before);

    const { text } = await owner.get(`/mail/${id}`);
    expect(text).toContain(`Let ${FAY} write`);
    expect(text).not.toContain(HOSTILE);
    const allowed = await owner.press(`/mail/${id}/allow`);
    expect(allowed.status).toBe(303);
    expect((await owner.get(String(allowed.headers.location))).text).not.toContain(`Let ${FAY} write`);
    expect(await owner.press(`${at(FAY)}/block`, { persona: 'ada' })).toMatchObject({ status: 303 });
    expect((await owner.get(at(FAY))).text).toContain('kept out');
    expect(await owner.press(`/runs/ada/${run}/cancel`)).toMatchObject({ status: 303 });
    expect(await owner.press(`/runs/ada/${run}/cancel`)).toMatchObject({ status: 409 });
    const again = await owner.press(`/runs/ada/${run}/retry`);
    expect(again.status).toBe(303);
    expect(await owner.press(`/runs/ada/${run}/retry`)).toMatchObject({ status: 409 });
    expect((await owner.get(`/runs/ada/${run}/replay`)).text).toContain('It is the same');
    expect((await bob.get(`/runs/ada/${run}/replay`)).status).toBe(404);
    const issue = (await office.cli('runs', 'issue', run)).json.issue;
    expect(issue).toMatch(/^Epistle \d+\.\d+\.\d+, Node /);
    for (const somebody of ['example.com', 'ada', 'budget']) expect(issue).not.toContain(somebody);
    expect((await owner.get(`/runs/ada/${run}/issue`)).text).toContain(issue);
    expect((await owner.get(`${at(MEMBER)}/export`)).text).toContain('Nothing is remembered');
    expect((await bob.get(`${at(MEMBER)}/export`)).status).toBe(404);
    const shown = {
      persona: 'ada',
      usd: '2,50',
      was_ada: fieldIn((await owner.get('/costs')).text, 'was_ada') ?? 'none',
    };
    expect(await owner.press('/costs/budget', shown)).toMatchObject({ status: 303 });
    // Another owner was shown what was there before: unseen, nothing is written over.
    expect(await owner.press('/costs/budget', { ...shown, usd: '9' })).toMatchObject({ status: 409 });
    expect(await owner.press('/costs/budget', { persona: 'ada', usd: '9' })).toMatchObject({ status: 409 });
    expect((await office.cli('persona', 'show', 'ada')).json.persona.budget.usd_per_day).toBe(2.5);
    const { audit } = (await office.cli('audit')).json as {
      audit: { event: string; actor: string; decision: string; persona: string | null }[];
    };
    const done = audit
      .filter(({ actor, persona }) => actor === OWNER && persona !== null)
      .map(({ event, decision }) => decision ?? event);
    expect(done.toReversed()).toEqual([
      'allow',
      'mail_taken_in',
      'block',
      'run_cancelled',
      // What the run still asked.
      'stale',
      'run_retried',
      'budget_set',
    ]);
  });

  it('says what is wrong where the file that it would write has a fault, and writes nothing', async () => {
    const office = await openConsole({ ...BEN, 'configs/security.json': { owners: [OWNER] } });
    open.office = office;
    await office.ask('Hello', FAY, 'Offer');
    const id = (await office.cli('mail', 'list', '--refused')).json.mails[0].id;
    const owner = await office.loggedIn();
    const was_ada = fieldIn((await owner.get('/costs')).text, 'was_ada') ?? 'none';
    const broken = '{ "name": "Ada", "address": "ada@agents.localhost" "access": {} }';
    office.workspace.write('personas/ada/persona.json', broken);
    for (const [path, form] of [
      [`${at(FAY)}/allow`, { persona: 'ada' }],
      [`${at(FAY)}/block`, { persona: 'ada' }],
      [`/mail/${id}/allow`, {}],
      ['/costs/budget', { persona: 'ada', usd: '3', was_ada }],
    ] as const) {
      const refused = await owner.press(path, form);
      expect([path, [409, 422].includes(refused.status)]).toEqual([path, true]);
      if (refused.status === 422) expect(refused.text).toContain('personas/ada/persona.json');
    }
    expect(readFileSync(join(office.root, 'personas/ada/persona.json'), 'utf8')).toBe(broken);
  });

  it('says why a conversation stays private, and not that there is none', async () => {
    const office = await openConsole({
      'configs/system.json': {
        console: { enabled: true, screens: true, port: 0 },
        log: { level: 'warn', format: 'json' },
        memory: { close_after_days: 1 },
      },
    });
    open.office = office;
    await office.ask('Hello');
    const [{ id }] = (await office.cli('mail', 'list')).json.mails;
    const owner = await office.loggedIn();
    expect(await owner.press(`/mail/${id}/private`)).toMatchObject({ status: 303 });
    let still = owner;
    // Longer than a day, and never so long that the session ends of itself.
    for (let times = 0; times < 3; times += 1) {
      await office.later(11);
      still = browserAt(office.url(), still.cookie());
      await still.get('/mail');
    }
    const refused = await still.press(`/mail/${id}/private`, { off: 'yes' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('stays private');
  });

  it('is the end of a run that waits for something else than an owner, too', async () => {
    const office = await openConsole({
      'personas/ada/persona.json': {
        name: 'Ada',
        address: 'ada@agents.localhost',
        access: { allow: ['*@member.example'] },
        budget: { runs_per_day: 1 },
      },
    });
    open.office = office;
    await office.ask('Hello');
    await office.post({ from: MEMBER, subject: 'Another', text: 'Hello again' });
    const run = await onceRecorded(office.root, async () => {
      const [newest] = (await office.cli('runs', 'list')).json.runs;
      expect(newest).toMatchObject({ status: 'deferred' });
      return newest;
    });
    const owner = await office.loggedIn();
    const path = `/runs/ada/${run.id}`;
    const { text } = await owner.get(path);
    expect(text).toContain('End it');
    expect(text).not.toContain('Replay and compare');
    expect(await owner.press(`${path}/cancel`)).toMatchObject({ status: 303 });
    expect((await owner.get(path)).text).toContain('Replay and compare');
  });

  it('is not done by whoever was put out while the form was on its way', async () => {
    const office = await openConsole();
    open.office = office;
    const owner = await office.loggedIn();
    const { hostname, port, host, origin } = new URL(office.url());
    const body = new URLSearchParams({ form: owner.formToken(), persona: 'ada', usd: '3', was_ada: '' }).toString();
    const answered = Promise.withResolvers<number>();
    const asked = request(
      {
        hostname,
        port,
        path: '/costs/budget',
        method: 'POST',
        agent: false,
        headers: {
          host,
          origin,
          cookie: owner.cookie(),
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        },
      },
      (response) => answered.resolve(response.resume().statusCode ?? 0),
    );
    asked.on('error', answered.reject);
    asked.write(body.slice(0, 20));
    await office.cli('console', '--log-out');
    asked.end(body.slice(20));
    expect(await answered.promise).toBe(401);
  });

  it('needs a log-in of the last five minutes where something is forgotten', async () => {
    const office = await openConsole(BEN);
    open.office = office;
    await office.ask('Hello');
    const [{ id }] = (await office.cli('mail', 'list')).json.mails;
    const owner = await office.loggedIn();
    const later = new Date(Date.now() + 6 * 60_000).toISOString();
    await office.restart({ NODE_ENV: 'test', EPISTLE_TEST_NOW: later });
    const still = browserAt(office.url(), owner.cookie());
    await still.get('/mail');
    const acts = [
      [`/mail/${id}/private`, {}],
      [`${at(MEMBER)}/forget`, { persona: 'ada' }],
    ] as const;
    for (const [path, form] of acts) {
      const refused = await still.press(path, form);
      expect({ path, status: refused.status }).toEqual({ path, status: 403 });
      expect(refused.text).toContain('less than five minutes old');
    }
    await office.restart({});
    const fresh = await office.loggedIn();
    for (const [path, form] of acts)
      expect({ path, status: (await fresh.press(path, form)).status }).toEqual({ path, status: 303 });
    expect((await fresh.get(`/mail/${id}`)).text).toContain('It is private');
  });
});

describe('what is remembered of somebody', () => {
  it('stands there to keep, and says so where it is not all of it', async () => {
    const ada = { name: 'Ada', address: 'ada@agents.localhost', memory: { facts: true } };
    const office = await openConsole({ 'personas/ada/persona.json': ada });
    open.office = office;
    await office.ask(`/remember ${JSON.stringify({ text: KEPT, quote: KEPT, kind: 'state' })}\n${KEPT}.`, OWNER);
    const owner = await office.loggedIn();
    const kept = async () => {
      const { text } = await owner.get(`/people/${encodeURIComponent(OWNER)}/export`);
      return { facts: text.split(`&quot;text&quot;: &quot;${KEPT}`).length - 1, isCut: text.includes('There is more') };
    };
    expect(await kept()).toEqual({ facts: 1, isCut: false });
    copyFact(office.root, 999);
    expect(await kept()).toEqual({ facts: 1000, isCut: false });
    copyFact(office.root, 1);
    expect(await kept()).toEqual({ facts: 1000, isCut: true });
  });
});
