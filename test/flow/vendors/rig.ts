import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type HttpServer, startHttpServer } from '../../fakes/http-server.ts';
import { startMcpServer } from '../../fakes/mcp-http-server.ts';
import { type Office, OWNER, openOffice } from '../governance-rig.ts';
import { openPersonaDb } from '../persona-db.ts';
import { OLDER, type Row } from './row.ts';
import { ANSWER, type Asked, answered, SHOWN, says, WIRES } from './wire.ts';

const SAFE = 'The first mail of it.';
const NOW = 'And what now?';

/** What became of a row. */
export interface Played {
  /** The words of `End`, or what else was found. */
  readonly how: string;
  readonly asked: readonly Asked[];
  /** Of the last run. */
  readonly events: readonly { readonly type: string; readonly data: Record<string, unknown> }[];
}

export interface Vendors {
  readonly office: Office;
  readonly played: ReadonlyMap<string, Played>;
  close(): Promise<void>;
}

const AT_ONCE = 40;
const AT_MOST_MS = 90_000;
/** Of the first mail of a wrong setup and of the second: a busy machine came to 6 and 3. */
const MOST_DEFERRALS = [8, 4] as const;

/**
 * A started gateway with a persona, a provider and, where a row has some, tools of its own for each row, so that none
 * inherits what another has left; all rows are played beside each other.
 */
export async function playAll(rows: readonly Row[], mcpTools: readonly object[] = []): Promise<Vendors> {
  const asked = new Map<string, Asked[]>();
  const folder = mkdtempSync(join(tmpdir(), 'epistle-odd-'));
  const script = join(folder, 'odd.json');
  writeFileSync(script, JSON.stringify({ tools: mcpTools }));
  const mcp = await startMcpServer(script);
  const server = await serve(rows, asked);
  const office = await openOffice(
    {
      'configs/inference.json': {
        provider: 'offline',
        retry: { first_retry_s: 0.5, max_retry_s: 1, late_note_min: 60 },
      },
      'configs/security.json': { owners: [OWNER] },
      'extensions/extensions.json': {
        providers: rows.map(({ id, wire, config }) => ({
          name: id,
          config: { base_url: `${server.baseUrl}/${id}${WIRES[wire].path}`, ...WIRES[wire].config, ...config },
        })),
        tools: rows.flatMap(({ toolName }) => toolName ?? []),
        ...(mcpTools.length > 0 && { mcp: [{ name: 'odd', url: `${mcp.baseUrl}/mcp` }] }),
      },
      ...Object.assign({}, ...rows.map(filesOf)),
    },
    { VENDOR_KEY: 'key' },
  );
  if (mcpTools.length > 0) await office.cli('extensions', 'allow', 'odd');
  const played = new Map<string, Played>();
  const waiting = [...rows];
  const work = async (): Promise<void> => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const how = await play(office, row);
      played.set(row.id, { how, asked: asked.get(row.id) ?? [], events: look(office, row).events });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return {
    office,
    played,
    async close() {
      await office.close();
      await server.stop();
      await mcp.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function serve(rows: readonly Row[], asked: Map<string, Asked[]>): Promise<HttpServer> {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const besides = new Map<string, number>();
  return startHttpServer((request) => {
    const [, id = ''] = request.path.split('/');
    const row = byId.get(id);
    const path = request.path.slice(id.length + 1);
    if (row?.wire === 'ollama' && path in BESIDES) {
      const before = besides.get(request.path) ?? 0;
      besides.set(request.path, before + 1);
      const known = path as keyof typeof BESIDES;
      return row.besides?.[known]?.(before) ?? BESIDES[known];
    }
    if (!row || (request.method !== 'POST' && !request.path.includes('moved')))
      return { status: 404, body: '404 page not found' };
    const text = request.raw.toString();
    const all = asked.get(id) ?? [];
    if (row.history && text.includes(SAFE) && !text.includes(NOW)) return says(row.wire);
    const one = { wire: row.wire, body: parsed(request.raw), text, before: all.length, request };
    asked.set(id, [...all, one]);
    return row.answer(one);
  });
}

const BESIDES = {
  '/api/show': answered(200, SHOWN),
  '/api/ps': answered(200, { models: [{ name: 'm', model: 'm', context_length: 16_384 }] }),
  '/api/version': answered(200, { version: '0.16.1' }),
};

const parsed = (raw: Buffer): unknown => {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return {};
  }
};

async function play(office: Office, row: Row): Promise<string> {
  const post = (number: number, text: string, inReplyTo?: string) =>
    office.post({
      from: `m${row.history ? 1 : number}@member.example`,
      to: `${row.id}@agents.localhost`,
      raw: letter(row, number, text, inReplyTo),
    });
  const first = `<${row.id}-1@member.example>`;
  if (row.history) {
    await post(1, `${SAFE} ${OLDER} ${'It goes on about the weather and the harvest. '.repeat(200)}`);
    const began = await end(office, row, 1);
    if (began !== 'answered') return `first: ${began}`;
    await post(2, NOW, first);
    return end(office, row, 2);
  }
  await post(1, NOW);
  const how = await end(office, row, 1);
  if (row.ends !== 'setup') return how;
  // A second mail may tell whose it was, once the gateway has asked for both again.
  await post(3, NOW);
  const second = await end(office, row, 2, (found) => isOver(found) && found !== 'waits');
  const tries = deferralsOf(office, row);
  return tries.every((count, at) => count <= (MOST_DEFERRALS[at] ?? 0))
    ? second
    : `${second}, put off ${tries.join(' and ')} times`;
}

/** How often each mail of a row was put off, in the order of the mails. */
function deferralsOf(office: Office, row: Row): readonly number[] {
  const db = openPersonaDb(office.root, row.id);
  try {
    return db.runs().map(({ id }) => db.events(id).filter(({ type }) => type === 'deferred').length);
  } finally {
    db.close();
  }
}

/** How it stands once it is over, or what it still is when the time is. */
async function end(office: Office, row: Row, runs: number, isEnd: (how: string) => boolean = isOver): Promise<string> {
  for (const until = Date.now() + AT_MOST_MS; ; ) {
    const seen = look(office, row);
    const how = seen.runs.length < runs ? 'nothing' : stands(row, seen);
    if (isEnd(how) || Date.now() > until) return how;
    await pause(200);
  }
}

const isOver = (how: string): boolean => !['nothing', 'queued', 'running'].includes(how);

const ODD = `export default {
  description: 'It is odd', risk: 'read', scope: 'files:read', uses: [],
  input: { type: 'object', properties: { a: { type: 'string' } } }, run: () => 'odd',
};
`;
const MODEL = { context_tokens: 128_000, max_output_tokens: 4096, images: true };

function filesOf(row: Row): Record<string, string | object> {
  const { id, wire, toolName, tools = [], manifest } = row;
  return {
    [`extensions/providers/${id}/manifest.json`]: {
      name: id,
      kind: 'provider',
      api: 1,
      summary: 'A vendor',
      adapter: WIRES[wire].adapter,
      secrets: { api_key: 'VENDOR_KEY' },
      models: { m: MODEL },
      ...manifest,
    },
    ...(toolName !== undefined && {
      [`extensions/tools/${toolName}/manifest.json`]: {
        name: toolName,
        kind: 'tool',
        api: 1,
        summary: 'Odd',
        entry: 'index.js',
      },
      [`extensions/tools/${toolName}/index.js`]: ODD,
    }),
    [`personas/${id}/persona.json`]: {
      name: 'Ada',
      address: `${id}@agents.localhost`,
      access: { allow: ['*@member.example'] },
      inference: { provider: id, model: 'm' },
      tools: {
        allow: [
          'list_files',
          'read_file',
          'write_file',
          ...tools.map((name) => `odd_${name}`),
          ...(toolName === undefined ? [] : [toolName]),
        ],
      },
    },
    [`personas/${id}/PERSONA.md`]: 'You answer.\n',
  };
}

function letter(row: Row, number: number, text: string, inReplyTo?: string): string {
  const pictures = number === 1 || row.history ? (row.pictures ?? []) : [];
  const head = [
    `From: m${row.history ? 1 : number}@member.example`,
    `To: ${row.id}@agents.localhost`,
    `Subject: Question ${number}`,
    `Message-ID: <${row.id}-${number}@member.example>`,
    ...(inReplyTo === undefined ? [] : [`In-Reply-To: ${inReplyTo}`, `References: ${inReplyTo}`]),
    'Date: Sat, 28 Nov 2026 12:00:00 +0000',
    'MIME-Version: 1.0',
  ];
  if (pictures.length === 0) return [...head, 'Content-Type: text/plain; charset=utf-8', '', text, ''].join('\r\n');
  const parts = pictures.map(({ name, type, bytes }) =>
    [
      '--b',
      `Content-Type: ${type}; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"`,
      'Content-Transfer-Encoding: base64',
      '',
      bytes.toString('base64').replace(/.{76}/g, '$&\r\n'),
    ].join('\r\n'),
  );
  return [
    ...head,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    text,
    ...parts,
    '--b--',
    '',
  ].join('\r\n');
}

function look(office: Office, row: Row) {
  const db = openPersonaDb(office.root, row.id);
  try {
    const runs = db.runs();
    const last = runs.at(-1);
    return { runs, events: last ? db.events(last.id) : [], text: last ? (db.replyText(last) ?? '') : '' };
  } finally {
    db.close();
  }
}

type Seen = ReturnType<typeof look>;

/** How it stands with a row now. */
function stands(row: Row, seen: Seen): string {
  const last = seen.runs.at(-1);
  if (!last) return 'nothing';
  if (last.status === 'failed') return `failed ${last.code}`;
  if (last.deferred_code !== null) return waitsAs(seen);
  if (last.status !== 'done') return last.status;
  if (last.outcome !== 'final') return last.outcome === 'refusal' ? 'refused' : `${last.outcome} ${last.code}`;
  return answeredAs(row, seen);
}

const waitsAs = ({ runs }: Seen): string =>
  runs.length > 1 && runs.every(({ deferred_code: code }) => code === 'provider_setup') ? 'setup' : 'waits';

function answeredAs(row: Row, { events, text }: Seen): string {
  if (!text.includes(row.reply ?? ANSWER)) return `other: ${text.slice(0, 60)}`;
  if (events.some(({ data }) => data.next === 'compact')) return 'shortened';
  const started = events.filter(({ type }) => type === 'model_call_started').at(-1);
  return (started?.data.left_out ?? []).length > 0 ? 'left_out' : 'answered';
}
