import { afterEach, describe, expect, it } from 'vitest';
import { tellOfEnds, tellOfRefusals, tellOfSending } from '../../../engine/app/logins/login-troubles.ts';
import { watchSending } from '../../../engine/app/logins/sending-refused.ts';
import { dayAndTime } from '../../../engine/languages/times.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { systemZone } from '../../../engine/lib/schedule/zone.ts';
import { clientOfMailbox } from '../../../engine/mailbox/oauth/client.ts';
import { openWorkspace } from '../../../engine/workspace.ts';
import { makeWorkspace } from '../../flow/workspace.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-23T09:00:00Z');
const USER = 'agents@gmail.com';

/** Ada writes by a mailbox of Google; Ben, where there is one, by another. */
function site({ isAlone = false } = {}) {
  const side = { host: 'mail.test', user: USER, auth: 'oauth' };
  const other = { host: 'other.test', user: 'ben@other.test', secret_env: 'OTHER' };
  const folder = makeWorkspace({
    'configs/gateway.json': {
      smtp_listener: { port: 0 },
      mailboxes: [
        { id: 'main', imap: side, smtp: side, oauth: { preset: 'google', client_id: 'client-1' } },
        ...(isAlone ? [] : [{ id: 'other', imap: other, smtp: other }]),
      ],
    },
    'personas/ada/persona.json': { name: 'Ada', address: USER, mailbox: 'main' },
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@other.test', mailbox: isAlone ? 'main' : 'other' },
  });
  const opened = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  closers.push(folder.remove, opened.close);
  const time = { now: NOW };
  const workspace = { ...opened, clock: { ...opened.clock, now: () => time.now } };
  const [mailbox] = workspace.live.current().gateway.mailboxes;
  const client = mailbox && clientOfMailbox(mailbox);
  if (!client) throw new Error('the mailbox has no client');
  const told: Promise<unknown>[] = [];
  const tellers: Promise<void>[] = [];
  return {
    mailbox,
    time,
    parts: {
      workspace,
      announce<Result>(_persona: string, _at: number, commit: () => Promise<Result>) {
        const done = commit();
        told.push(done);
        return done;
      },
    },
    /** A login of now that the provider ends after so long. */
    logIn(lasts: number | null) {
      opened.logins.fileOf(client).write({
        version: 1,
        account: { user: USER, provider: 'Google', client_id: 'client-1' },
        token_endpoint: 'https://provider.test/token',
        registered: null,
        refresh_token: 'refresh',
        refresh_ends_at: lasts === null ? null : time.now + lasts,
        access_token: 'access',
        obtained_at: time.now,
        expires_at: time.now + HOUR,
        granted_at: time.now,
        after_refusal: false,
        refused: null,
      });
    },
    /** What goes on by itself, and is waited for before anybody looks. */
    telling(one: Promise<void>): void {
      tellers.push(one);
    },
    /** Who tells what. */
    async notices() {
      await Promise.all(tellers);
      await Promise.all(told);
      const found = await Promise.all(
        ['ada', 'ben'].map((id) =>
          workspace.stores.use(id, async (store) =>
            (await store.dueJobs(Number.MAX_SAFE_INTEGER, 100)).map((job) => ({ by: id, ...job })),
          ),
        ),
      );
      return found.flat();
    },
  };
}

/** A time as the notices say it. */
const here = (at: number): string =>
  `${dayAndTime(at, { language: 'en', zone: systemZone() }, true)} (${systemZone()})`;

const textOf = (job: object | undefined): string => JSON.stringify(job);

describe('the end of a login that a provider has named', () => {
  it('is told two days ahead, once a login, and by a mailbox of another account', async () => {
    const at = site();
    at.logIn(7 * DAY);
    for (const days of [0, 4, 4.9]) {
      at.time.now = NOW + days * DAY;
      await tellOfEnds(at.parts);
    }
    expect(await at.notices()).toEqual([]);
    for (const days of [5.1, 6.1]) {
      at.time.now = NOW + days * DAY;
      await tellOfEnds(at.parts);
    }
    const [notice, ...more] = await at.notices();
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ by: 'ben' });
    expect(textOf(notice)).toContain(`A login ends soon: ${USER}`);
    expect(textOf(notice)).toContain(here(Date.UTC(2026, 10, 30, 9)));
    expect(textOf(notice)).toContain('epistle mailbox login main');
    expect(textOf(notice)).toContain('In production');
    at.logIn(7 * DAY);
    at.time.now += 6 * DAY;
    await tellOfEnds(at.parts);
    expect(await at.notices()).toHaveLength(2);
  });

  it('is nothing to tell of where there is none', async () => {
    const at = site();
    await tellOfEnds(at.parts);
    at.logIn(null);
    at.time.now += 400 * DAY;
    await tellOfEnds(at.parts);
    expect(await at.notices()).toEqual([]);
  });

  it('is told by the mailbox itself where there is no other', async () => {
    const at = site({ isAlone: true });
    at.logIn(DAY);
    await tellOfEnds(at.parts);
    expect(await at.notices()).toHaveLength(1);
  });
});

describe('a login that a server goes on refusing', () => {
  const refused = { since: NOW, error: 'mail.test takes no IMAP; switch it on' };

  it('is told once a day, by another mailbox where there is one', async () => {
    const at = site();
    await tellOfRefusals(at.parts, at.mailbox, refused);
    await at.notices();
    await tellOfRefusals(at.parts, at.mailbox, { ...refused, since: NOW + HOUR });
    const [notice, ...more] = await at.notices();
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ by: 'ben' });
    expect(textOf(notice)).toContain('switch it on');
    expect(textOf(notice)).toContain(`Die Anmeldung an einem Postfach wird abgelehnt: ${USER}`);
    expect(textOf(notice)).toContain(`Since ${here(Date.UTC(2026, 10, 23, 9))}`);
    await tellOfRefusals(at.parts, at.mailbox, { ...refused, since: NOW + DAY });
    expect(await at.notices()).toHaveLength(2);
  });

  it('is told by its own SMTP server where there is no other: that one may take what IMAP does not', async () => {
    const at = site({ isAlone: true });
    await tellOfRefusals(at.parts, at.mailbox, refused);
    expect(await at.notices()).toHaveLength(1);
  });
});

describe('a login by which mail leaves', () => {
  const MINUTE = 60_000;
  const REFUSED = { kind: 'auth', smtp: '535 5.7.8 Error: authentication failed' } as const;

  /** Attempts over the first mailbox, each so many minutes after the start. */
  function attempts(at: ReturnType<typeof site>, isRead = true) {
    const hear = watchSending({
      now: () => at.time.now,
      mailboxes: () => [at.mailbox],
      tell: (mailbox, refused) => at.telling(tellOfSending(at.parts, mailbox, { ...refused, isRead })),
    });
    return (minutes: number, outcome: Parameters<typeof hear>[1] = REFUSED) => {
      at.time.now = NOW + minutes * MINUTE;
      hear('main', outcome);
    };
  }

  it('is told of once when it goes on being refused, with its cause and what helps, by another mailbox', async () => {
    const at = site();
    const attempt = attempts(at);
    for (const minutes of [0, 0, 5]) attempt(minutes);
    expect(await at.notices()).toEqual([]);
    for (const minutes of [10, 20, 30]) attempt(minutes);
    const [notice, ...more] = await at.notices();
    expect(more).toEqual([]);
    expect(notice).toMatchObject({ by: 'ben' });
    expect(textOf(notice)).toContain(`No mail leaves: ${USER} is refused`);
    expect(textOf(notice)).toContain(
      `Since ${here(Date.UTC(2026, 10, 23, 9))} the SMTP server of the mailbox main refuses its login`,
    );
    expect(textOf(notice)).toContain('mailbox login');
  });

  it('is no trouble where it is taken meanwhile, or where nobody was asked', async () => {
    const at = site();
    const attempt = attempts(at);
    attempt(0);
    attempt(5, { kind: 'delivered', smtp: '250 taken' });
    attempt(10);
    attempt(15, { kind: 'retry', smtp: 'it does not answer' });
    attempt(19);
    attempt(30, { kind: 'held', smtp: 'somebody has to log in' });
    expect(await at.notices()).toEqual([]);
    attempt(31);
    expect(await at.notices()).toHaveLength(1);
  });

  it('is a second trouble when it was taken between', async () => {
    const at = site();
    const attempt = attempts(at);
    for (const minutes of [0, 10]) attempt(minutes);
    attempt(20, { kind: 'delivered', smtp: '250 taken' });
    for (const minutes of [2 * 24 * 60, 2 * 24 * 60 + 10]) attempt(minutes);
    expect(await at.notices()).toHaveLength(2);
  });

  it('is not told of beside the same trouble of the mail that comes in', async () => {
    const at = site();
    const attempt = attempts(at, false);
    for (const minutes of [0, 10, 20]) attempt(minutes);
    expect(await at.notices()).toEqual([]);
  });
});
