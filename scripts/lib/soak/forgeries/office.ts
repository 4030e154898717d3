import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { startWorker } from '../../../../engine/app/worker.ts';
import type { IncomingMail } from '../../../../engine/intake/incoming.ts';
import { openWorkspace } from '../../../../engine/workspace.ts';
import { type DnsServer, startDnsServer, type Zone } from '../../../../test/fakes/dns-server.ts';
import { makeWorkspace } from '../../../../test/flow/workspace.ts';
import { LOOP_GUARD_OFF } from '../loop-guard-off.ts';
import type { Step } from './attacks.ts';
import type { Believed } from './judge.ts';
import { OTHER_PERSONA, OWNER, STRANGER, type Target } from './originals.ts';
import { type PersonaRows, readRows } from './persona-rows.ts';

/** A persona of its own, with a thread and two questions that wait: one mail after the other is tried on it. */
export interface Cell {
  readonly target: Target;
  deliver(step: Pick<Step, 'raw' | 'door'>): Promise<Believed>;
}

export interface Office {
  readonly cells: readonly Cell[];
  close(): Promise<void>;
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {}, child: () => QUIET };
const addressOf = (id: string): string => `${id}@agents.localhost`;

/** The gateway's own way in over real storage in a temporary folder: it decides and keeps, and works nothing. */
export async function openOffice(zone: Zone, count: number): Promise<Office> {
  const dns = await startDnsServer(zone);
  const ids = Array.from({ length: count }, (_, n) => `p${n}`);
  const files = makeWorkspace(filesOf(ids, dns));
  const workspace = openWorkspace({
    root: files.root,
    settings: {
      workspace: null,
      stateHome: null,
      noColor: true,
      program: 'epistle',
      test: true,
      crashAt: null,
      testNow: null,
    },
    makeLog: () => QUIET,
  });
  const worker = await startWorker(workspace, { work: false });
  const cells: Cell[] = [];
  for (const id of ids) {
    const open = () => new SQLite(join(workspace.dataDir, 'personas', id, 'persona.db'));
    const pause = async () => void (await workspace.gateway.setPaused(id, null));
    const isPaused = () => workspace.gateway.isPaused(id);
    cells.push(await openCell({ id, receive: worker.receive, open, pause, isPaused }));
  }
  return {
    cells,
    async close() {
      await worker.stop(0);
      await workspace.close();
      dns.stop();
      files.remove();
    },
  };
}

const filesOf = (ids: readonly string[], dns: DnsServer): Record<string, object> => ({
  'configs/security.json': {
    gateway_auth: { dns_servers: [dns.address] },
    loop_guard: LOOP_GUARD_OFF,
  },
  ...Object.fromEntries(
    [...ids, OTHER_PERSONA.replace(/@.*/, '')].map((id) => [
      `personas/${id}/persona.json`,
      { name: id, address: addressOf(id), owners: [OWNER], access: { allow: ['*@member.test'] } },
    ]),
  ),
});

async function openCell(cell: {
  id: string;
  receive: (
    incoming: IncomingMail,
  ) => Promise<{ results: readonly { decision: string; code: string | null; tier: string | null }[] }>;
  open(): SQLite.Database;
  pause(): Promise<void>;
  isPaused(): Promise<boolean>;
}): Promise<Cell> {
  const { id, receive } = cell;
  const target = {
    address: addressOf(id),
    thread: `<thread.${id}@owner.test>`,
    question: `<question.${id}@agents.localhost>`,
    otherQuestion: `<other.${id}@agents.localhost>`,
  };
  for (const messageId of [target.thread, `<first.${id}@owner.test>`, `<second.${id}@owner.test>`]) {
    const raw = Buffer.from(
      [
        `From: ${OWNER}`,
        `To: ${target.address}`,
        'Subject: Merger',
        `Message-ID: ${messageId}`,
        '',
        'Private',
        '',
      ].join('\r\n'),
    );
    await receive({
      raw,
      arrival: { door: 'submission' },
      envelope: { returnPath: OWNER, recipients: [target.address] },
      place: null,
    });
  }
  const rows: PersonaRows = readRows(cell.open());
  rows.ask(`<first.${id}@owner.test>`, target.question);
  rows.ask(`<second.${id}@owner.test>`, target.otherQuestion);
  return {
    target,
    async deliver({ raw, door }) {
      const before = rows.mark();
      const { results } = await receive(
        door === 'imap'
          ? { raw, arrival: { door, authservId: null }, envelope: { returnPath: null, recipients: null }, place: null }
          : {
              raw,
              arrival: { door, ip: '203.0.113.66', helo: 'mx.evil.test', mailFrom: STRANGER },
              envelope: { returnPath: STRANGER, recipients: [target.address] },
              place: null,
            },
      );
      const mine = results[0];
      const message = rows.newMessage(before);
      const isCommand = mine?.code === 'stop_command';
      const believed: Believed = {
        decision: mine?.decision ?? 'nobody',
        code: mine?.code ?? null,
        tier: message?.tier ?? mine?.tier ?? null,
        message: message?.message ?? null,
        command: isCommand ? ((await cell.isPaused()) ? 'stop' : 'resume') : null,
        approved: rows.approved(),
      };
      if (isCommand) await cell.pause();
      if (isCommand || believed.approved.length > 0) rows.askAgain();
      return believed;
    },
  };
}
