import { describe, expect, it, vi } from 'vitest';
import type { ImapScript, PeerMail } from '../../fakes/imap-peer.ts';
import { mailboxWorld, TAKEN } from './mailbox-rig.ts';

const TODAY = '23-Nov-2026 09:00:00 +0000';
const FIRST_CONNECT = Date.parse('2026-11-01T09:00:00Z');

const { world, closers, mailboxRig } = mailboxWorld();

/** Passed on by a server on that day. */
const dated = (id: string, day: string): string =>
  [
    `Received: from out.example by mx.example; ${day} 10:00:00 +0000`,
    `Message-ID: <${id}@example.com>`,
    'From: you@example.com',
    'To: ada@agents.localhost',
    `Subject: ${id}`,
    `Date: ${day} 09:59:00 +0000`,
    '',
    'Hello\r\n',
  ].join('\r\n');

const archive = (count: number): PeerMail[] =>
  Array.from({ length: count }, (_, at) => ({ uid: at + 1, raw: dated(`old${at}`, 'Fri, 03 Jan 2025'), date: TODAY }));

const next = (mails: readonly PeerMail[], id: string, day = 'Mon, 23 Nov 2026'): PeerMail => ({
  uid: (mails.at(-1)?.uid ?? 0) + 1,
  raw: dated(id, day),
  date: TODAY,
});

async function moved(script: ImapScript, cursor: { uidvalidity: string; uid: number; since: number | null }) {
  await world.gateway.saveCursor('main', cursor);
  const rig = await mailboxRig(script, { pollMs: 20, reconcileMs: 20 });
  const taken: string[] = [];
  rig.state.answer = async ({ raw }) => {
    taken.push(/^subject: (\S+)/im.exec(Buffer.from(raw).toString('latin1'))?.[1] ?? 'none');
    return [TAKEN];
  };
  const mailboxes = await rig.start();
  closers.push(() => mailboxes.stop());
  const reached = (uid: number, uidvalidity: string) =>
    vi.waitFor(async () => expect(await world.gateway.loadCursor('main')).toMatchObject({ uid, uidvalidity }), 60_000);
  return { ...rig, taken, reached };
}

const refused = async (code: string) =>
  (await world.gateway.listReceived({ limit: 5000, decision: 'refused' })).filter((row) => row.code === code);

describe('a mailbox that was moved, and whose server dates all mail by that day', () => {
  it('has its archive listed and not answered, and what came since answered', async () => {
    const mails = archive(2000);
    mails.push(next(mails, 'new'));
    const { taken, reached, state } = await moved(
      { mails, uidValidity: 8 },
      { uidvalidity: '7', uid: 900, since: FIRST_CONNECT },
    );
    await reached(2001, '8');
    expect(taken).toEqual(['new']);
    expect(state.asked).toEqual([]);
    const listed = await refused('before_first_connect');
    expect(listed).toHaveLength(2000);
    expect(listed[0]).toMatchObject({
      from_address: 'you@example.com',
      mailbox: 'main',
      uid: expect.any(Number),
    });
  });

  it('has the same where its first mails were numbered anew under the same UIDVALIDITY', async () => {
    const mails = archive(200);
    const { taken, reached } = await moved(
      { mails, uidValidity: 7 },
      { uidvalidity: '7', uid: 900, since: FIRST_CONNECT },
    );
    await reached(200, '7');
    expect(taken).toEqual([]);
    expect(await refused('before_first_connect')).toHaveLength(200);
  });

  it('is asked about once, where more lies in it than a few that nobody has seen', async () => {
    const mails = archive(30).map(({ uid }) => ({ uid, raw: dated(`unseen${uid}`, 'Sun, 22 Nov 2026'), date: TODAY }));
    const rig = await moved({ mails, uidValidity: 8 }, { uidvalidity: '7', uid: 900, since: FIRST_CONNECT });
    await rig.reached(30, '8');
    expect(rig.taken).toEqual([]);
    expect(rig.state.asked).toEqual([{ uidValidity: '8', mails: 30 }]);
    await rig.passing(60_000);
    expect(rig.taken).toEqual([]);
    expect(await world.gateway.settleHeld('main', 'take')).toBe(30);
    await vi.waitFor(
      async () => {
        await rig.clock.advance(1000);
        expect(rig.taken).toHaveLength(30);
      },
      { timeout: 60_000 },
    );
    expect(await world.gateway.countUnsettled('main')).toBe(0);
  });

  it('has what waits left where it is when its owner says so', async () => {
    const mails = archive(30).map(({ uid }) => ({ uid, raw: dated(`unseen${uid}`, 'Sun, 22 Nov 2026'), date: TODAY }));
    const rig = await moved({ mails, uidValidity: 8 }, { uidvalidity: '7', uid: 900, since: FIRST_CONNECT });
    await rig.reached(30, '8');
    expect(await world.gateway.settleHeld('main', 'leave')).toBe(30);
    expect(await refused('before_first_connect')).toHaveLength(30);
    expect(await world.gateway.countUnsettled('main')).toBe(0);
  });
});

describe('a server whose UIDNEXT is too low', () => {
  it('has no new mail of what lies there at the first connect', async () => {
    const rig = await mailboxRig({ mails: archive(50), uidNext: 1 }, { pollMs: 20, reconcileMs: 20 }, 'now');
    const taken: unknown[] = [];
    rig.state.answer = async (mail) => {
      if (mail.fate !== 'not_taken') taken.push(mail);
      return [TAKEN];
    };
    const mailboxes = await rig.start();
    closers.push(() => mailboxes.stop());
    await rig.peer.heard(/^UID FETCH 51:\*/);
    expect(taken).toEqual([]);
    expect(await world.gateway.loadCursor('main')).toMatchObject({ uid: 50 });
  });

  it('is not believed where higher UIDs lie there, and the folder is not looked at again', async () => {
    const mails = archive(50);
    const { taken, peer } = await moved({ mails, uidNext: 1 }, { uidvalidity: '7', uid: 50, since: FIRST_CONNECT });
    await peer.heard(/^UID FETCH 51:\*/);
    expect(taken).toEqual([]);
    expect(await refused('before_first_connect')).toEqual([]);
  });
});

describe('a server that was restored from a copy and gives UIDs once more', () => {
  it('has the new mail of such a UID answered', async () => {
    const place = { mailbox: 'main', uidvalidity: '7', uid: 3 };
    const row = { message_id: '<before@example.com>', direction: 'in', decision: 'accepted', subject: '' } as const;
    await world.gateway.recordSeen([{ ...row, received_at: 1, ...place }], place);
    const mails = archive(2);
    mails.push(next(mails, 'reused'));
    const { taken, reached } = await moved(
      { mails, uidValidity: 7 },
      { uidvalidity: '7', uid: 900, since: FIRST_CONNECT },
    );
    await reached(3, '7');
    expect(taken).toEqual(['reused']);
  });
});

describe('an old mail that somebody moves into the folder later', () => {
  const cursor = { uidvalidity: '7', uid: 50, since: FIRST_CONNECT };

  it('alone is answered', async () => {
    const mails = archive(50);
    const { taken, peer, reached } = await moved({ mails }, cursor);
    await peer.heard(/^UID FETCH 51:\*/);
    mails.push(next(mails, 'moved', 'Fri, 03 Jan 2025'));
    await reached(51, '7');
    expect(taken).toEqual(['moved']);
  });

  it('with an archive is listed', async () => {
    const mails = archive(90);
    const { taken, reached } = await moved({ mails }, cursor);
    await reached(90, '7');
    expect(taken).toEqual([]);
    expect(await refused('before_first_connect')).toHaveLength(40);
  });
});

describe('a mail that somebody threw away before it was looked at', () => {
  it('is left alone', async () => {
    const mails = archive(1);
    mails.push({ ...next(mails, 'thrown'), flags: '\\Deleted' });
    const { taken, reached, peer } = await moved({ mails }, { uidvalidity: '7', uid: 1, since: FIRST_CONNECT });
    await reached(2, '7');
    expect(taken).toEqual([]);
    expect(peer.commands.filter((command) => command.includes('BODY.PEEK[]'))).toEqual([]);
    const [row] = await world.gateway.seenByMessageId('<thrown@example.com>');
    expect(row).toMatchObject({ decision: 'recorded', code: 'marked_deleted' });
  });
});
