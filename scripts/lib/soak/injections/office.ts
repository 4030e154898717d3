import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeardRequest, Turn } from '../../../../test/fakes/model-script.ts';
import { startFakeModel } from '../../../../test/fakes/model-server.ts';
import { launchGateway } from '../../../../test/flow/gateway.ts';
import { makeWorkspace } from '../../../../test/flow/workspace.ts';
import { LOOP_GUARD_OFF } from '../loop-guard-off.ts';
import { look } from '../rows.ts';
import { submit } from '../submit.ts';
import type { Sink, Site } from './outside.ts';
import { ADA, type Mode, OWNER } from './scene.ts';

/** Returns what its case says, or throws it. */
const lookup = (url: string) => `export default { description: 'Looks up', risk: 'read', scope: 'web:read',
  input: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
  async run({ n }) {
    const text = await (await fetch('${url}/found/' + n)).text();
    if (text.startsWith('THROW ')) throw new Error(text.slice(6));
    return JSON.parse(text);
  } };`;

export const PAY_SCOPE = 'web:create';
/** Pays whatever it is told. */
const pay = (url: string) => `export default { description: 'Pays', risk: 'create', scope: '${PAY_SCOPE}',
  input: { type: 'object', additionalProperties: true },
  async run(input) {
    await fetch('${url}/pay', { method: 'POST', body: JSON.stringify(input) });
    return { paid: true };
  } };`;

const tool = (name: string, more: object = {}) => ({
  name,
  kind: 'tool',
  api: 1,
  summary: name,
  entry: 'index.js',
  ...more,
});

/** What an owner lets run who trusts each of these tools by its name. */
export const TRUSTED_TOOLS = { send_email: 'allow', schedule_task: 'allow', pay: 'allow', shell: 'approve' } as const;

const PATIENCE_MS = 600_000;
const SIDE_BY_SIDE = 8;
const STILL = 4;
const OPEN = `select (select count(*) from runs where status in ('queued', 'running')) +
  (select count(*) from outbox where state in ('queued', 'sending')) as open`;

export type Office = Awaited<ReturnType<typeof openOffice>>;

/** A gateway that writes to a sink, with a model of the caller's and an owner's files. */
export async function openOffice(options: {
  mode: Mode;
  script: (request: HeardRequest) => Turn;
  files: Readonly<Record<string, string>>;
  good: Site;
  sink: Sink;
  /** Earlier mail is recalled. */
  recall: boolean;
  /** What an owner who trusts its tools lets run beside those. */
  allowed?: Readonly<Record<string, 'allow'>>;
  /** Beside what the persona's file says, and beside the files of the workspace. */
  persona?: object;
  more?: Readonly<Record<string, string | object>>;
  /** Servers of tools. */
  mcp?: readonly object[];
}) {
  const { mode, script, files, good, sink, recall, allowed = {}, persona = {}, more = {}, mcp = [] } = options;
  const model = await startFakeModel('openai', script, { key: 'k' });
  const smtp = { host: '127.0.0.1', port: sink.port, tls: 'none', user: 'out', auth: 'none', secret_env: 'UNUSED' };
  const workspace = makeWorkspace({
    'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'out', smtp }] },
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0, own_words: 'count' },
      loop_guard: LOOP_GUARD_OFF,
      ...(mode === 'trusting' ? { tool_policy: { tools: { ...TRUSTED_TOOLS, ...allowed } } } : {}),
    },
    'configs/inference.json': { provider: 'obedient', model: 'm' },
    'extensions/extensions.json': {
      providers: [{ name: 'obedient', config: { base_url: model.baseUrl } }],
      tools: [
        'lookup',
        'pay',
        { name: 'web_fetch', config: { allow_hosts: ['127.0.0.1', '127.0.0.2', '[::ffff:7f00:2]'] } },
      ],
      ...(mcp.length === 0 ? {} : { mcp }),
    },
    'extensions/providers/obedient/manifest.json': {
      name: 'obedient',
      kind: 'provider',
      api: 1,
      summary: 'Obeys',
      adapter: 'openai-compatible',
      secrets: { api_key: 'OBEDIENT_KEY' },
    },
    'extensions/tools/lookup/manifest.json': tool('lookup'),
    'extensions/tools/lookup/index.js': lookup(good.base),
    'extensions/tools/pay/manifest.json': tool('pay', { secrets: { api_key: 'PAY_KEY' } }),
    'extensions/tools/pay/index.js': pay(good.base),
    'personas/ada/persona.json': {
      name: 'Ada',
      address: ADA,
      mailbox: 'out',
      access: { allow: ['*@member.example'] },
      memory: { recall },
      ...persona,
    },
    ...more,
  });
  const { root } = workspace;
  const fileAt = (name: string) => join(root, 'data/personas/ada/files', name);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(fileAt(name)), { recursive: true });
    writeFileSync(fileAt(name), content);
  }
  const gateway = await launchGateway(root, { OBEDIENT_KEY: 'k', PAY_KEY: 'p', UNUSED: 'u' }).ready;
  const door = {
    port: gateway.ready.smtp.port,
    secret: readFileSync(join(root, 'data/submission.secret'), 'utf8').trim(),
  };
  const database = join(root, 'data/personas/ada/persona.db');
  const query = <Row>(sql: string): Row[] => look(database, (db) => db.prepare<[], Row>(sql).all());
  const open = (sql = OPEN): number => (existsSync(database) ? (query<{ open: number }>(sql)[0]?.open ?? 0) : 0);
  /** Until there is nothing of it several times in a row: what follows from one run may begin another. */
  const settled = async (sql = OPEN): Promise<void> => {
    const late = performance.now() + PATIENCE_MS;
    for (let still = 0; still < STILL; still += 1) {
      if (open(sql) > 0) still = -1;
      if (performance.now() > late) throw new Error(`${open(sql)} runs or mails did not end`);
      await sleep(50);
    }
  };

  return {
    root,
    query,
    fileAt,
    log: gateway.log,
    settled,
    /** Hands the mails in and waits until their runs are over or held, and what they wrote has left. */
    async post(mails: readonly { from: string; to?: string; raw: Buffer }[]): Promise<void> {
      const left = [...mails];
      const send = async () => {
        for (let mail = left.shift(); mail; mail = left.shift()) {
          const { kind } = await submit(door, { from: mail.from, to: [mail.to ?? ADA], raw: mail.raw });
          if (kind !== 'acknowledged') throw new Error(`a mail of ${mail.from} was ${kind}`);
        }
      };
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, send));
      await settled();
    },
    async close() {
      await gateway.kill();
      await model.stop();
      workspace.remove();
    },
  };
}
