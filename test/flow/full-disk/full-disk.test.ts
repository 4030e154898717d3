import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGateway, type Gateway } from '../../../engine/app.ts';
import { processSettings } from '../../../engine/config/environment.ts';
import { CRASH_POINTS, type CrashPoint, EVENT_CRASH_POINTS } from '../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { openWorkspace, type Workspace } from '../../../engine/workspace.ts';
import { SIZE, someOf } from '../../size.ts';
import { submit } from '../gateway.ts';
import { makeWorkspace, type TestWorkspace } from '../workspace.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/**
 * Long enough for each write of a run to have failed, and those that are tried again. At full size as long as somebody needs who
 * is told of it.
 */
const FULL_MS = SIZE >= 20 ? 60_000 : 2500;
const ANSWERED_WITHIN_MS = 30_000;
/** Passed by a mail with one call that is answered into the folder. */
const POINTS: readonly CrashPoint[] = [
  ...CRASH_POINTS,
  ...EVENT_CRASH_POINTS.filter((point) => !/approval|receipt/.test(point)),
];
/** Gateways side by side, as many as there are tests at once: they mostly wait for their minute to be over. */
const GATEWAYS = SIZE >= 20 ? 5 : 1;

/** A gateway with a disk of its own. */
interface Office {
  readonly files: TestWorkspace;
  readonly disk: SmallDisk;
  readonly workspace: Workspace;
  readonly gateway: Gateway;
  armed: CrashPoint | null;
  freed: Promise<void> | null;
}

async function openOffice(files: TestWorkspace, disk: SmallDisk): Promise<Office> {
  const opened = openWorkspace({ root: files.root, settings: processSettings({}), makeLog: () => silentLog });
  const workspace: Workspace = { ...opened, pass: (point) => fillAt(office, point) };
  const gateway = createGateway(workspace, { unhandledRejections: () => 0 });
  const office: Office = { files, disk, workspace, gateway, armed: null, freed: null };
  await gateway.start();
  return office;
}

function fillAt(office: Office, point: CrashPoint): void {
  if (point !== office.armed) return;
  office.armed = null;
  office.disk.fill();
  office.freed = new Promise((resolve) => {
    setTimeout(() => {
      office.disk.free();
      resolve();
    }, FULL_MS);
  });
}

const sites = Array.from({ length: GATEWAYS }, () => {
  const files = makeWorkspace();
  return { files, disk: mountSmallDisk(join(files.root, 'data'), 24) };
});
const isSmall = sites.every(({ disk }) => disk !== null);
const offices: Office[] = [];
const idle: Office[] = [];
const waiting: ((office: Office) => void)[] = [];

beforeAll(async () => {
  for (const { files, disk } of sites) if (isSmall && disk) offices.push(await openOffice(files, disk));
  idle.push(...offices);
});

afterAll(async () => {
  for (const { disk, gateway, workspace } of offices) {
    disk.free();
    await gateway.stop();
    await workspace.close();
  }
  for (const { disk, files } of sites) {
    disk?.remove();
    files.remove();
  }
});

/** With one that no other test uses now. */
async function inOffice(work: (office: Office) => Promise<void>): Promise<void> {
  const office = idle.pop() ?? (await new Promise<Office>((resolve) => void waiting.push(resolve)));
  try {
    await work(office);
  } finally {
    // A disk that stays full would fail the next test for this one.
    await office.freed;
    const next = waiting.shift();
    if (next) next(office);
    else idle.push(office);
  }
}

const answersTo = ({ root }: TestWorkspace, messageId: string): string[] => {
  const folder = join(root, 'data/outgoing');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  return names
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((bytes) => bytes.includes(`In-Reply-To: ${messageId}`));
};

/** As a sender does who is told 451: once more, for longer than the disk is full. */
async function accepted({ files, gateway }: Office, messageId: string): Promise<void> {
  const mail = { from: 'owner@example.com', to: 'ada@agents.localhost', messageId, subject: messageId };
  const text = 'What is there?\n/list_files {}';
  await vi.waitFor(() => submit(files.root, gateway.ready() as never, { ...mail, text }), {
    timeout: FULL_MS + 60_000,
    interval: 500,
  });
}

describe.skipIf(!isSmall)('a disk that is full from a labelled point on, and has room again', () => {
  it.concurrent.each(someOf(POINTS, 4))('%s: the mail gets its one whole answer, without a restart', (label) =>
    inOffice(async (office) => {
      const { files, workspace } = office;
      office.freed = null;
      office.armed = label;
      const messageId = `<${label}@disk.test>`;
      await accepted(office, messageId);
      await vi.waitFor(() => expect(office.freed).not.toBeNull(), 30_000);
      await office.freed;
      await vi.waitFor(() => expect(answersTo(files, messageId)).toHaveLength(1), {
        timeout: ANSWERED_WITHIN_MS,
        interval: 100,
      });
      expect(answersTo(files, messageId)[0]?.replaceAll('=\r\n', '')).toContain('list_files: ok');
      await vi.waitFor(
        async () =>
          expect(await workspace.stores.use('ada', ({ nextDue }) => nextDue({ instance: 'nobody' }))).toMatchObject({
            outbox: null,
          }),
        ANSWERED_WITHIN_MS,
      );
    }),
  );
});
