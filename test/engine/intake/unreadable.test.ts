import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { receiveBeside } from '../../../engine/app/taking-in.ts';
import type { IncomingMail } from '../../../engine/intake/incoming.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { openWorkspace, type Workspace } from '../../../engine/workspace.ts';
import { makeWorkspace, type TestWorkspace } from '../../flow/workspace.ts';

const BORDER = 'mx.example.com';
const OWNER = 'boss@owner.test';

let folder: TestWorkspace;
let workspace: Workspace;
async function open(security: object = {}) {
  const persona = {
    name: 'Ada',
    address: 'ada@agents.localhost',
    owners: [OWNER],
    access: { allow: ['*@member.test'] },
  };
  folder = makeWorkspace({ 'personas/ada/persona.json': persona, 'configs/security.json': security });
  workspace = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
}
beforeEach(() => open());
afterEach(async () => {
  await workspace.close();
  folder.remove();
});

const numbers = { next: 0 };
/** From a mailbox, with what its border says of the sender. */
async function take(
  from: string | null,
  border: 'pass' | 'fail',
  change: Partial<IncomingMail> & { readable?: boolean } = {},
) {
  const { readable = false, ...rest } = change;
  numbers.next += 1;
  const domain = from?.split('@').at(-1);
  const lines = [
    ...(from === null
      ? []
      : [
          `Authentication-Results: ${BORDER}; spf=${border} smtp.mailfrom=${domain}; dmarc=${border} header.from=${domain}`,
          // Written in the border's own house: what it says of such mail is all there is.
          `Received: from out (localhost [127.0.0.1]) by ${BORDER} with ESMTPSA id 1; Sat, 28 Nov 2026 10:00:00 +0000`,
          `From: ${from}`,
        ]),
    ...['To: ada@agents.localhost', 'Subject: Hi', `Message-ID: <${numbers.next}@x.test>`, 'MIME-Version: 1.0'],
    'Content-Type: multipart/mixed; boundary=b0',
  ];
  const parts = Array.from({ length: readable ? 0 : 40 }, (_, n) => [
    ...[`--b${n}`, `Content-Type: multipart/mixed; boundary=b${n + 1}`, ''],
  ]);
  const { results } = await receiveBeside(workspace, {
    raw: Buffer.from([...lines, '', ...parts.flat()].join('\r\n')),
    arrival: { door: 'imap', authservId: BORDER },
    envelope: { returnPath: null, recipients: null },
    place: { mailbox: 'main', uidvalidity: '1', uid: numbers.next },
    ...rest,
  });
  return results.map(({ decision, code, tier }) => `${decision} ${code} ${tier}`);
}
const quarantined = () => {
  try {
    return readdirSync(join(folder.root, 'data/quarantine')).length;
  } catch {
    return 0;
  }
};
const TOO_LARGE = { ok: false, code: 'message_too_large', message: 'it has 99 bytes and the limit is 9' } as const;

describe('M2: a mail in a mailbox that cannot be read', () => {
  it('is refused where nothing proves who wrote it, or where he may not write', async () => {
    expect(await take('eve@nowhere.test', 'fail')).toEqual(['refused auth_failed null']);
    expect(await take(OWNER, 'fail')).toEqual(['refused auth_failed null']);
    expect(await take('eve@evil.test', 'pass')).toEqual(['refused sender_not_allowed null']);
    expect(await take(null, 'fail')).toEqual(['refused from_missing null']);
    expect(quarantined()).toBe(0);
    expect(await workspace.gateway.countDeadLetters()).toBe(0);
    expect(workspace.stores.exists('ada')).toBe(false);
    expect(await workspace.gateway.isPlaceSettled({ mailbox: 'main', uidvalidity: '1', uid: 1 })).toBe(true);
  });

  it('is kept where its sender is an owner or a member', async () => {
    expect(await take(OWNER, 'pass')).toEqual(['dead_letter mime_limit owner']);
    expect(await take('mia@member.test', 'pass')).toEqual(['dead_letter mime_limit member']);
    expect(quarantined()).toBe(2);
  });

  it('is judged alike when it is too large to be loaded', async () => {
    expect(await take('eve@evil.test', 'pass', { unreadable: TOO_LARGE })).toEqual(['refused sender_not_allowed null']);
    expect(await take(OWNER, 'fail', { unreadable: TOO_LARGE })).toEqual(['refused auth_failed null']);
    expect(quarantined()).toBe(0);
    expect(await take(OWNER, 'pass', { unreadable: TOO_LARGE })).toEqual(['dead_letter message_too_large owner']);
    const letters = await workspace.gateway.listDeadLetters({ limit: 9 });
    expect(letters).toMatchObject([{ persona_id: 'ada', stage: 'fetch', code: 'message_too_large' }]);
  });

  const told = async () => {
    const jobs = await workspace.stores.use('ada', (store) => store.dueJobs(workspace.clock.now(), 9));
    return jobs.map(({ payload }) => JSON.stringify(payload)).join('\n');
  };

  it.each([
    [undefined, /too many parts.*raise that limit first.*\(.*32.*again.{1,6}letter/],
    [
      TOO_LARGE,
      /larger than I may take in.*raise that limit first.*\(it has 99 bytes and the limit is 9\).*again.{1,6}letter/,
    ],
    [{ ok: false, code: 'unparsable', message: 'thrown: words of the mail' } as const, /Ask for it once more/],
  ])('says in its notice why, and what to do: %#', async (unreadable, words) => {
    await take('mia@member.test', 'pass', unreadable ? { unreadable } : {});
    expect(await told()).toMatch(words);
    // Neither what a reader threw, which may quote the mail, nor a cure that is none.
    expect(await told()).not.toContain('words of the mail');
    if (unreadable?.code === 'unparsable') expect(await told()).not.toContain('letter');
  });

  it('tells nobody twice when it is offered again', async () => {
    const raw = Buffer.from(
      `Authentication-Results: ${BORDER}; spf=pass smtp.mailfrom=owner.test; dmarc=pass header.from=owner.test\r\nReceived: from out (localhost [127.0.0.1]) by ${BORDER} with ESMTPSA id 1; Sat, 28 Nov 2026 10:00:00 +0000\r\nFrom: ${OWNER}\r\nTo: ada@agents.localhost\r\nMessage-ID: <same@owner.test>\r\n\r\n`,
    );
    for (const uid of [71, 72]) {
      const place = { mailbox: 'main', uidvalidity: '1', uid };
      expect(await take(OWNER, 'pass', { raw, place, unreadable: TOO_LARGE })).toHaveLength(1);
    }
    const gathered = await workspace.stores.use('ada', (store) => store.gathered('dead_letter'));
    expect(gathered).toMatchObject({ count: 0 });
    const notices = await workspace.stores.use('ada', (store) => store.dueJobs(workspace.clock.now(), 9));
    expect(notices).toHaveLength(1);
  });
});

describe('M2: where everybody may write, or nobody has to prove anything', () => {
  it.each([
    ['by default', { gateway_access: { default_decision: 'allow' } }, 'eve@evil.test', 'pass', 'sender_not_allowed'],
    ['unproven', { gateway_auth: { mode: 'monitor' } }, OWNER, 'fail', 'auth_failed'],
  ] as const)('a mail of somebody let in %s that cannot be read is refused', async (_, security, from, said, code) => {
    await workspace.close();
    folder.remove();
    await open(security);
    expect(await take(from, said)).toEqual([`refused ${code} null`]);
    expect(quarantined()).toBe(0);
  });
});
