import { get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { EngineError } from '#contract';
import type { ConsoleAnswers } from '../../../engine/console/answer.ts';
import { metricsText } from '../../../engine/console/metrics.ts';
import { readinessOf } from '../../../engine/console/readiness.ts';
import { type ConsoleServer, startConsoleServer } from '../../../engine/console/server.ts';
import { sharedLook } from '../../../engine/console/shared-look.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';

const open: { server?: ConsoleServer } = {};
afterEach(() => open.server?.close());

const TOKEN = 'a'.repeat(64);
const READY = { ok: true, checks: { database: FINE(), mailboxes: FINE(), disk: FINE() } };
function FINE() {
  return { ok: true, message: 'fine' };
}

async function door(given: Partial<ConsoleAnswers> = {}, publicUrl: string | null = null, host = '127.0.0.1') {
  const brought: Parameters<ConsoleAnswers['bring']>[0][] = [];
  const answers: ConsoleAnswers = {
    readiness: async () => READY,
    metrics: async () => 'epistle_runs{state="queued"} 1\n',
    async bring(result) {
      brought.push(result);
      return { resolved: { persona: 'ada', run_id: 'r', call_id: 'c', tool: 't' } };
    },
    ...given,
  };
  const server = await startConsoleServer({
    config: { host, port: 0, public_url: publicUrl },
    answers,
    log: silentLog,
  });
  open.server = server;
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${server.url}${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  };
  const post = (path = '/v1/results/ada', { token = TOKEN, body = '{"film":1}', type = 'application/json' } = {}) =>
    ask(path, { method: 'POST', body, headers: { authorization: `Bearer ${token}`, 'content-type': type } });
  return { server, ask, post, brought };
}

describe('the console', () => {
  it('says how the gateway is, and nothing to whoever asks for anything else', async () => {
    const { ask } = await door();
    expect(await ask('/healthz')).toMatchObject({ status: 200, text: '{"ok":true}\n' });
    expect(await ask('/readyz?verbose')).toMatchObject({ status: 200, text: `${JSON.stringify(READY)}\n` });
    const { headers, text } = await ask('/metrics');
    expect(text).toContain('epistle_runs');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(headers.get('set-cookie')).toBeNull();
    for (const path of ['/', '/healthz/', '/v1/results/ada', '/../healthz/x', '/v1/results/../ada', '//healthz'])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect((await ask('/healthz', { method })).status).toBe(404);
  });

  const statusFor = (url: string, host: string) =>
    new Promise<number>((resolve, reject) => {
      const asked = get(`${url}/metrics`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      asked.once('error', reject);
    });
  const FOREIGN = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', 'evil.example.', 'a b'];

  it('answers to its own names alone, so that no page of the web asks it by one that leads here', async () => {
    const { server } = await door({}, 'https://mail.example.com/epistle');
    const { port } = new URL(server.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, '192.0.2.7', 'mail.example.com'])
      expect([host, await statusFor(server.url, host)]).toEqual([host, 200]);
    for (const host of [...FOREIGN, `evil.example:${port}`, `epistle:${port}`])
      expect([host, await statusFor(server.url, host)]).toEqual([host, 421]);
  });

  it('answers to no page of the web where others of the network reach it either', async () => {
    const { server } = await door({}, 'https://mail.example.com/epistle', '0.0.0.0');
    const { port } = new URL(server.url);
    const url = `http://127.0.0.1:${port}`;
    // As a health check, a Prometheus beside it and whoever has its port led to another name it.
    for (const host of [`127.0.0.1:${port}`, 'localhost:9000', '192.0.2.7:8025', `epistle:${port}`, 'mail.example.com'])
      expect([host, await statusFor(url, host)]).toEqual([host, 200]);
    for (const host of [...FOREIGN, `evil.example:${port}`])
      expect([host, await statusFor(url, host)]).toEqual([host, 421]);
  });

  it('is not ready where something is wrong', async () => {
    const { ask } = await door({ readiness: async () => ({ ...READY, ok: false }) });
    expect((await ask('/readyz')).status).toBe(503);
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('takes a result with its token', async () => {
    const { post, brought } = await door();
    expect(await post()).toMatchObject({ status: 200, text: '{"ok":true}\n' });
    expect(brought).toEqual([{ persona: 'ada', token: TOKEN, json: '{"film":1}' }]);
  });

  it('takes nothing without a token, of another type, or that is too long, and asks nobody about it', async () => {
    const { post, ask, brought } = await door();
    const without = await ask('/v1/results/ada', { method: 'POST', body: '{}' });
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    for (const token of ['', 'a', 'A'.repeat(65), `${TOKEN} `.padEnd(70, 'x')])
      expect((await post(undefined, { token })).status).toBe(401);
    expect((await post(undefined, { type: 'text/plain' })).status).toBe(415);
    expect((await post(undefined, { body: `"${'x'.repeat(1024 * 1024)}"` })).status).toBe(413);
    for (const path of ['/v1/results/', '/v1/results/Ada', '/v1/results/a%2fb', '/v1/results/ada/x'])
      expect((await post(path)).status).toBe(404);
    expect(brought).toEqual([]);
  });

  it('says what became of a result that was not taken', async () => {
    const answers = [null, 'not_begun', new EngineError('usage', 'it has to be JSON'), new Error('no disk')] as const;
    const codes: number[] = [];
    for (const one of answers) {
      const bring = one instanceof Error ? () => Promise.reject(one) : async () => one;
      const { post, server } = await door({ bring });
      const { status, text } = await post();
      codes.push(status);
      expect(text).not.toContain('no disk');
      await server.close();
    }
    expect(codes).toEqual([404, 503, 400, 500]);
  });

  it('hangs up on whoever sends a head that is too long', async () => {
    const { server } = await door();
    const { port } = new URL(server.url);
    const said = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(9000)}\r\n\r\n`),
      );
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    });
    expect(said).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('throws port_in_use where somebody else listens', async () => {
    const { server } = await door();
    const port = Number(new URL(server.url).port);
    const again = startConsoleServer({
      config: { host: '127.0.0.1', port, public_url: null },
      answers: { readiness: async () => READY, metrics: async () => '', bring: async () => null },
      log: silentLog,
    });
    await expect(again).rejects.toMatchObject({ code: 'port_in_use' });
  });
});

describe('whether mail can be taken in', () => {
  const dataDir = import.meta.dirname;
  const gateway = { nextWakeupAt: async () => null, canWrite: async () => true };

  it('is a matter of the database, of every mailbox and of the disk', async () => {
    const looked = { dataDir, gateway, mailboxes: () => [{ state: 'connected' }] };
    expect(await readinessOf(looked)).toMatchObject({
      ok: true,
      checks: { mailboxes: { message: '1 of 1 connected' } },
    });
    const retrying = await readinessOf({ ...looked, mailboxes: () => [{ state: 'connected' }, { state: 'retrying' }] });
    expect(retrying).toMatchObject({ ok: false, checks: { database: { ok: true }, mailboxes: { ok: false } } });
    const broken = { ...gateway, nextWakeupAt: () => Promise.reject(new Error('malformed')) };
    expect(await readinessOf({ ...looked, gateway: broken })).toMatchObject({
      ok: false,
      checks: { database: { ok: false } },
    });
    const gone = await readinessOf({ ...looked, dataDir: `${dataDir}/none` });
    expect(gone).toMatchObject({ ok: false, checks: { disk: { ok: false } } });
  });
});

it('is looked at once for many who ask at the same time', async () => {
  const looked = { times: 0 };
  const readiness = sharedLook(
    async () => {
      looked.times += 1;
      return READY;
    },
    { forMs: 1000, now: () => 0 },
  );
  const { ask } = await door({ readiness });
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/readyz')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(looked.times).toBe(1);
});

describe('the figures', () => {
  it('name neither personas nor mailboxes', () => {
    const text = metricsText(
      {
        queue: { queued: 1, running: 2, waiting_approval: 3, deferred: 4 },
        waiting_parts: { external: 1, delegation: 2 },
        outbox: { queued: 0, failed: 1, unknown: 0, drafts: 0 },
        dead_letters: 5,
        mailboxes: [{ state: 'connected' }, { state: 'retrying' }, { state: 'connected' }],
        personas: { ready: 1 },
        uptime_s: null,
        unhandled_rejections: 0,
      },
      {
        memoryBytes: 1000,
        calls: {
          tools: () => new Map([['read_file', { calls: 3, failures: 1, ms: 1500 }]]),
          models: () => new Map([['steady/a "b"', { calls: 2, failures: 0, ms: 10 }]]),
        },
      },
    );
    expect(text).toContain(
      '# TYPE epistle_runs gauge\nepistle_runs{state="queued"} 1\nepistle_runs{state="running"} 2\n',
    );
    expect(text).toContain('epistle_mailboxes{state="connected"} 2\n');
    expect(text).toContain('epistle_dead_letters 5\n');
    expect(text).toContain('# TYPE epistle_tool_calls_total counter\nepistle_tool_calls_total{tool="read_file"} 3\n');
    expect(text).toContain('epistle_tool_call_seconds_total{tool="read_file"} 1.5\n');
    expect(text).toContain('epistle_model_calls_total{model="steady/a \\"b\\""} 2\n');
    expect(
      text
        .split('\n')
        .filter(
          (line) =>
            !/^(?:# (?:HELP|TYPE) |epistle_[a-z_]+(?:\{[a-z]+="(?:[a-z_]|steady\/a \\"b\\")+"\})? [\d.]+$|$)/.test(
              line,
            ),
        ),
    ).toEqual([]);
  });
});
