import { setTimeout as pause } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Program } from '../flow/gateway.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { freePorts } from '../lab/ports.ts';
import {
  answersIn,
  BORDER,
  DOMAIN,
  idOf,
  letter,
  mailboxOf,
  mailboxWhen,
  makeSite,
  PASSWORD,
  type Site,
  STAMP,
  send,
  untilAnswered,
} from '../lab/site.ts';

const ADA = `agents@${DOMAIN}`;
const MENDED = `mended@${DOMAIN}`;

let lab: MailServers;
let site: Site;
let gateway: Program;

beforeAll(async () => {
  const users = ['agents', 'agents2', 'agents3', 'agents4', 'you', 'boss', 'eve'];
  lab = await startMailServers({
    users: Object.fromEntries(users.map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    // `moved` is taken at the door and comes back from the mail store.
    aliases: { assistant: 'agents', mended: 'agents', tagger: 'agents2', mover: 'agents3', moved: 'nobody-there' },
    stamp: STAMP,
  });
  const [closed = 0] = await freePorts(1);
  site = makeSite(lab, {
    mailboxes: [
      mailboxOf(lab, 'agents'),
      mailboxOf(lab, 'agents2', { id: 'keyword', imap: { processed: 'keyword:$AgentDone' }, save_sent: false }),
      mailboxOf(lab, 'agents3', { id: 'move', imap: { processed: 'move:Handled' } }),
      mailboxOf(lab, 'agents4', { id: 'locked', imap: { secret_env: 'WRONG' }, smtp: { secret_env: 'WRONG' } }),
      mailboxOf(lab, 'agents4', { id: 'closed', imap: { port: closed } }),
    ],
    personas: {
      ada: { name: 'Ada', address: ADA, aliases: [`assistant@${DOMAIN}`] },
      tagger: { address: `tagger@${DOMAIN}`, mailbox: 'keyword' },
      mover: { address: `mover@${DOMAIN}`, mailbox: 'move' },
      mended: { address: MENDED, tools: 'all of them' },
      lonely: { address: `agents+lonely@${DOMAIN}`, owners: [`moved@${DOMAIN}`] },
      locked: { address: `agents+locked@${DOMAIN}`, mailbox: 'locked' },
    },
    gateway: { limits: { max_message_bytes: 200_000 } },
    secrets: { WRONG: 'not the password' },
  });
  gateway = await site.start();
});
afterAll(async () => {
  await site.close();
  await lab.stop();
});

describe('a gateway with a healthy mailbox and two broken ones', () => {
  it('says so of each when it is ready', () => {
    expect(gateway.ready.mailboxes).toMatchObject([
      { id: 'main', state: 'connected', error: null },
      { id: 'keyword', state: 'connected' },
      { id: 'move', state: 'connected' },
      { id: 'locked', state: 'auth_failed', error: expect.stringMatching(/auth/i) },
      { id: 'closed', state: 'retrying', error: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  it('says so in its status', async () => {
    const { json } = await site.command('status');
    expect(json.mailboxes).toMatchObject([
      { id: 'main', state: 'connected' },
      { id: 'keyword', state: 'connected' },
      { id: 'move', state: 'connected' },
      { id: 'locked', state: 'auth_failed' },
      { id: 'closed', state: 'retrying' },
    ]);
  });

  it('can be asked to try them out, both ways', async () => {
    expect(await site.command('mailbox', 'test', 'main')).toMatchObject({
      code: 0,
      json: { mailboxes: [{ id: 'main', imap: { ok: true }, smtp: { ok: true } }] },
    });
    const { code, json } = await site.command('mailbox', 'test');
    expect(code).toBe(1);
    expect(json.mailboxes).toMatchObject([
      { imap: { ok: true }, smtp: { ok: true } },
      { imap: { ok: true }, smtp: { ok: true } },
      { imap: { ok: true }, smtp: { ok: true } },
      { imap: { ok: false }, smtp: { ok: false } },
      { imap: { ok: false }, smtp: { ok: true } },
    ]);
  });
});

describe('a mail to a persona', () => {
  it.each([
    ['address', ADA],
    ['alias', `assistant@${DOMAIN}`],
    ['plus-tag', `agents+billing@${DOMAIN}`],
    ['alias with a plus-tag', `assistant+x@${DOMAIN}`],
  ])('by its %s is answered in the thread, in the mailbox it was written from', async (name, to) => {
    const id = await send(lab, { id: `to-${name.replaceAll(' ', '-')}`, to, subject: 'Grüße', headers: [] });
    const [answerId] = (await untilAnswered(lab, [id])).get(id) ?? [];
    const received = (await lab.read('you')).find(({ raw }) => raw.includes(answerId ?? '?'));
    const mail = await simpleParser(received?.raw ?? '');
    expect(mail).toMatchObject({
      inReplyTo: id,
      references: [id, answerId],
      subject: 'Re: Grüße',
      from: { value: [{ name: 'Ada', address: ADA }] },
      to: { value: [{ address: `you@${DOMAIN}` }] },
      messageId: answerId,
    });
    expect(mail.headers.get('auto-submitted')).toBe('auto-replied');
    expect(mail.headers.get('x-epistle-kind')).toBe('reply');
    expect(mail.headers.get('content-type')).toMatchObject({ value: 'multipart/alternative' });
    expect(received?.raw.toString()).toMatch(/^Received: .*ESMTPSA/ms);
  });

  it('is \\Seen then, and the same bytes lie in Sent once', async () => {
    const id = await send(lab, { id: 'copied', to: ADA });
    const [answerId = ''] = (await untilAnswered(lab, [id])).get(id) ?? [];
    const inbox = await mailboxWhen(lab, 'agents', (mails) => mails.every(({ flags }) => flags.includes('\\Seen')));
    expect(inbox.map(({ messageId }) => messageId)).toContain(id);
    await mailboxWhen(lab, 'agents', (mails) => mails.some(({ messageId }) => messageId === answerId), {
      folder: 'Sent',
    });
    const has = ({ raw }: { raw: Buffer }) => raw.includes(`Message-ID: ${answerId}`);
    const copies = (await lab.read('agents', 'Sent')).filter(has);
    expect(copies.map(({ flags }) => flags)).toEqual([['\\Seen']]);
    const [received] = (await lab.read('you')).filter(has);
    // Servers on the way put their lines on top and change nothing below.
    expect(received?.raw.subarray(-(copies[0]?.raw.length ?? 0))).toEqual(copies[0]?.raw);
  });

  it('in a thread of several is answered with the whole chain of References', async () => {
    const first = await send(lab, { id: 'chain-1', to: ADA });
    const [answer = ''] = (await untilAnswered(lab, [first])).get(first) ?? [];
    const headers = [`In-Reply-To: ${answer}`, `References: ${first} ${answer}`];
    const second = await send(lab, { id: 'chain-2', to: ADA, subject: 'Re: chain-1', headers });
    const [secondAnswer = ''] = (await untilAnswered(lab, [second])).get(second) ?? [];
    const received = (await lab.read('you')).find(({ raw }) => raw.includes(`Message-ID: ${secondAnswer}`));
    const mail = await simpleParser(received?.raw ?? '');
    expect(mail).toMatchObject({ references: [first, answer, second, secondAnswer], subject: 'Re: chain-1' });
    const [[one], [two]] = [await site.why(first), await site.why(second)];
    expect(two.thread_id).toBe(one.thread_id);
  });
});

describe('what becomes of answered mail in the mailbox', () => {
  it('is a keyword where that is configured, and no copy in Sent where none is wanted', async () => {
    const id = await send(lab, { id: 'keyword', to: `tagger@${DOMAIN}` });
    await untilAnswered(lab, [id]);
    const [mail] = await mailboxWhen(lab, 'agents2', ([first]) => first?.flags.length === 1);
    expect(mail?.flags).toEqual(['$AgentDone']);
    expect(await lab.mailbox('agents2', 'Sent')).toEqual([]);
  });

  it('is a move where that is configured', async () => {
    const id = await send(lab, { id: 'moved', to: `mover@${DOMAIN}` });
    await untilAnswered(lab, [id]);
    const moved = await mailboxWhen(lab, 'agents3', (mails) => mails.length === 1, { folder: 'Handled' });
    expect(moved[0]?.messageId).toBe(id);
    expect(await lab.mailbox('agents3')).toEqual([]);
  });
});

describe('mail to a persona whose files are wrong', () => {
  it('waits untouched', async () => {
    const id = await send(lab, { id: 'patient', to: MENDED });
    await untilAnswered(lab, [await send(lab, { id: 'after-patient', to: ADA })]);
    expect(await site.why(id)).toMatchObject([{ persona: 'mended', decision: 'deferred', run: null }]);
    expect((await lab.mailbox('agents')).find(({ messageId }) => messageId === id)?.flags).toEqual([]);
    site.workspace.write('personas/mended/persona.json', {
      name: 'Mended',
      address: MENDED,
      access: { allow: [`you@${DOMAIN}`] },
    });
  });
});

describe('mail that nobody may have answered', () => {
  it.each([
    { why: 'not allowed', mail: { id: 'stranger', from: `eve@${DOMAIN}`, to: ADA }, code: 'sender_not_allowed' },
    {
      why: 'posing as the owner with a verdict of their own below the border',
      mail: {
        id: 'forged-below',
        from: 'owner@bank.test',
        to: ADA,
        headers: [`Authentication-Results: ${BORDER}; dmarc=pass header.from=bank.test`],
      },
      code: 'auth_failed',
    },
    {
      why: 'with a verdict of a server that is not ours',
      mail: {
        id: 'forged-id',
        from: 'owner@bank.test',
        to: ADA,
        headers: ['Authentication-Results: mx.bank.test; dmarc=pass header.from=bank.test'],
      },
      code: 'auth_failed',
    },
    {
      why: 'with a forged hop in front of the verdict',
      mail: {
        id: 'forged-hop',
        from: 'owner@bank.test',
        to: ADA,
        headers: [
          `Authentication-Results: ${BORDER}; dmarc=pass header.from=bank.test`,
          `Received: from bank.test by ${BORDER} with ESMTPS id 1; ${new Date().toUTCString()}`,
        ],
      },
      code: 'auth_failed',
    },
  ])('because the sender is $why has a row and stays untouched', async ({ mail, code }) => {
    const before = (await lab.mailbox('agents')).length;
    const id = await send(lab, mail);
    // A later mail that is answered proves that the earlier one was looked at.
    await untilAnswered(lab, [await send(lab, { id: `after-${mail.id}`, to: ADA })]);
    expect(await site.why(id)).toMatchObject([{ persona: 'ada', decision: 'refused', code, run: null, replies: [] }]);
    const stored = (await lab.mailbox('agents')).slice(before);
    expect(stored.find(({ messageId }) => messageId === id)?.flags).toEqual([]);
  });

  it('because it is for somebody else who shares the mailbox stays untouched', async () => {
    const foreign = letter({ id: 'foreign', to: `somebody@elsewhere.test` });
    await lab.deliver(foreign, { from: `you@${DOMAIN}`, to: `tagger@${DOMAIN}` });
    await untilAnswered(lab, [await send(lab, { id: 'after-foreign', to: `tagger@${DOMAIN}` })]);
    expect(await site.why(idOf('foreign'))).toMatchObject([
      { persona: null, decision: 'refused', code: 'unknown_recipient' },
    ]);
    const stored = (await lab.mailbox('agents2')).find(({ messageId }) => messageId === idOf('foreign'));
    expect(stored?.flags).toEqual([]);
  });

  it('because it is over the limit becomes a dead letter, and the owner is told once', async () => {
    const text = `${'x'.repeat(70)}\r\n`.repeat(4000);
    const id = await send(lab, { id: 'oversized', to: ADA, text });
    const notices = await mailboxWhen(lab, 'boss', (mails) => mails.length > 0);
    expect(await site.why(id)).toMatchObject([{ persona: 'ada', decision: 'dead_letter', code: 'message_too_large' }]);
    const [notice] = await lab.read('boss');
    const mail = await simpleParser(notice?.raw ?? '');
    expect(mail.text).toContain('"oversized"');
    expect(mail.text).toMatch(/raise that limit first[\s\S]*Reply "again"/);
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(notices).toHaveLength(1);
  });
});

describe('an answer that comes back', () => {
  it('is marked as failed, and the owner is told once', async () => {
    const before = (await lab.mailbox('boss')).length;
    const id = await send(lab, { id: 'bouncing', from: `moved@${DOMAIN}`, to: ADA });
    await mailboxWhen(lab, 'boss', (mails) => mails.length > before);
    expect(await site.why(id)).toMatchObject([
      { replies: [{ state: 'failed', to: [{ address: `moved@${DOMAIN}`, state: 'failed' }] }] },
    ]);
    const notice = await simpleParser((await lab.read('boss')).at(-1)?.raw ?? '');
    expect(notice.subject).toBe('[Ada] Not delivered: "Re: bouncing"');
    expect(notice.text).toMatch(/moved@[\s\S]*5\.1\.1/);
    await untilAnswered(lab, [await send(lab, { id: 'after-bouncing', to: ADA })]);
    expect(await lab.mailbox('boss')).toHaveLength(before + 1);
  });

  it('to an owner whose own address bounces ends there', async () => {
    const id = await send(lab, { id: 'hopeless', from: `moved@${DOMAIN}`, to: `agents+lonely@${DOMAIN}` });
    await expect
      .poll(() => site.outbox('lonely').map(({ state }) => state), { timeout: 60_000 })
      .toEqual(['failed', 'failed']);
    await untilAnswered(lab, [await send(lab, { id: 'after-hopeless', to: ADA })]);
    expect(await site.why(id)).toMatchObject([{ replies: [{ state: 'failed' }] }]);
    expect(site.outbox('lonely')).toHaveLength(2);
  });
});

describe('a mailbox that does not let us send', () => {
  it('keeps the answer, says why, and leaves the others alone', async () => {
    const id = await send(lab, { id: 'locked', to: `agents+locked@${DOMAIN}` });
    await expect
      .poll(() => site.outbox('locked'), { timeout: 60_000 })
      .toMatchObject([{ state: 'queued', last_error: expect.stringMatching(/^535/) }]);
    await untilAnswered(lab, [await send(lab, { id: 'after-locked', to: ADA })]);
    expect((await answersIn(lab, 'you')).has(id)).toBe(false);
  });
});

describe('how soon mail is picked up', () => {
  it('is within a second of the 250', async () => {
    const accepted = new Map<string, number>();
    const total = inject('measuredMails');
    const one = async (at: number) => {
      const id = await send(lab, { id: `quick-${at}`, from: `you+${at % 7}@${DOMAIN}`, to: ADA });
      accepted.set(id, Date.now());
      return id;
    };
    const ids: string[] = [];
    // A quarter of them one by one into a quiet mailbox, the others close together.
    for (let at = 0; at < total / 4; at += 1) {
      ids.push(await one(at));
      await expect
        .poll(() => site.runs().some(({ message_id }) => message_id === ids.at(-1)), { interval: 20, timeout: 60_000 })
        .toBe(true);
    }
    for (let at = ids.length; at < total; at += 1) {
      ids.push(await one(at));
      await pause((at * 37) % 150);
    }
    await untilAnswered(lab, ids);
    const created = new Map(site.runs().map((run) => [run.message_id, run.created_at]));
    const delays = ids.map((id) => (created.get(id) ?? Infinity) - (accepted.get(id) ?? 0)).sort((a, b) => a - b);
    const percentile = (share: number) => delays[Math.ceil(delays.length * share) - 1] ?? Infinity;
    process.stdout.write(
      `SMTP 250 to run, ${total} mails: p50 ${percentile(0.5)} ms, p95 ${percentile(0.95)} ms, max ${percentile(1)} ms\n`,
    );
    // 95 of 100 on a machine that does nothing else; what works beside these tests may hold up some, never most.
    expect(percentile(0.5)).toBeLessThan(1000);
    expect(percentile(0.95)).toBeLessThan(5000);
  });
});

describe('mail that waited for its persona', () => {
  it('is answered once that is mended', async () => {
    const id = idOf('patient');
    await untilAnswered(lab, [id], { timeout: 60_000 });
    await mailboxWhen(lab, 'agents', (mails) =>
      mails.some(({ messageId, flags }) => messageId === id && flags.includes('\\Seen')),
    );
    expect(await site.why(id)).toMatchObject([{ persona: 'mended', decision: 'accepted', run: { status: 'done' } }]);
  });
});

describe('the end of it all', () => {
  it('is one answer for each mail that was answered, and one copy of it', async () => {
    const answers = await answersIn(lab, 'you');
    expect([...answers].filter(([, ids]) => ids.length !== 1)).toEqual([]);
    const sent = await lab.mailbox('agents', 'Sent');
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(sent.length);
    expect(await gateway.stop()).toBe(0);
  });
});
