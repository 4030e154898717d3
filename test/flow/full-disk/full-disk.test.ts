import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGateway, type Gateway } from '../../../engine/app.ts';
import { processSettings } from '../../../engine/config/environment.ts';
import { CRASH_POINTS, type CrashPoint, EVENT_CRASH_POINTS } from '../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { openWorkspace, type Workspace } from '../../../engine/workspace.ts';
import { someOf } from '../../size.ts';
import { submit } from '../gateway.ts';
import { makeWorkspace, type TestWorkspace } from '../workspace.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** Long enough for each write of a run to have failed, and those that are tried again. */
const FULL_MS = 2500;
const ANSWERED_WITHIN_MS = 30_000;
/** Passed by a mail with one call that is answered into the folder. */
const POINTS: readonly CrashPoint[] = [
  ...CRASH_POINTS,
  ...EVENT_CRASH_POINTS.filter((point) => !/approval|receipt/.test(point)),
];

const files = makeWorkspace();
const disk = mountSmallDisk(join(files.root, 'data'), 24);
const open: { workspace?: Workspace; gateway?: Gateway; armed: CrashPoint | null; freed: Promise<void> | null } = {
  armed: null,
  freed: null,
};

beforeAll(async () => {
  if (disk === null) return;
  const opened = openWorkspace({ root: files.root, settings: processSettings({}), makeLog: () => silentLog });
  open.workspace = { ...opened, pass: (point) => fillAt(disk, point) };
  open.gateway = createGateway(open.workspace, { unhandledRejections: () => 0 });
  await open.gateway.start();
});

afterAll(async () => {
  disk?.free();
  await open.gateway?.stop();
  await open.workspace?.close();
  disk?.remove();
  files.remove();
});

function fillAt(full: SmallDisk, point: CrashPoint): void {
  if (point !== open.armed) return;
  open.armed = null;
  full.fill();
  open.freed = new Promise((resolve) => {
    setTimeout(() => {
      full.free();
      resolve();
    }, FULL_MS);
  });
}

const answersTo = ({ root }: TestWorkspace, messageId: string): string[] => {
  const folder = join(root, 'data/outgoing');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  return names
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((bytes) => bytes.includes(`In-Reply-To: ${messageId}`));
};

/** As a sender does who is told 451: once more. */
async function accepted(messageId: string): Promise<void> {
  const ready = open.gateway?.ready();
  if (!ready) throw new Error('no gateway');
  const mail = { from: 'owner@example.com', to: 'ada@agents.localhost', messageId, subject: messageId };
  await vi.waitFor(() => submit(files.root, ready as never, { ...mail, text: 'What is there?\n/list_files {}' }), {
    timeout: 60_000,
    interval: 500,
  });
}

describe.skipIf(disk === null)('a disk that is full from a labelled point on, and has room again', () => {
  it.each(someOf(POINTS, 4))('%s: the mail gets its one whole answer, without a restart', async (label) => {
    open.freed = null;
    open.armed = label;
    const messageId = `<${label}@disk.test>`;
    await accepted(messageId);
    await vi.waitFor(() => expect(open.freed).not.toBeNull(), 30_000);
    await open.freed;
    await vi.waitFor(() => expect(answersTo(files, messageId)).toHaveLength(1), {
      timeout: ANSWERED_WITHIN_MS,
      interval: 100,
    });
    expect(answersTo(files, messageId)[0]?.replaceAll('=\r\n', '')).toContain('list_files: ok');
    const store = open.workspace?.stores;
    await vi.waitFor(
      async () =>
        expect(await store?.use('ada', ({ nextDue }) => nextDue({ instance: 'nobody' }))).toMatchObject({
          outbox: null,
        }),
      ANSWERED_WITHIN_MS,
    );
  });
});
