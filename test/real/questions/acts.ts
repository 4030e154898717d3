import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { idOf, msOf } from '../../corpus/console/rows.ts';
import type { HeardMail } from '../../fakes/smtp-peer.ts';
import { eventually } from '../../flow/eventually.ts';
import type { Hands } from './hands.ts';
import { newKey, OLGA, type Peers, put, type Running } from './office.ts';
import { rawOf } from './rows.ts';

/** What somebody has at hand who does one of the acts in an office of its own. */
export interface Doing {
  readonly hands: Hands;
  readonly running: Running;
  readonly peers: Peers;
  /** What has left since. */
  left(to?: string): readonly HeardMail[];
  /** The same page once more in another tab, after this one is closed. */
  reopened(): Promise<Hands>;
  page(): Page;
}

type Row = Readonly<Record<string, unknown>>;
/** Waits until what is on record is so. */
const until = <Answer>(ask: () => Answer, isSo: (answer: Answer) => boolean, ms = 15_000): Promise<Answer> =>
  eventually(ask, isSo, ms);
/** A decision is carried out ten seconds later. */
const CARRIED_OUT_MS = 25_000;
const NORA = 'nora.vale@valehomes.example.com';
const SLIP = 'nora.vale@valehome.example.com';

const file = ({ running }: Doing, path: string): string => readFileSync(join(running.root, path), 'utf8');
const jsonOf = (doing: Doing, path: string) => JSON.parse(file(doing, path));
const ofMail = ({ running }: Doing, id: string, column = 'message_id'): readonly Row[] =>
  running.read('gateway', `select * from seen where ${column} = '${idOf(id)}' and direction = 'in' order by id`);
const runOf = (doing: Doing, persona: 'ada' | 'ben', id: string): readonly Row[] =>
  doing.running.read(persona, `select * from runs where message_id = '${idOf(id)}' order by created_at`);
const written = (doing: Doing, path: string) => existsSync(join(doing.running.root, 'data/personas/ada/files', path));
const audited = ({ running }: Doing, event: string): readonly Row[] => [
  ...running.read('ada', `select * from audit_log where event = '${event}' order by at`),
  ...running.read('ben', `select * from audit_log where event = '${event}' order by at`),
];
const asks = ({ running }: Doing, persona: 'ada' | 'ben', tool: string): readonly Row[] =>
  running.read(persona, `select * from approvals where tool = '${tool}' and id > '0' and id < 'k' order by created_at`);
/** What has left but for what owners are told by the gateway itself. */
const answers = (doing: Doing): readonly HeardMail[] =>
  doing.left().filter(({ raw }) => !/^X-Epistle-Kind: notice/im.test(raw));
const mailFrom = (from: string, to: string, id: string, text = 'Hello.') =>
  rawOf({ id, from, to, subject: `A mail ${id}`, text, time: new Date(Date.now()).toISOString() } as never);

/** What people do at the console, by the id of questions.json: what they press, and what that has to leave. */
export const ACTS: Readonly<Record<string, (doing: Doing) => Promise<void>>> = {
  async a01(doing) {
    const { go, follow, open, write, press, shows, key } = doing.hands;
    await go('a');
    await follow('Key dates for Mill Lane');
    await open('Change it');
    await write('to (one a line)', NORA);
    await press('Change');
    await shows(NORA);
    await key('a');
    await until(
      () => doing.left(NORA),
      (mails) => mails.length > 0,
      CARRIED_OUT_MS,
    );
    await until(
      () => runOf(doing, 'ada', 'm37'),
      ([run]) => run?.status === 'done',
    );
    await until(
      () => doing.left('bob@linden.example.org'),
      (mails) => mails.length > 0,
    );
    expect(doing.left(NORA)).toHaveLength(1);
    expect(doing.left(NORA)[0]?.raw).toContain('Visit: Thursday 3 December at nine. Drawings: not fixed yet.');
    expect(doing.left(SLIP)).toEqual([]);
    const questions = asks(doing, 'ada', 'send_email');
    expect(JSON.stringify(questions)).toContain(SLIP);
    expect(questions.at(-1)).toMatchObject({ state: 'executed', decided_by: OLGA });
    expect(audited(doing, 'approval_edited')).toContainEqual(expect.objectContaining({ actor: OLGA }));
  },
  async a02(doing) {
    const { go, follow, key, page } = doing.hands;
    await go('a');
    await follow('Invoice 2281');
    await key('e');
    await page.keyboard.type('This is a fraud, do not pay.');
    await key('Escape');
    // Nobody but Ben's model can tell her: its key works again.
    newKey(doing.peers, doing.running);
    await key('d');
    await until(
      () => asks(doing, 'ben', 'send_email'),
      ([one]) => one?.state === 'rejected',
      CARRIED_OUT_MS,
    );
    expect(asks(doing, 'ben', 'send_email')[0]).toMatchObject({
      decided_by: OLGA,
      reason: 'This is a fraud, do not pay.',
    });
    await until(
      () => doing.left('carol@linden.example.org'),
      (mails) => mails.length > 0,
      10_000,
    );
    expect(doing.left('billing@mole-tools-pay.example.net')).toEqual([]);
    expect(runOf(doing, 'ben', 'm34')[0]).toMatchObject({ status: 'done' });
    const told = doing.left('carol@linden.example.org')[0]?.raw.replaceAll('=\r\n', '');
    expect(told).toContain('Not done: mail to billing@mole-tools-pay.example.net');
    expect(told).toContain(OLGA);
    expect(told).toContain('This is a fraud, do not pay.');
  },
  async a03(doing) {
    const { go, follow, press, shows } = doing.hands;
    await go('a');
    await follow('delete 4 files');
    await press('Ask about each by itself');
    for (const [name, verdict] of [
      ['drafts/old-1.md', 'Approve'],
      ['drafts/old-2.md', 'Approve'],
      ['drafts/old-3.md', 'Approve'],
      ['drafts/brief.md', 'Deny'],
    ] as const) {
      await go('a');
      await follow(name);
      await press(verdict);
    }
    await until(
      () => asks(doing, 'ada', 'delete_file'),
      (rows) =>
        rows.filter(({ state }) => state === 'executed').length === 3 && rows.some(({ state }) => state === 'rejected'),
      CARRIED_OUT_MS,
    );
    expect(['old-1', 'old-2', 'old-3', 'brief'].map((one) => written(doing, `drafts/${one}.md`))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    await until(
      () => doing.left('sam@linden.example.org'),
      (mails) => mails.length > 0,
    );
    await go('r');
    await follow('Clear out the old drafts');
    await shows('drafts/old-1.md', 'can be taken back until 3 Dec 2026');
  },
  async a04(doing) {
    const { go, follow, key, press, shows, showsNot } = doing.hands;
    await go('a');
    await follow('Key dates for Mill Lane');
    await press('Approve');
    await shows('Take it back');
    await key('Escape');
    await until(
      () => doing.running.read('ada', "select * from audit_log where event = 'decision_taken_back'"),
      (rows) => rows.length === 1,
    );
    // Once more, and too late this time: the page is not taken up under somebody who has switched that off.
    await go('a');
    await shows('Key dates for Mill Lane', 'until 29 Nov 2026, 10:12');
    expect(doing.left(SLIP)).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    expect(doing.left(SLIP)).toEqual([]);
    expect(runOf(doing, 'ada', 'm37')[0]).toMatchObject({ status: 'waiting_approval' });
    await key('.');
    await follow('Key dates for Mill Lane');
    await press('Approve');
    await new Promise((resolve) => setTimeout(resolve, 11_500));
    await go('a');
    await follow('Key dates for Mill Lane');
    await shows(`approved, done by ${OLGA}`);
    await showsNot('Take it back');
  },
  async a05(doing) {
    const { go, follow, press } = doing.hands;
    await go('a');
    await follow('Key dates for Mill Lane');
    await press('Approve');
    const later = await doing.reopened();
    await until(
      () => doing.left(SLIP),
      (mails) => mails.length > 0,
      CARRIED_OUT_MS,
    );
    expect(doing.left(SLIP)).toHaveLength(1);
    await until(
      () => asks(doing, 'ada', 'send_email'),
      ([one]) => one?.state === 'executed',
    );
    await later.go('a');
    await later.follow('Key dates for Mill Lane');
    await later.shows(`approved, done by ${OLGA}`, /Decided 26 Nov 2026, 14:0/);
  },
  async a06(doing) {
    const { go, search, follow, press, shows } = doing.hands;
    await go('t');
    await follow('Running late');
    await press('Let bob.hale@post.example.net write');
    await until(
      () => doing.left('bob.hale@post.example.net'),
      (mails) => mails.length > 0,
    );
    expect(jsonOf(doing, 'personas/ada/persona.json').access.allow).toContain('bob.hale@post.example.net');
    expect(file(doing, 'personas/ben/persona.json')).not.toContain('bob.hale');
    expect(file(doing, 'configs/security.json')).not.toContain('bob.hale');
    await go('m');
    await search('bob.hale');
    await shows(/from bob\.hale@post\.example\.net Running late - move my ten o'clock Ada answered/);
    expect(audited(doing, 'sender_decided')).toContainEqual(expect.objectContaining({ actor: OLGA }));
    put(
      doing.peers,
      'main',
      mailFrom('bob.hale@post.example.net', 'ada@linden.example.org', 'forged2'),
      'bob.hale@post.example.net',
      Date.now(),
      false,
    );
    await until(
      () => ofMail(doing, 'forged2'),
      ([row]) => row?.code === 'auth_failed',
    );
    expect(doing.left('bob.hale@post.example.net')).toHaveLength(1);
  },
  async a07(doing) {
    const { go, search, follow, press } = doing.hands;
    await go('m');
    await search('marek');
    await follow('Site photos');
    await press('Answer it all the same');
    await until(
      () => doing.left('marek@linden.example.org'),
      (mails) => mails.length > 0,
    );
    expect(runOf(doing, 'ada', 'm26')).toMatchObject([{ status: 'done' }]);
    await go('m');
    await search('marek');
    await follow('Site photos');
    await press('Answer it all the same').catch(() => {});
    expect(runOf(doing, 'ada', 'm26')).toHaveLength(1);
    expect(ofMail(doing, 'm19')).toMatchObject([{ decision: 'dead_letter' }]);
    expect(doing.left('marek@linden.example.org')).toHaveLength(1);
  },
  async a08(doing) {
    const { go, follow, choose, write, press, shows } = doing.hands;
    await go('m');
    await follow('Write a test mail');
    await choose('Persona', 'Ada');
    await choose('eyes', 'a stranger');
    await write('Subject', 'What does a survey cost?');
    await write('Text', 'What does a survey cost?');
    await press('Try it');
    await shows('Such a mail would be refused: its sender is on no list. No model was asked.');
    expect(answers(doing)).toEqual([]);
    await go('c');
    await shows('Ada $3.15');
    expect(
      doing.running.read('gateway', "select * from sender_questions where sender like '%example.com%'").length,
    ).toBeLessThan(3);
  },
  async a09(doing) {
    const { go, press, showsNot, shows } = doing.hands;
    const before = doing.running.read('ben', 'select * from outbox order by id');
    await go('s');
    await press('Give it up: Tell Pia Lund the date');
    await until(
      () => doing.running.read('ada', "select state from outbox where id = 'm22'"),
      ([row]) => row?.state === 'dropped',
    );
    await go('t');
    await showsNot('pia.lund', 'could not be sent');
    await go('m');
    await shows('Our visit on 9 December');
    expect(
      doing.running
        .read('ben', 'select * from outbox order by id')
        .map(({ state, next_attempt_at: at }) => [state, at]),
    ).toEqual(before.map(({ state, next_attempt_at: at }) => [state, at]));
    expect(audited(doing, 'mail_given_up')).toMatchObject([{ actor: OLGA }]);
  },
  async a10(doing) {
    const { go, follow, press } = doing.hands;
    const asked = doing.peers.harbor.requests.length;
    await go('t');
    await follow('Compare three tenders');
    await press('End it');
    const [run] = await until(
      () => runOf(doing, 'ada', 'm42'),
      ([one]) => one?.status === 'cancelled',
    );
    expect(run).toMatchObject({ cancelled_by: OLGA, cost_usd: 0.15 });
    expect(doing.peers.harbor.requests).toHaveLength(asked);
    expect(doing.left('hana@linden.example.org').every(({ raw }) => !raw.includes('has done it'))).toBe(true);
    for (const [persona, id] of [
      ['ada', 'm27'],
      ['ben', 'm34'],
      ['ada', 'm37'],
    ] as const)
      expect(runOf(doing, persona, id)[0]).toMatchObject({ status: 'waiting_approval' });
  },
  async a11(doing) {
    const { go, follow, press, shows, showsNot } = doing.hands;
    newKey(doing.peers, doing.running);
    await go('r');
    await follow('Unpaid invoices');
    await press('Try it once more');
    await until(
      () => doing.left('theo@linden.example.org'),
      (mails) => mails.some(({ raw }) => raw.includes('Unpaid invoices')),
      10_000,
    );
    await until(
      () => runOf(doing, 'ben', 'm40'),
      (runs) => runs.at(-1)?.status === 'done',
      10_000,
    );
    expect(
      doing.left('theo@linden.example.org').filter(({ raw }) => /^Subject: Unpaid invoices/m.test(raw)),
    ).toHaveLength(1);
    expect(doing.left('rhea@quist-accounts.example.com').filter(({ raw }) => raw.includes('has done it'))).toHaveLength(
      1,
    );
    expect(doing.running.read('ben', "select status from runs where id = 'r11'")).toEqual([{ status: 'failed' }]);
    await go('k');
    await follow('Unpaid invoices');
    await shows(/Thu, 26 Nov 2026 11:40 done/);
    await go('t');
    await showsNot('beacon answered 401');
  },
  async a12(doing) {
    const { go, follow, pressHere, page } = doing.hands;
    const before = answers(doing).length;
    await go('r');
    await follow('Unpaid invoices');
    await follow('As an issue');
    await pressHere('Copy it');
    await page.locator('#said', { hasText: 'Copied' }).waitFor({ state: 'attached' });
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    for (const one of ['0.1.0', 'Steps:', '1. model call: error auth, the key is refused (401)'])
      expect(copied).toContain(one);
    for (const one of ['Theo', 'Marsh', 'ben@', 'linden', 'Unpaid', 'BOX_PASSWORD', 'write to me'])
      expect(copied).not.toContain(one);
    expect(answers(doing)).toHaveLength(before);
  },
  async a13(doing) {
    const { go, follow, press, shows } = doing.hands;
    await go('n');
    await follow('Ben');
    await press('Pause it');
    await shows('State paused');
    expect(audited(doing, 'persona_paused')).toMatchObject([{ actor: OLGA }]);
    put(
      doing.peers,
      'accounts',
      mailFrom('carol@linden.example.org', 'ben@linden.example.org', 'late1'),
      'carol@linden.example.org',
      Date.now(),
    );
    await until(
      () => runOf(doing, 'ben', 'late1'),
      ([run]) => run?.deferred_code === 'persona_paused',
    );
    expect(asks(doing, 'ben', 'send_email')).toMatchObject([{ state: 'pending' }]);
    await go('a');
    await shows('Invoice 2281');
    await go('n');
    await follow('Ada');
    await shows('State on');
  },
  async a14(doing) {
    const { go, choose, press, follow, write, shows } = doing.hands;
    const before = file(doing, 'personas/ada/persona.json');
    await go('e');
    await choose('File', 'persona Ada');
    await press('Show');
    await follow('signature');
    await write('New value', 'Ada, front desk, Linden Surveyors');
    await press('Show the difference');
    await shows('This would be changed in personas/ada/persona.json', 'Ada, front desk, Linden Surveyors');
    expect(file(doing, 'personas/ada/persona.json')).toBe(before);
    await press('Write it');
    const [was, is] = [before.split('\n'), file(doing, 'personas/ada/persona.json').split('\n')];
    expect(is).toHaveLength(was.length);
    expect(is.filter((line, at) => line !== was[at])).toEqual(['    "signature": "Ada, front desk, Linden Surveyors"']);
    expect(jsonOf(doing, 'personas/ben/persona.json').signature).toBe('Ben');
    put(
      doing.peers,
      'main',
      mailFrom('luc@linden.example.org', 'ada@linden.example.org', 'sign1'),
      'luc@linden.example.org',
      Date.now(),
    );
    await until(
      () => doing.left('luc@linden.example.org'),
      ([mail]) => mail?.raw.includes('front desk') === true,
    );
  },
  async a15(doing) {
    const { go, follow, press, shows, showsNot } = doing.hands;
    await go('r');
    await follow('Tidy the slides folder');
    await press('Undo what was done');
    await until(
      () => written(doing, 'slides/old-outline.md'),
      (is) => is,
    );
    expect(file(doing, 'data/personas/ada/files/slides/old-outline.md')).toBe(
      'The old outline with its figures: 12, 40, 7.\n',
    );
    expect(file(doing, 'data/personas/ada/files/slides/outline.md')).toBe('Five points on the Mill Lane house.\n');
    await until(
      () => doing.running.read('ada', "select state from undo_items where tool = 'delete_file'"),
      (rows) => rows.some(({ state }) => state === 'undone'),
    );
    await go('r');
    await follow('Tidy the slides folder');
    await shows('delete_file', `deleting a file: taken back by ${OLGA}, 26 Nov 2026`);
    await showsNot('Undo what was done');
  },
  async a16(doing) {
    const { go, follow, press, shows } = doing.hands;
    await go('k');
    await follow('Week ahead');
    await press('Run it now');
    await until(
      () => doing.left(OLGA),
      (mails) => mails.some(({ raw }) => /^Subject: .*Week ahead/m.test(raw)),
    );
    await go('k');
    await follow('Week ahead');
    await shows(/Thu, 26 Nov 2026 14:0\d done: started by hand/, /Next Mon 30 Nov 08:00/);
    expect(doing.left(OLGA).filter(({ raw }) => /^Subject: .*Week ahead/m.test(raw))).toHaveLength(1);
  },
  async a17(doing) {
    const { go, follow, choose, write, press, shows } = doing.hands;
    await go('k');
    await follow('Add a task');
    await choose('Persona', 'Ada');
    await write('Name', 'Lock the plan room');
    await choose('How often', 'every Fri');
    await write('Time', '16:30');
    await write('What is to be done', 'Remind Carol Winter to lock the plan room.');
    await press('Show when it would be done');
    await shows('every Friday at 16:30', 'Fri 27 Nov 16:30', 'nobody knows yet', 'Europe/Berlin');
    expect(existsSync(join(doing.running.root, 'personas/ada/tasks/lock-the-plan-room.md'))).toBe(false);
    await press('Add it');
    expect(file(doing, 'personas/ada/tasks/lock-the-plan-room.md')).toContain(
      'Remind Carol Winter to lock the plan room.',
    );
    await until(
      () => doing.running.read('ada', "select next_at from tasks where task = 'lock-the-plan-room'"),
      ([row]) => row?.next_at === msOf('2026-11-27T16:30:00+01:00'),
    );
    await go('k');
    await follow('Lock the plan room');
    await shows('State on', `by ${OLGA}`);
    expect(
      audited(doing, 'task_added').filter(({ at }) => Number(at) > msOf('2026-11-26T13:59:00+01:00')),
    ).toMatchObject([{ actor: OLGA }]);
  },
  async a18(doing) {
    const { go, follow, press, shows, showsNot } = doing.hands;
    await go('p');
    await follow(NORA);
    await press('Forget this: Vale Homes closes at noon on Fridays.');
    await shows('Nora Vale wants lengths in metres.', 'The mail that said it stays where it is');
    await showsNot('Vale Homes closes at noon');
    const kept = doing.running.read('ada', 'select id, status, text from facts order by id');
    expect(kept.filter(({ status }) => status === 'kept').map(({ id }) => id)).toEqual(['f1', 'f3']);
    expect(JSON.stringify(kept)).not.toContain('noon');
    expect(ofMail(doing, 'm27')).toHaveLength(1);
    await go('n');
    await follow('Ada');
    await showsNot('noon');
  },
  async a19(doing) {
    const { go, follow, press, shows } = doing.hands;
    await go('p');
    await follow('tickets@helpdesk.example.net');
    await press('Keep them out');
    await shows('is kept out');
    expect(jsonOf(doing, 'personas/ada/persona.json').access.deny).toEqual([
      'sales@pushy.example.net',
      'tickets@helpdesk.example.net',
    ]);
    put(
      doing.peers,
      'main',
      mailFrom('tickets@helpdesk.example.net', 'ada@linden.example.org', 'ticket2'),
      'tickets@helpdesk.example.net',
      Date.now(),
    );
    await until(
      () => ofMail(doing, 'ticket2'),
      ([row]) => row?.code === 'sender_denied',
    );
    expect(doing.left('tickets@helpdesk.example.net')).toEqual([]);
  },
  async a20(doing) {
    const { go, follow, tabTo, key, shows, page } = doing.hands;
    await go('p');
    await follow(NORA);
    await follow('All that is held of them, to keep');
    await shows('Left out: ');
    await tabTo('a[download]', 'Save it as a file');
    const saving = page.waitForEvent('download');
    await key('Enter');
    const held = JSON.parse(readFileSync(await (await saving).path(), 'utf8'));
    expect(held.mails.map(({ subject }: { subject: string }) => subject).toSorted()).toEqual(
      [
        ...['When can you measure?', 'Automatic reply: Re: When can you measure?', 'Key for Mill Lane'],
        ...['Re: When can you measure?', 'Offer: survey Mill Lane'],
      ].toSorted(),
    );
    expect(held.facts.map(({ text, said_by: by }: { text: string; said_by: string }) => [text, by]).toSorted()).toEqual(
      [
        ['Nora Vale wants lengths in metres.', NORA],
        ['Vale Homes closes at noon on Fridays.', 'sam@linden.example.org'],
      ],
    );
    expect(held.runs).toHaveLength(1);
    expect(JSON.stringify(held)).not.toMatch(/rhea|Rhea|stern-bau/);
    expect(held.left_out).toContain('only named');
  },
  async a21(doing) {
    const { go, choose, press, follow, write, shows } = doing.hands;
    await go('e');
    await choose('File', 'persona Ben');
    await press('Show');
    await follow('budget.usd_per_day');
    await write('New value', '1.5');
    await press('Show the difference');
    await shows('This would be changed in personas/ben/persona.json', '1.5');
    await press('Write it');
    expect(jsonOf(doing, 'personas/ben/persona.json').budget.usd_per_day).toBe(1.5);
    expect(jsonOf(doing, 'personas/ada/persona.json').budget.usd_per_day).toBe(2);
    await go('t');
    await shows('Ben $0.41 of $1.50');
  },
  async a22(doing) {
    const { go, search, follow, write, press, shows, showsNot } = doing.hands;
    const before = file(doing, 'configs/security.json');
    await go('e');
    await search('quarantine_days');
    await follow('quarantine_days');
    await write('New value', '30');
    await press('Show the difference');
    await press('Write it');
    await shows('30', 'the file');
    expect(file(doing, 'configs/security.json')).toBe(before.replace('"thirty"', '30'));
    await until(
      () => doing.running.workspace.live.current().security.quarantine_days,
      (days) => days === 30,
      2000,
    );
    await go('t');
    await showsNot('quarantine_days', 'problem in the configuration');
  },
  async a23(doing) {
    const { peers, running } = doing;
    const { go, press, showsNot } = doing.hands;
    delete peers.boxes.quotes.script.login;
    put(
      peers,
      'quotes',
      rawOf(
        {
          id: 'w1',
          from: NORA,
          to: 'quotes@linden.example.org',
          subject: 'Quote for the garage',
          text: 'What would the garage cost in addition?',
          time: '2026-11-26T09:30:00+01:00',
        } as never,
        [`In-Reply-To: ${idOf('m07')}`, `References: ${idOf('m07')}`],
      ),
      NORA,
      msOf('2026-11-26T09:30:00+01:00'),
    );
    put(
      peers,
      'quotes',
      rawOf({
        id: 'w2',
        from: 'jon@fell.example.com',
        to: 'quotes@linden.example.org',
        subject: 'Price for a plot?',
        text: 'What do you charge for a plot of 600 square metres?',
        time: '2026-11-26T11:05:00+01:00',
      } as never),
      'jon@fell.example.com',
      msOf('2026-11-26T11:05:00+01:00'),
    );
    await go('s');
    await press('Test quotes');
    await until(
      () => ofMail(doing, 'w2'),
      (rows) => rows.length > 0,
      20_000,
    );
    await until(
      () => doing.left(NORA),
      (mails) => mails.length > 0,
    );
    expect(ofMail(doing, 'w1')).toMatchObject([{ decision: 'accepted', persona_id: 'ada' }]);
    expect(ofMail(doing, 'w2')).toMatchObject([{ decision: 'refused', code: 'sender_not_allowed' }]);
    expect(ofMail(doing, 'w2')[0]?.kept_sha256).not.toBeNull();
    expect(doing.left(NORA)).toHaveLength(1);
    expect(running.read('gateway', "select count(*) as n from seen where decision = 'duplicate'")).toEqual([{ n: 0 }]);
    // How a mailbox is, is written down every few seconds.
    const isWell = async () => {
      await go('t');
      return showsNot('mailbox quotes is not read').then(
        () => true,
        () => false,
      );
    };
    await eventually(isWell, (well) => well, 15_000);
  },
  async a24(doing) {
    const { go, press, shows, showsNot } = doing.hands;
    // It is made in a process of its own, which has the clock of the machine unless it is told another.
    process.env.EPISTLE_TEST_NOW = new Date(Date.now()).toISOString();
    await go('s');
    await press('Back up now');
    await until(
      () => file(doing, 'data/state.json'),
      () => doing.running.read('gateway', "select * from settings where key = 'backup_by_hand'").length === 1,
      60_000,
    );
    await go('s');
    await shows(
      'was made and verified',
      '25 Nov 2026, 02:00',
      '24 Nov 2026, 02:00',
      '23 Nov 2026, 02:00',
      /26 Nov 2026, 14:0\d [\d.]+ [kM]B/,
    );
    await shows(/failed, 26 Nov 2026, 02:00/, 'the next in 12 h');
    await go('t');
    await showsNot('the last backup failed');
  },
  async a25(doing) {
    const { go, press, shows, showsNot } = doing.hands;
    await go('s');
    await press('Read again: Scan of the old plans');
    await until(
      () => doing.left('yusra@linden.example.org'),
      (mails) => mails.length > 0,
    );
    expect(doing.running.read('gateway', 'select message_id from dead_letters')).toEqual([{ message_id: idOf('m19') }]);
    await go('s');
    await showsNot('Scan of the old plans');
    await shows('Photos of plot 9');
    expect(runOf(doing, 'ada', 'm28')).toHaveLength(1);
  },
};
