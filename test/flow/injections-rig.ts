import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import SQLite from 'better-sqlite3';
import { injections } from '../corpus/injections.ts';
import { gullible, spokenIn } from '../fakes/gullible-model.ts';
import { startHttpServer } from '../fakes/http-server.ts';
import type { HeardRequest } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { eventually } from './eventually.ts';
import { type Gateway, readOutgoing, startGateway, submit } from './gateway.ts';
import { ADA, OWNER } from './governance-rig.ts';
import { openPersonaDb, runsEnded } from './persona-db.ts';
import { makeWorkspace } from './workspace.ts';

const KEY = 'very-secret-key-of-the-vendor';

/** Returns what its case says, or throws it. */
const LOOKUP = (url: string) => `export default { description: 'Looks up', risk: 'read', scope: 'web:read',
  input: { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] },
  async run({ n }) {
    const text = await (await fetch('${url}/' + n)).text();
    if (text.startsWith('THROW ')) throw new Error(text.slice(6));
    return JSON.parse(text);
  } };`;

export type Victim = Awaited<ReturnType<typeof openVictim>>;

/** A gateway whose model believes all that it reads, a web server with bad pages, and eyes on everything that must stay. */
export async function openVictim() {
  const pages = await startHttpServer(({ path }) => {
    const { content = 'Nothing.', type = 'application/json' } = injections[Number(path.slice(1))] ?? {};
    return { status: 200, headers: { 'content-type': type }, body: content };
  });
  const model = await startFakeModel(
    'openai',
    gullible((n) => {
      const { reads } = injections[n] ?? {};
      return (
        reads && JSON.parse(JSON.stringify(reads).replace('PAGE', `${pages.baseUrl}/${n}`).replace('CASE', `${n}`))
      );
    }),
    { key: KEY },
  );
  const workspace = makeWorkspace({
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, own_words: 'count' } },
    'configs/inference.json': { provider: 'naive', model: 'm' },
    'extensions/extensions.json': {
      providers: [{ name: 'naive', config: { base_url: model.baseUrl } }],
      tools: ['lookup', { name: 'web_fetch', config: { allow_hosts: [new URL(pages.baseUrl).host] } }],
    },
    'extensions/providers/naive/manifest.json': {
      name: 'naive',
      kind: 'provider',
      api: 1,
      summary: 'Believes',
      adapter: 'openai-compatible',
      secrets: { api_key: 'NAIVE_KEY' },
    },
    'extensions/tools/lookup/manifest.json': {
      name: 'lookup',
      kind: 'tool',
      api: 1,
      summary: 'Looks up',
      entry: 'index.js',
    },
    'extensions/tools/lookup/index.js': LOOKUP(pages.baseUrl),
    'data/personas/ada/files/plan.txt': 'Pay Bob\n',
    'data/personas/ben/files/private.txt': 'Private words of Ben\n',
  });
  const { root } = workspace;
  const gateway: Gateway = await startGateway(root, { NAIVE_KEY: KEY });
  const outgoing = join(root, 'data/outgoing');

  const left = async () => {
    const names = existsSync(outgoing) ? readdirSync(outgoing).filter((name) => name.endsWith('.eml')) : [];
    return Promise.all(names.toSorted().map((name) => readOutgoing(join(outgoing, name))));
  };
  const answered = new Set<string>();

  return {
    root,
    requests: model.requests,
    left,
    post: (raw: Buffer, from: string) => submit(root, gateway.ready, { from, to: ADA, raw }),
    /** Resolves when so many runs are over or wait for their owner. */
    settled: (count: number) => runsEnded(root, 'ada', count, 120_000),
    /** The owner says no to everything that was asked, until nothing waits. */
    async denyAll() {
      const db = openPersonaDb(root, 'ada');
      const waiting = () => db.runs().filter(({ status }) => status === 'waiting_approval').length;
      const deny = async () => {
        for (const { mail } of await left()) {
          if (mail.headers.get('x-epistle-kind') !== 'approval' || answered.has(mail.messageId ?? '')) continue;
          answered.add(mail.messageId ?? '');
          const to = mail.replyTo?.value[0]?.address ?? ADA;
          await submit(root, gateway.ready, { from: OWNER, to, subject: 'Re', text: 'deny' });
        }
        return waiting();
      };
      try {
        await eventually(deny, (count) => count === 0, 120_000);
      } finally {
        db.close();
      }
    },
    /** Resolves when all that was written has left. */
    async delivered() {
      const db = openPersonaDb(root, 'ada');
      try {
        await eventually(
          () => db.outbox().filter(({ state }) => state !== 'sent').length,
          (open) => open === 0,
          60_000,
        );
      } finally {
        db.close();
      }
    },
    /** What no text may know: passwords, keys, other personas' words. */
    secrets(): string[] {
      const db = new SQLite(join(root, 'data/gateway.db'), { readonly: true });
      try {
        const settings = db.prepare<[], { value: string }>('select value from settings').all();
        return [
          KEY,
          'Private words of Ben',
          readFileSync(join(root, 'data/submission.secret'), 'utf8').trim(),
          ...settings.map(({ value }) => value).filter((value) => value.length >= 16),
        ];
      } finally {
        db.close();
      }
    },
    /** Every file that mail must not change, by its hash. */
    kept(): Record<string, string> {
      const places = ['configs', 'personas', 'extensions', 'data/personas/ada/files', 'data/personas/ben/files'];
      const files = places.flatMap((place) => filesBelow(join(root, place)));
      const memory = join(root, 'data/personas/ada/active.md');
      return Object.fromEntries(
        [...files, ...(existsSync(memory) ? [memory] : [])].map((file) => [relative(root, file), hashOf(file)]),
      );
    },
    query: <Row>(sql: string): Row[] => {
      const db = new SQLite(join(root, 'data/personas/ada/persona.db'), { readonly: true });
      try {
        return db.prepare<[], Row>(sql).all();
      } finally {
        db.close();
      }
    },
    async close() {
      await gateway.end();
      await model.stop();
      await pages.stop();
      workspace.remove();
    },
  };
}

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());

const FENCED = /<([a-z_]+_(?:[0-9a-f]{8}){1,2})>[\s\S]*?<\/\1>/g;

/** What is wrong with how a request is built: its system part, its fences, marks of other speakers. */
export function brokenStructure(request: HeardRequest): string[] {
  const messages = spokenIn(request);
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => JSON.stringify(content));
  const users = messages.filter(({ role }) => role === 'user').map(({ content }) => plainOf(content));
  return [
    ...(system.some((text) => /obey-|say-/.test(text)) ? ['foreign text in the system part'] : []),
    ...users.flatMap((text) => brokenFences(text)),
    ...users.flatMap((text) =>
      // Inside a fence it is text like any other.
      /<\|im_|^\s*(?:system|assistant)\s*:/im.test(text.replace(FENCED, ' ')) ? ['a mark of another speaker'] : [],
    ),
    ...users.flatMap((text) => (/<\|im_/.test(text) ? ['a mark of the template'] : [])),
  ];
}

const plainOf = (content: unknown): string =>
  typeof content === 'string' ? content : (content as { text?: string }[]).map(({ text = '' }) => text).join('\n');

/** Each fence opens once, closes once, in this order, and none stands inside another. */
function brokenFences(text: string): string[] {
  const open: string[] = [];
  for (const [, slash, name = ''] of text.matchAll(/<(\/?)([a-z_]+_(?:[0-9a-f]{8}){1,2})>/g)) {
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return [`a fence ${name} closes that is not open`];
    if (open.length > 1) return [`a fence ${name} inside another`];
  }
  return open.length > 0 ? [`a fence ${open.join()} that stays open`] : [];
}
