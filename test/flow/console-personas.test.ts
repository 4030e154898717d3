import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest } from './at-rest.ts';
import { type Browser, openConsole } from './console-rig.ts';
import { CARL, MEMBER, mailTo, OWNER } from './governance-rig.ts';

const HOSTILE = `<script>alert(1)</script>"><img src=x onerror=alert(2)>`;
const BOB = 'bob@example.com';
const FILE = 'personas/ada/persona.json';
/** With an order and a spacing of its own. */
const ADA = `{
  "name": ${JSON.stringify(`Ada ${HOSTILE}`)},
  "address": "ada@agents.localhost",

  "budget": { "usd_per_day": 2 },
  "access": { "allow": ["*@member.example"] },
  "tools": { "deny": ["web_fetch"] }
}
`;

let office: Awaited<ReturnType<typeof openConsole>>;
let owner: Browser;
beforeAll(async () => {
  office = await openConsole({
    [FILE]: ADA,
    'personas/cara/persona.json': { name: HOSTILE, address: 7 },
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: [BOB] },
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      tool_policy: {
        tools: { delete_file: 'deny' },
        rules: [{ tool: 'send_email', when: { to: '*@office.example' }, decision: 'allow' }],
      },
    },
  });
  await office.ask(mailTo(CARL, 'Offer'));
  await office.ask(mailTo(CARL, 'Another'));
  const { json } = await office.cli('approvals', 'list');
  await office.cli('approvals', 'deny', json.approvals[0].id);
  const rule = { quote: 'From now on never promise a date for the drawings.', effect: 'words', tools: [], whom: [] };
  await office.ask(`/remember_rule ${JSON.stringify(rule)}`, OWNER);
  await atRest(office.root);
  owner = await office.loggedIn();
}, 180_000);
afterAll(() => office?.close());

interface AuditRow {
  readonly event: string;
  readonly actor: string;
  readonly detail: object;
}
const told = async (event: string): Promise<readonly Pick<AuditRow, 'actor' | 'detail'>[]> =>
  (await office.cli('audit')).json.audit
    .filter((row: AuditRow) => row.event === event)
    .map(({ actor, detail }: AuditRow) => ({ actor, detail }));

/** What was done to personas: who comes into the console stands there, too. */
const audited = async (): Promise<number> =>
  (await office.cli('audit', '--limit', '500')).json.audit.filter(
    ({ persona }: { persona: string | null }) => persona !== null,
  ).length;

/** What the cells of a row say, for an owner, a member, somebody known and a stranger. */
function cellsOf(text: string, head: string): readonly string[] {
  const row = text.split('<tr>').find((one) => one.startsWith(`<th scope="row"`) && one.includes(head)) ?? '';
  return [...row.matchAll(/<td><span class="\w+">(\w+)<\/span><\/td>/g)].map(([, word]) => word ?? '');
}

describe('the screen of personas', () => {
  it('lists those of the viewer with what they cost, what waits, and their state', async () => {
    const { text } = await owner.get('/personas');
    expect(text).toContain('href="/personas/ada"');
    expect(text).toContain('of $2.00, ');
    expect(text).toContain('1 for you');
    expect(text).not.toContain('Ben');
    expect(text).not.toMatch(/<script>|<img/);
    const bob = await office.loggedIn('--as', BOB);
    const his = (await bob.get('/personas')).text;
    expect(his).toContain('ben@agents.localhost');
    expect(his).toContain('no budget for a day');
    expect(his).not.toContain('Ada');
    expect((await bob.get('/personas/ada')).status).toBe(404);
  });

  it('says what it may for whom, by the code that governs calls', async () => {
    const { text } = await owner.get('/personas/ada');
    expect(cellsOf(text, '<code>shell:write</code>')).toEqual(['no', 'no', 'no', 'no']);
    expect(cellsOf(text, 'reading a file')).toEqual(['yes', 'yes', 'no', 'no']);
    expect(cellsOf(text, 'to owners alone')).toEqual(['yes', 'yes', 'no', 'no']);
    expect(cellsOf(text, '*@office.example')).toEqual(['yes', 'yes', 'no', 'no']);
    expect(cellsOf(text, 'mail:create</code></span></th>')).toHaveLength(4);
    expect(text).toContain('denied for every persona');
    expect(text).toContain('its file denies it');
    // What a member asked for above was asked about.
    const mail = text.split('<tr>').find((one) => one.includes('mail:create') && one.includes('asks'));
    expect(mail).toBeDefined();
  });

  it('shows trust, rules, the parts of the last prompt, and what it remembers', async () => {
    const { text } = await owner.get('/personas/ada');
    expect(text).toContain('2 times');
    expect(text).toContain('0 approved; 1 denied; 1 open');
    expect(text).toContain('never promise a date for the drawings');
    expect(text).toContain('The figures of the parts are estimates.');
    expect(text).toContain('What people tell it of themselves stands here');
    expect(text).not.toMatch(/<script>|<img/);
  });
});

describe('a persona in the console', () => {
  it('is paused and goes on in the name of who pressed it, as by the command', async () => {
    expect(await owner.press('/personas/ada/resume')).toMatchObject({ status: 409 });
    expect(await owner.press('/personas/ada/pause')).toMatchObject({ status: 303 });
    expect(await owner.press('/personas/ada/pause')).toMatchObject({ status: 409 });
    expect((await office.cli('persona', 'list')).json.personas[0]).toMatchObject({ id: 'ada', state: 'paused' });
    await office.post({ from: MEMBER, subject: 'Later', text: 'Hi' });
    await atRest(office.root);
    expect((await owner.get('/personas')).text).toContain('paused');
    expect((await owner.get('/personas/ada')).text).toContain('1 mail waits for that.');
    // An owner has said STOP meanwhile: that is not what the page showed.
    expect(await owner.press('/personas/ada/resume', { state: 'stopped' })).toMatchObject({ status: 409 });
    expect(await owner.press('/personas/ada/resume', { state: 'paused' })).toMatchObject({ status: 303 });
    await atRest(office.root);
    const subjects = async () => (await office.left('reply', MEMBER)).map(({ mail }) => mail.subject);
    await expect.poll(subjects, { timeout: 60_000 }).toContain('Re: Later');
    await office.cli('persona', 'pause', 'ada');
    await office.cli('persona', 'resume', 'ada');
    const both = ['cli', OWNER].map((actor) => ({ actor, detail: {} }));
    expect(await told('persona_paused')).toEqual(both);
    expect(await told('persona_resumed')).toEqual(both);
  });

  it('has a budget that is written into its file alone, and not over what somebody else wrote', async () => {
    const was = { was_usd_per_day: '2', was_usd_per_run: '', was_tokens_per_run: '', was_runs_per_day: '' };
    const rest = { ...was, was_runs_per_sender_per_hour: '', usd_per_run: '', tokens_per_run: '' };
    const form = { ...rest, runs_per_sender_per_hour: '', usd_per_day: '3.5', runs_per_day: '40' };
    for (const wrong of ['-1', 'x', '1e9', '0x10', '1,5', ' ', '9'.repeat(40)].filter((one) => one.trim() !== ''))
      expect([wrong, (await owner.press('/personas/ada/budget', { ...form, usd_per_day: wrong })).status]).toEqual([
        wrong,
        422,
      ]);
    expect(await owner.press('/personas/ada/budget', { usd_per_day: '1' })).toMatchObject({ status: 422 });
    expect(await owner.press('/personas/ada/budget', { ...form, was_usd_per_day: '1' })).toMatchObject({ status: 409 });
    expect(readFileSync(join(office.root, FILE), 'utf8')).toBe(ADA);
    expect(await owner.press('/personas/ada/budget', form)).toMatchObject({ status: 303 });
    const written = readFileSync(join(office.root, FILE), 'utf8');
    expect(written.replace(/"budget": \{[^}]*\}/, '')).toBe(ADA.replace(/"budget": \{[^}]*\}/, ''));
    expect(JSON.parse(written).budget).toEqual({ usd_per_day: 3.5, runs_per_day: 40 });
    expect((await owner.get('/personas/ada')).text).toContain('value="3.5"');
    // The same form once more is about a file that is no more.
    expect(await owner.press('/personas/ada/budget', form)).toMatchObject({ status: 409 });
    const change = { usd_per_day: { from: 2, to: 3.5 }, runs_per_day: { from: null, to: 40 } };
    expect(await told('budget_set')).toEqual([{ actor: OWNER, detail: change }]);
    await office.cli('config', 'set', 'persona/ada', 'budget.usd_per_day', '4');
    await expect
      .poll(async () => (await owner.get('/personas')).text.includes('of $4.00, '), { timeout: 30_000 })
      .toBe(true);
  });

  it('has a rule that is taken back there once, as by the command', async () => {
    const [, path = ''] =
      /action="(\/personas\/ada\/rules\/[^"]+\/end)"/.exec((await owner.get('/personas/ada')).text) ?? [];
    expect(path).not.toBe('');
    expect(await owner.press(path)).toMatchObject({ status: 303 });
    expect(await owner.press(path)).toMatchObject({ status: 409 });
    expect(await owner.press('/personas/ada/rules/none/end')).toMatchObject({ status: 404 });
    expect((await office.cli('rules', 'list')).json.rules).toEqual([]);
    expect((await office.cli('rules', 'list', '--all')).json.rules).toMatchObject([{ ended_by: OWNER }]);
    expect((await told('rule_ended'))[0]).toMatchObject({ actor: OWNER });
    expect((await owner.get('/personas/ada')).text).toContain(`by ${OWNER}`);
  });

  it('is for its owners alone, in a session that may do it', async () => {
    const text = () => readFileSync(join(office.root, FILE), 'utf8');
    const before = [text(), await audited()];
    const bob = await office.loggedIn('--as', BOB);
    const form = { was_usd_per_day: '4', usd_per_day: '9' };
    for (const act of ['pause', 'resume', 'budget', 'rules/x/end']) {
      expect([act, (await bob.press(`/personas/ada/${act}`, form)).status]).toEqual([act, 404]);
      for (const role of ['viewer', 'operator']) {
        const browser = await office.loggedIn('--role', role);
        expect((await browser.get('/personas/ada')).text).toContain(`You are here as ${role}`);
        expect([act, (await browser.press(`/personas/ada/${act}`, form)).status]).toEqual([act, 403]);
      }
      expect((await owner.send(`/personas/ada/${act}`, { method: 'POST', form })).status).toBe(403);
      for (const id of ['nobody', '__proto__', '..%2Fada', 'ADA', 'ada@agents.localhost'])
        expect([id, act, (await owner.press(`/personas/${id}/${act}`, form)).status]).toEqual([id, act, 404]);
    }
    for (const path of ['/personas/nobody', '/personas/constructor', '/personas/ben', '/personas/%00'])
      expect([path, (await owner.get(path)).status]).toEqual([path, 404]);
    for (const query of ['?after=%27', '?q=%3Cscript%3E', '?after=zzz&q=%25']) {
      const found = await owner.get(`/personas${query}`);
      expect(found.status).toBe(200);
      expect(found.text).not.toContain('<script>');
    }
    // Who owns a persona does not pay for it.
    const his = await bob.get('/personas/ben');
    expect(his.text).toContain('said by the owners of the gateway');
    expect(his.text).not.toContain('/personas/ben/budget');
    const own = readFileSync(join(office.root, 'personas/ben/persona.json'), 'utf8');
    expect((await bob.press('/personas/ben/budget', { was_usd_per_day: '', usd_per_day: '9' })).status).toBe(403);
    expect(readFileSync(join(office.root, 'personas/ben/persona.json'), 'utf8')).toBe(own);
    expect([text(), await audited()]).toEqual(before);
  });

  it('whose files are wrong says what is wrong, and can be paused all the same', async () => {
    const { text } = await owner.get('/personas/cara');
    expect(text).toContain('Its files are wrong');
    expect(text).toContain('Nobody knows before its files are mended.');
    expect(text).not.toMatch(/<script>|<img/);
    expect((await owner.get('/personas')).text).toContain('its files are wrong');
    expect(await owner.press('/personas/cara/pause')).toMatchObject({ status: 303 });
    expect(await owner.press('/personas/cara/resume', { state: 'paused' })).toMatchObject({ status: 303 });
    expect((await owner.press('/personas/cara/budget', { usd_per_day: '1', was_usd_per_day: '' })).status).toBe(422);
  });
});
