import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClosableIntake } from '../../engine/app/taking-in.ts';
import { filesFor, recursionSecretOf } from '../../engine/app/worker-parts.ts';
import { silentLog } from '../../engine/lib/log/log.ts';
import { openWorkspace } from '../../engine/workspace.ts';
import { type PeerMail, startImapPeer } from '../fakes/imap-peer.ts';
import { mail } from '../lab/watched.ts';
import { SIZE } from '../size.ts';
import { epistle } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const [BOSS, MIA, ZOE] = ['boss@owner.test', 'mia@owner.test', 'zoe@owner.test'];
const HEAD = 'Message-ID: <m1@example.com>\r\nFrom: you@example.com\r\nSubject: m1\r\nTo: agents@lab.test\r\n\r\n';

let workspace: TestWorkspace;
let peer: Awaited<ReturnType<typeof startImapPeer>>;
const mails: PeerMail[] = [];

beforeEach(async () => {
  mails.splice(0, mails.length, { uid: 1, raw: mail('m1', `${'Order chairs. '.repeat(300)}\r\n`), trouble: 'nil' });
  peer = await startImapPeer({ mails });
  const host = { host: '127.0.0.1', port: peer.port, tls: 'none', user: 'agents@lab.test', secret_env: 'BOX' };
  const smtp = { host: '127.0.0.1', port: 1, tls: 'none', user: 'agents@lab.test', secret_env: 'BOX' };
  workspace = makeWorkspace({
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'agents@lab.test',
      owners: [BOSS, MIA],
      access: { allow: ['*@example.com'] },
    },
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@lab.test', owners: [MIA, ZOE], language: 'de' },
    'personas/cleo/persona.json': { name: 'Cleo', address: 'cleo@lab.test', owners: [BOSS], mailbox: 'other' },
    'configs/security.json': { gateway_auth: { mode: 'monitor' } },
    'configs/gateway.json': {
      smtp_listener: { port: 0 },
      mailboxes: [
        { id: 'main', imap: host, smtp },
        { id: 'other', smtp },
      ],
    },
    '.env': 'BOX=secret\n',
  });
});
afterEach(async () => {
  await peer.stop();
  workspace.remove();
});

const PLACE = { mailbox: 'main', uidvalidity: '7', uid: 1 };

async function opened() {
  const open = openWorkspace({
    root: workspace.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  const intake = createClosableIntake(open, {
    announce: open.announce,
    recursionSecret: await recursionSecretOf(open),
    filesOf: filesFor(open),
  });
  return { open, intake };
}

/** The watcher has asked for it for hours. */
async function givenUp(times = 1) {
  const { open, intake } = await opened();
  const letter = { code: 'not_handed_over', reason: 'the server sends no content', raw: null } as const;
  for (let time = 0; time < times; time += 1) {
    await intake.setAside(PLACE, { ...letter, head: Buffer.from(HEAD) });
  }
  const told: Record<string, unknown[]> = {};
  for (const persona of ['ada', 'ben', 'cleo']) {
    if (!open.stores.exists(persona)) continue;
    const jobs = await open.stores.use(persona, (store) => store.dueJobs(Date.now() + 1000, 10));
    told[persona] = jobs.filter(({ kind }) => kind === 'notice').map(({ payload }) => JSON.parse(payload));
  }
  await intake.close();
  await open.close();
  return told;
}

describe('a mail that its server did not hand over for hours', () => {
  it('is told to the owners of each persona of that mailbox, once, in their words', async () => {
    const told = await givenUp(2);
    expect(told).toMatchObject({
      ada: [{ subject: 'A mail could not be fetched' }],
      ben: [{ subject: 'Eine Mail ließ sich nicht abholen', to: ZOE }],
    });
    expect(told.ada).toHaveLength(1);
    expect(told.ben).toHaveLength(1);
    expect(told.cleo ?? []).toEqual([]);
    expect(JSON.stringify(told.ada)).toContain(
      'A mail of you@example.com with the subject \\"m1\\" lies in the mailbox',
    );
    expect(told.ben).toMatchObject([{ again: { letter: expect.stringMatching(/^[0-9a-f]{40}/) } }]);
  });

  it('is listed by its sender and subject, and `requeue` fetches it by its UID', async () => {
    await givenUp();
    const { json } = await epistle(workspace.root, ['deadletters', 'list']);
    expect(json.dead_letters).toMatchObject([
      {
        code: 'not_handed_over',
        stage: 'fetch',
        from: 'you@example.com',
        subject: 'm1',
        message_id: '<m1@example.com>',
      },
    ]);
    const early = await epistle(workspace.root, ['deadletters', 'requeue', 'last']);
    expect(early).toMatchObject({ code: 1, json: { ok: false, error: { code: 'unavailable' } } });
    mails[0] = { ...mails[0], uid: 1, raw: mails[0]?.raw ?? '', trouble: undefined };
    const again = await epistle(workspace.root, ['deadletters', 'requeue', 'last']);
    expect(again).toMatchObject({ code: 0, json: { results: [{ persona: 'ada', decision: 'accepted' }] } });
    expect((await epistle(workspace.root, ['deadletters', 'list'])).json.dead_letters).toEqual([]);
    expect((await epistle(workspace.root, ['why', 'm1@example.com'])).json.entries.at(-1)).toMatchObject({
      decision: 'accepted',
    });
  });

  it('is found by its Message-ID where all mail of the folder has other numbers by then', async () => {
    await givenUp();
    mails.splice(0, 1, { uid: 40, raw: mail('other') }, { uid: 41, raw: mails[0]?.raw ?? '' });
    peer.script.uidValidity = 8;
    const again = await epistle(workspace.root, ['deadletters', 'requeue', 'last']);
    expect(again).toMatchObject({ code: 0, json: { message_id: '<m1@example.com>' } });
  });
});

describe('a mail that was too large', () => {
  it('is fetched once the limit was raised, by the letter that its owner was told of', async () => {
    const { open, intake } = await opened();
    const border = [
      'Authentication-Results: mx.lab.test; spf=pass smtp.mailfrom=example.com; dmarc=pass header.from=example.com',
      'Received: from out (localhost [127.0.0.1]) by mx.lab.test with ESMTPSA id 1; Sat, 28 Nov 2026 10:00:00 +0000',
    ];
    const whole = [...border, mails[0]?.raw ?? ''].join('\r\n');
    mails[0] = { uid: 1, raw: whole };
    await intake.receive({
      raw: Buffer.from(whole.slice(0, 1000)),
      arrival: { door: 'imap', authservId: 'mx.lab.test' },
      envelope: { returnPath: null, recipients: null },
      place: PLACE,
      account: 'agents@lab.test',
      unreadable: { ok: false, code: 'message_too_large', message: 'it has 4321 bytes and the limit is 2000' },
    });
    const due = await open.stores.use('ada', (store) => store.dueJobs(Date.now() + 1000, 10));
    await intake.close();
    await open.close();
    const told = JSON.parse(due.find(({ kind }) => kind === 'notice')?.payload ?? '');
    const command = ['deadletters', 'requeue', told.again.letter];
    const limit = (bytes: string) =>
      epistle(workspace.root, ['config', 'set', 'gateway', 'limits.max_message_bytes', bytes]);
    await limit('2000');
    const early = await epistle(workspace.root, command);
    expect(early).toMatchObject({ code: 1, json: { ok: false, error: { code: 'message_too_large' } } });
    await limit('200000');
    // Whoever writes a mail chooses its Message-ID.
    mails[0] = { uid: 1, raw: mail('m1', 'Order nothing.\r\n') };
    const other = await epistle(workspace.root, command);
    expect(other).toMatchObject({ code: 1, json: { error: { message: 'what lies there now is another mail' } } });
    mails[0] = { uid: 1, raw: whole };
    const again = await epistle(workspace.root, command);
    expect(again).toMatchObject({ code: 0, json: { results: [{ persona: 'ada', decision: 'accepted' }] } });
    expect((await epistle(workspace.root, ['deadletters', 'list'])).json.dead_letters).toEqual([]);
  });
});

describe('forty mails that were given up', () => {
  it('come back one by one with `requeue`, and their owners have one notice of all of them', async () => {
    const uids = Array.from({ length: 40 }, (_, at) => at + 1);
    mails.splice(0, mails.length, ...uids.map((uid) => ({ uid, raw: mail(`m${uid}`, 'Order chairs.\r\n') })));
    const { open, intake } = await opened();
    for (const uid of uids) {
      const head = Buffer.from(HEAD.replaceAll('m1', `m${uid}`));
      const letter = { code: 'not_handed_over', reason: 'the server sends no content', raw: null, head } as const;
      await intake.setAside({ ...PLACE, uid }, letter);
    }
    const jobs = await open.stores.use('ada', (store) => store.dueJobs(Date.now() + 1000, 100));
    expect(jobs.filter(({ kind }) => kind === 'notice')).toHaveLength(1);
    await intake.close();
    await open.close();
    const ids = (await epistle(workspace.root, ['deadletters', 'list', '--limit', '100'])).json.dead_letters;
    expect(ids).toHaveLength(40);
    for (const { id } of ids.filter((_: unknown, at: number) => SIZE >= 20 || at % 10 === 0)) {
      const again = await epistle(workspace.root, ['deadletters', 'requeue', id]);
      expect(again).toMatchObject({ code: 0, json: { results: [{ decision: 'accepted' }] } });
    }
    const left = (await epistle(workspace.root, ['deadletters', 'list'])).json.dead_letters;
    expect(left).toHaveLength(SIZE >= 20 ? 0 : 36);
  }, 300_000);
});

describe('mail that waits since its mailbox was moved', () => {
  const held = async () => {
    const { open, intake } = await opened();
    const letter = { decision: 'deferred', code: 'resync_held', reason: 'it waits' } as const;
    for (const uid of [1, 2]) {
      await intake.leaveThere({ ...PLACE, uid }, { ...letter, head: Buffer.from(HEAD) });
      await open.gateway.putOff({ ...PLACE, uid }, { nextAt: Number.MAX_SAFE_INTEGER, deferrals: 0 });
    }
    await intake.close();
    await open.close();
  };
  const due = async () => {
    const { open, intake } = await opened();
    const uids = await open.gateway.dueUids({ mailbox: 'main', uidvalidity: '7' }, Date.now(), 10);
    await intake.close();
    await open.close();
    return uids;
  };

  it('is taken in when its owner says so', async () => {
    await held();
    expect(await due()).toEqual([]);
    const said = await epistle(workspace.root, ['mailbox', 'resync', 'main', '--take']);
    expect(said).toMatchObject({ code: 0, json: { mailbox: 'main', what: 'take', mails: 2 } });
    expect((await due()).toSorted()).toEqual([1, 2]);
  });

  it('stays in the mailbox when its owner says so, and `mail retry` takes in one of them', async () => {
    await held();
    const said = await epistle(workspace.root, ['mailbox', 'resync', 'main', '--leave']);
    expect(said).toMatchObject({ code: 0, json: { what: 'leave', mails: 2 } });
    expect(await due()).toEqual([]);
    mails[0] = { uid: 1, raw: mails[0]?.raw ?? '' };
    const { json } = await epistle(workspace.root, ['mail', 'list', '--refused']);
    const first = json.mails.find(({ uid }: { uid: number }) => uid === 1) ?? json.mails.at(-1);
    const retried = await epistle(workspace.root, ['mail', 'retry', String(first.id)]);
    expect(retried).toMatchObject({ code: 0, json: { results: [{ persona: 'ada', decision: 'accepted' }] } });
  });

  it('is settled only by one of the two answers, for a mailbox that there is', async () => {
    const [both, none, other] = await Promise.all([
      epistle(workspace.root, ['mailbox', 'resync', 'main', '--take', '--leave']),
      epistle(workspace.root, ['mailbox', 'resync', 'main']),
      epistle(workspace.root, ['mailbox', 'resync', 'nowhere', '--take']),
    ]);
    expect([both, none, other].map(({ json }) => json.error?.code)).toEqual(['usage', 'usage', 'not_found']);
  });
});

describe('a mail from before the first connect, of which only the headers were fetched', () => {
  it('is listed with its persona, and `mail retry` fetches it by its UID', async () => {
    const { open, intake } = await opened();
    const left = { decision: 'refused', code: 'before_first_connect', reason: 'it is older' } as const;
    await intake.leaveThere(PLACE, { ...left, account: 'agents@lab.test', head: Buffer.from(HEAD) });
    await intake.close();
    await open.close();
    const { json } = await epistle(workspace.root, ['mail', 'list', '--refused']);
    expect(json.mails).toMatchObject([{ persona: 'ada', code: 'before_first_connect', from: 'you@example.com' }]);
    mails[0] = { uid: 1, raw: mails[0]?.raw ?? '' };
    const retried = await epistle(workspace.root, ['mail', 'retry', String(json.mails[0].id)]);
    expect(retried).toMatchObject({ code: 0, json: { results: [{ persona: 'ada', decision: 'accepted' }] } });
  });
});
