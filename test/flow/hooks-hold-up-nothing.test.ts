import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, expect, it, vi } from 'vitest';
import { SIZE } from '../size.ts';
import { epistle, type Gateway, launchGateway, readOutgoing, submit } from './gateway.ts';
import { MEMBER, mailTo, OWNER } from './governance-rig.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const PERSONAS = ['ada', 'ben', 'cem'];
const EVENTS = ['run_started', 'tool_called', 'tool_ended', 'approval_requested', 'run_ended', 'delivery_sent'];
const ROUNDS = 8 * SIZE;

const opened: { gateway?: Gateway; workspace?: TestWorkspace }[] = [];
afterEach(async () => {
  for (const { gateway, workspace } of opened.splice(0)) {
    await gateway?.end();
    workspace?.remove();
  }
});

const hook = (name: string, body: string, manifest: object = {}) => ({
  [`extensions/hooks/${name}/manifest.json`]: {
    name,
    kind: 'hook',
    api: 1,
    summary: name,
    entry: 'index.mjs',
    ...manifest,
  },
  [`extensions/hooks/${name}/index.mjs`]: `export default { on: ${JSON.stringify(EVENTS)}, ${body} };\n`,
});

/** One waits for a service that does not answer, one throws, one says that it is done while it goes on, and more. */
const BAD_HOOKS = {
  'extensions/extensions.json': { hooks: ['hangs', 'crashes', 'lies'] },
  ...hook('hangs', 'handle: () => new Promise(() => {})'),
  ...hook('crashes', 'handle() { throw new Error("no"); }'),
  ...hook(
    'lies',
    'handle: (event) => { event.data = null; return new Promise((done) => setTimeout(done, 5000)).then(() => ({ ok: 1 })); }',
  ),
};

interface Asked {
  readonly held: number | null;
  readonly sent: number | null;
  readonly count: number;
}

/** When the newest call of the persona was held, and when the question about it left. */
function askedOf(root: string, persona: string): Asked {
  const database = new SQLite(join(root, 'data/personas', persona, 'persona.db'), { readonly: true });
  try {
    return database
      .prepare<[], Asked>(
        `select (select max(created_at) from approvals) as held,
          (select max(updated_at) from outbox where kind = 'approval' and state = 'sent') as sent,
          (select count(*) from outbox where kind = 'approval' and state = 'sent') as count`,
      )
      .get() as Asked;
  } finally {
    database.close();
  }
}

/** How long questions took from the held call until they had left, ms, the longest last. */
async function questionsWith(files: Readonly<Record<string, string | object>>): Promise<number[]> {
  const workspace = makeWorkspace({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      // All rounds are mails of one person within an hour.
      loop_guard: { max_fast_replies: 0, max_replies_per_sender_per_hour: 10 * ROUNDS },
    },
    ...Object.fromEntries(
      PERSONAS.map((name) => [
        `personas/${name}/persona.json`,
        { name, address: `${name}@agents.localhost`, owners: [OWNER], access: { allow: ['*@member.example'] } },
      ]),
    ),
    ...files,
  });
  const gateway = await launchGateway(workspace.root).ready;
  opened.push({ gateway, workspace });
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of PERSONAS) {
      await submit(workspace.root, gateway.ready, {
        from: MEMBER,
        to: `${name}@agents.localhost`,
        subject: `Round ${round}`,
        messageId: `<r${round}-${name}@member.example>`,
        text: mailTo(`c${round}@elsewhere.example`),
      });
    }
    for (const name of PERSONAS) {
      const asked = await vi.waitFor(
        () => {
          const found = askedOf(workspace.root, name);
          expect(found.count).toBe(round + 1);
          return found;
        },
        { timeout: 120_000, interval: 50 },
      );
      // The first one loads what asks owners.
      if (round > 0) took.push((asked.sent ?? 0) - (asked.held ?? 0));
    }
  }
  return took.toSorted((one, other) => one - other);
}

const p95 = (sorted: readonly number[]): number => sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;

it('lets questions to owners leave as soon as without hooks, while hooks hang, crash and lie in three personas', async () => {
  const without = p95(await questionsWith({}));
  const withBad = p95(await questionsWith(BAD_HOOKS));
  if (SIZE > 1) process.stdout.write(`questions, p95: ${without} ms without hooks, ${withBad} ms with bad ones\n`);
  expect(withBad).toBeLessThanOrEqual(1.2 * without + 300);
});

it('switches a hook off that is late three times in a row, names it, and tells its owner once', async () => {
  const workspace = makeWorkspace({
    'configs/security.json': { owners: [OWNER] },
    'extensions/extensions.json': { hooks: ['hangs'] },
    ...hook('hangs', 'handle: () => new Promise(() => {})', { timeout_s: 0.05 }),
  });
  const gateway = await launchGateway(workspace.root).ready;
  opened.push({ gateway, workspace });
  for (const number of [1, 2, 3]) {
    await submit(workspace.root, gateway.ready, {
      from: OWNER,
      to: 'ada@agents.localhost',
      subject: `Mail ${number}`,
      text: 'Hello',
      messageId: `<h${number}@example.com>`,
    });
  }
  const message = expect.stringContaining('it was late 3 times in a row');
  await vi.waitFor(
    async () => {
      const { json } = await epistle(workspace.root, ['status']);
      const found = json.extensions.find(({ name }: { name: string }) => name === 'hangs');
      expect(found).toMatchObject({ state: 'error', error: { code: 'extension_failed', message } });
    },
    { timeout: 90_000, interval: 500 },
  );
  const doctor = await epistle(workspace.root, ['doctor']);
  expect(JSON.stringify(doctor.json)).toContain('it was late 3 times in a row');
  const subjects = async () => {
    const folder = join(workspace.root, 'data/outgoing');
    const mails = await Promise.all(readdirSync(folder).map((name) => readOutgoing(join(folder, name))));
    return mails.map(({ mail }) => mail.subject ?? '').filter((subject) => subject.includes('hook hangs'));
  };
  await vi.waitFor(async () => expect(await subjects()).toHaveLength(1), { timeout: 60_000, interval: 200 });
});
