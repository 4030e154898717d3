import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../engine/lib/clock.ts';
import { sha256 } from '../../../engine/lib/ids.ts';
import { type Blobs, createBlobs } from '../../../engine/storage/blobs.ts';
import { personaFiles } from '../../../engine/storage/persona-files.ts';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { Stores } from '../../../engine/storage/ports/store.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';
import { sweepUnnamed } from '../../../engine/storage/sweep-unnamed.ts';
import { ownEvent } from '../../../engine/storage/types/runs.ts';
import { arrive } from '../../storage/world.ts';

const HOUR = 3_600_000;
const clock = systemClock();
let dataDir: string;
let stores: Stores;
let gateway: GatewayStore;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'epistle-sweep-'));
  stores = createStores({ dataDir, maxOpen: 10 });
  gateway = openGatewayStore(':memory:');
});
afterEach(async () => {
  await stores.close();
  await gateway.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const sweep = () => sweepUnnamed({ dataDir, stores, gateway, clock }, 0.5, new AbortController().signal);
const put = (blobs: Blobs, text: string, hoursAgo = 48): string => {
  const hash = blobs.put(Buffer.from(text));
  age(blobs, hash, hoursAgo);
  return hash;
};
function age(blobs: Blobs, hash: string, hoursAgo: number): void {
  const at = (clock.now() - hoursAgo * HOUR) / 1000;
  utimesSync(blobs.pathOf(hash), at, at);
}
const accept = (id: string, raw: string, attachment: { sha256: string } | null = null, held?: Uint8Array) =>
  stores.use('ada', (store) =>
    arrive(
      store,
      {
        duplicateKey: id,
        messageId: `<${id}@x>`,
        sender: 'mia@x.test',
        proven: true,
        references: [],
        limits: [],
        signatures: [],
        forgottenBefore: 0,
        now: clock.now(),
      },
      {
        newThread: { id: `t-${id}`, kind: 'thread', subject: '' },
        message: {
          id,
          thread_id: `t-${id}`,
          direction: 'in',
          message_id: `<${id}@x>`,
          duplicate_key: id,
          to: [],
          cc: [],
          subject: '',
          references: [],
          received_at: 1,
          text: '',
          new_text: '',
          raw_sha256: raw,
        },
        ...(held ? { raw: held } : {}),
        attachments: attachment
          ? [
              {
                id: `a-${id}`,
                message: id,
                position: 0,
                name: 'a',
                type: 'text/plain',
                bytes: 1,
                ...attachment,
                unreadable: null,
              },
            ]
          : [],
        run: {
          id: `r-${id}`,
          thread_id: `t-${id}`,
          message: id,
          message_id: `<${id}@x>`,
          kind: 'message',
          status: 'queued',
          tier: 'member',
          recursion: 3,
          due_at: 1,
          created_at: 1,
        },
      },
    ),
  );

describe('mail that a killed gateway left in rows', () => {
  it('becomes files, which stay', async () => {
    const { mail } = personaFiles(dataDir, 'ada');
    const raw = Buffer.from('a mail');
    await accept('m', sha256(raw), null, raw);
    expect(await sweep()).toBe(0);
    age(mail, sha256(raw), 48);
    expect(await sweep()).toBe(0);
    expect(String(await mail.get(sha256(raw)))).toBe('a mail');
    expect(await stores.use('ada', (store) => store.listHeldRaw(10))).toEqual([]);
  });
});

describe('H3: bytes that no row names', () => {
  it('are removed, and nothing that a row names', async () => {
    const { mail, artifacts } = personaFiles(dataDir, 'ada');
    const named = {
      raw: put(mail, 'a mail'),
      kept: put(mail, 'approve'),
      file: put(artifacts, 'an attachment'),
      text: put(artifacts, 'what it says'),
      result: put(artifacts, 'a long result'),
    };
    const event = JSON.stringify({ content: 'x'.repeat(40_000), artifact: named.result });
    const whole = put(artifacts, event);
    const orphans = [put(mail, 'no mail'), put(artifacts, 'no attachment')] as const;
    await accept('one', named.raw, { sha256: named.file });
    await stores.use('ada', async (store) => {
      await store.keepDocument({
        sha256: named.file,
        part: '',
        hint: '',
        reader: 1,
        facts_json: '{}',
        text_sha256: named.text,
        tables_sha256: null,
        read_at: 1,
      });
      await store.keepRecorded({
        raw_sha256: named.kept,
        code: 'approval_answer',
        message_id: '<a@x>',
        bytes: 1,
        at: 1,
      });
      const [run] = await store.claimRuns({ instance: 'me', now: 2, leaseMs: 1e12, day: '2026-01-01', limit: 1 });
      if (!run) throw new Error('no run');
      await store.commitStep({
        lease: { runId: run.run.id, fence: run.run.fence },
        firstSeq: 10,
        events: [ownEvent('observation', { artifact: whole })],
        patch: { provider: 'offline' },
        now: 3,
      });
    });
    expect(await sweep()).toBe(2);
    expect(mail.has(orphans[0])).toBe(false);
    expect(artifacts.has(orphans[1])).toBe(false);
    expect([mail.has(named.raw), mail.has(named.kept)]).toEqual([true, true]);
    expect([named.file, named.text, named.result, whole].filter((hash) => !artifacts.has(hash))).toEqual([]);
  });

  it('stay while a transaction may be about to name them', async () => {
    const { mail, artifacts } = personaFiles(dataDir, 'ada');
    const young = put(mail, 'just written', 0);
    const soon = put(artifacts, 'of a step that goes on', 20);
    const again = put(artifacts, 'attached long ago, and now once more');
    await accept('other', 'f'.repeat(64));
    artifacts.put(Buffer.from('attached long ago, and now once more'));
    expect(await sweep()).toBe(0);
    expect([mail.has(young), artifacts.has(soon), artifacts.has(again)]).toEqual([true, true, true]);
  });

  it('stay where the database is gone', async () => {
    const { mail } = personaFiles(dataDir, 'ben');
    const hash = put(mail, 'all that is left of Ben');
    expect(await sweep()).toBe(0);
    expect(mail.has(hash)).toBe(true);
  });

  it('are found among many rows, page by page', async () => {
    const { mail } = personaFiles(dataDir, 'ada');
    const hashes: string[] = [];
    for (let n = 0; n < 120; n += 1) {
      hashes.push(put(mail, `mail ${n}`));
      await accept(`m${n}`, hashes[n] ?? '');
    }
    const orphan = put(mail, 'nobody’s');
    expect(await sweep()).toBe(1);
    expect(mail.has(orphan)).toBe(false);
    expect(hashes.filter((hash) => !mail.has(hash))).toEqual([]);
  });

  it('in quarantine are removed unless a dead letter is about them, also after the workspace was moved', async () => {
    const quarantine = createBlobs(join(dataDir, 'quarantine'), '.eml');
    const [letter, orphan] = [put(quarantine, 'broken'), put(quarantine, 'of a process that died')];
    const row = { id: 'l', persona_id: 'ada', message_id: '<l@x>', stage: 'parse', code: 'unparsable', message: '' };
    const path = `/elsewhere/data/quarantine/${sha256('broken')}.eml`;
    await gateway.addDeadLetter({ ...row, raw_path: path, bytes: 6, at: 1 }, { letters: 9, bytes: 999 });
    expect(await sweep()).toBe(1);
    expect([quarantine.has(letter), quarantine.has(orphan)]).toEqual([true, false]);
    expect(existsSync(join(dataDir, 'quarantine'))).toBe(true);
  });
});
