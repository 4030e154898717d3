import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRefusal } from '../../../../engine/actions/refusal.ts';
import { requeue, takeInAfterAll } from '../../../../engine/app/refused/take-in-after-all.ts';
import type { IncomingMail } from '../../../../engine/intake/incoming.ts';
import { sha256 } from '../../../../engine/lib/ids.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import type { DeadLetter, NewSeenMail, RefusedMail } from '../../../../engine/storage/types/gateway.ts';
import { openWorkspace, type Workspace } from '../../../../engine/workspace.ts';
import { makeWorkspace } from '../../../flow/workspace.ts';

const ID = '<chosen@writer.example>';
const imap = (authserv_id: string) => ({ host: 'localhost', user: 'u', secret_env: 'S', authserv_id });

const closers: (() => unknown)[] = [];
let workspace: Workspace;
let quarantine: string;
beforeEach(() => {
  const folder = makeWorkspace({
    'configs/gateway.json': {
      mailboxes: [
        { id: 'main', imap: imap('border.example') },
        { id: 'side', imap: imap('side.example') },
      ],
    },
  });
  quarantine = mkdtempSync(join(tmpdir(), 'letters-'));
  workspace = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  closers.push(folder.remove, workspace.close, () => rmSync(quarantine, { recursive: true }));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const keptOf = (raw: string, at: number): RefusedMail => ({
  raw_sha256: sha256(raw),
  message_id: ID,
  at,
  bytes: raw.length,
  door: 'submission',
  mailbox: null,
  authserv_id: null,
  ip: null,
  helo: null,
  mail_from: null,
  return_path: null,
  recipients: ['ada@agents.localhost'],
  counted_as: 'proven writer.example',
  raw: Buffer.from(raw),
});

const row = (at: number, more: Partial<NewSeenMail> = {}): NewSeenMail => ({
  message_id: ID,
  persona_id: 'ada',
  direction: 'in',
  decision: 'dead_letter',
  subject: 'Parts',
  received_at: at,
  ...more,
});

/** A mail that came and could not be read, as intake leaves it. */
async function letterOf(raw: string, at: number, more: Partial<NewSeenMail> = {}, isKept = true): Promise<DeadLetter> {
  const path = join(quarantine, `${sha256(raw)}.eml`);
  writeFileSync(path, raw);
  const letter = {
    id: `${sha256(raw).slice(0, 40)}-ada`,
    persona_id: 'ada',
    message_id: ID,
    stage: 'parse',
    code: 'mime_limit',
    message: 'too many parts',
    raw_path: path,
    bytes: raw.length,
    at,
  };
  await workspace.gateway.addDeadLetter(letter, { letters: 9, bytes: 9999 });
  const kept = isKept ? { mail: keptOf(raw, at), most: { mails: 9, bytes: 9999 } } : undefined;
  await workspace.gateway.recordSeen([row(at, more)], null, kept);
  return letter;
}

type Decision = 'accepted' | 'dead_letter' | 'recorded';
/** Takes in what is handed to it, and says so. */
function takingIn(...others: readonly { persona: string; decision: Decision; code: string | null }[]) {
  const offered: IncomingMail[] = [];
  const receive = async (incoming: IncomingMail) => {
    offered.push(incoming);
    const rest = { recipient: null, tier: null, threadId: null, runId: null };
    const own = { persona: 'ada', decision: 'accepted', code: null } as const;
    return { messageId: ID, results: [own, ...others].map((one) => ({ ...rest, ...one })) };
  };
  return { offered, here: { workspace, receive, by: 'cli' } };
}
const textOf = ({ raw }: IncomingMail) => Buffer.from(raw).toString();
const kept = async () => (await workspace.gateway.refusedMail(ID)).map(({ raw }) => Buffer.from(raw).toString()).sort();

describe('a letter whose Message-ID stands on another mail, too', () => {
  it('is taken in with its own bytes, and the other stays kept', async () => {
    const letter = await letterOf('the first', 1);
    await letterOf('the second', 2);
    const { offered, here } = takingIn();
    expect(await requeue(here, letter)).toMatchObject({ isDone: true });
    expect(offered.map(textOf)).toEqual(['the first']);
    expect(await kept()).toEqual(['the second']);
  });

  it('is found by its own row where its file is gone', async () => {
    const letter = await letterOf('the first', 1);
    await letterOf('the second', 2);
    rmSync(letter.raw_path ?? '');
    const { offered, here } = takingIn();
    expect(await requeue(here, letter)).toMatchObject({ isDone: true });
    expect(offered.map(textOf)).toEqual(['the first']);
  });

  it('is the one that is asked for by its row', async () => {
    await letterOf('the first', 1);
    await letterOf('the second', 2);
    const { offered, here } = takingIn();
    const [first] = await workspace.gateway.seenByMessageId(ID);
    if (!first) throw new Error('there is no row');
    expect(await takeInAfterAll(here, first)).toMatchObject({ isDone: true });
    expect(offered.map(textOf)).toEqual(['the first']);
    expect(await takeInAfterAll(here, first)).toMatchObject({ error: { code: 'wrong_state' } });
    expect(await kept()).toEqual(['the second']);
  });

  it('is taken in as nobody’s where only the other was kept', async () => {
    const letter = await letterOf('the first', 1, {}, false);
    await workspace.gateway.recordSeen([row(2, { decision: 'refused', code: 'auth_failed' })], null, {
      mail: keptOf('the second', 2),
      most: { mails: 9, bytes: 9999 },
    });
    const { offered, here } = takingIn();
    await requeue(here, letter);
    expect(offered.map(textOf)).toEqual(['the first']);
    expect(offered[0]?.arrival).toEqual({ door: 'imap', authservId: null });
    expect(await kept()).toEqual(['the second']);
  });

  it.each<[string, Partial<NewSeenMail>, readonly Partial<NewSeenMail>[], string | null]>([
    ['its own mailbox', { mailbox: 'main', uidvalidity: '1', uid: 1 }, [], 'border.example'],
    ['the mailbox of another letter', {}, [{ mailbox: 'main', uidvalidity: '1', uid: 1 }], null],
    [
      'the mailbox of a mail that was read',
      {},
      [{ mailbox: 'main', uidvalidity: '1', uid: 1, decision: 'accepted' }],
      null,
    ],
    [
      'one of two mailboxes',
      { mailbox: 'side', uidvalidity: '1', uid: 1 },
      [{ mailbox: 'main', uidvalidity: '1', uid: 1 }],
      null,
    ],
  ])('believes the border server of %s: %#', async (_, own, others, border) => {
    const letter = await letterOf('the first', 1, own, false);
    for (const other of others) await workspace.gateway.recordSeen([row(2, other)]);
    const { offered, here } = takingIn();
    await requeue(here, letter);
    expect(offered[0]?.arrival).toEqual({ door: 'imap', authservId: border });
  });
});

describe('what is kept of a letter', () => {
  it('stays while a limit stops it at another persona', async () => {
    const letter = await letterOf('the first', 1);
    const { here } = takingIn({ persona: 'ben', decision: 'recorded', code: 'loop_limit' });
    const requeued = await requeue(here, letter);
    expect(!isRefusal(requeued) && requeued.isDone).toBe(true);
    expect(await kept()).toEqual(['the first']);
  });

  it('stays while it cannot be read', async () => {
    const letter = await letterOf('the first', 1);
    const { here } = takingIn({ persona: 'ben', decision: 'dead_letter', code: 'mime_limit' });
    expect(await requeue(here, letter)).toMatchObject({ isDone: false });
    expect(await kept()).toEqual(['the first']);
  });
});
