import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpRequest, type HttpServer, startHttpServer } from '../fakes/http-server.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { type Block, readPage } from './markdown.ts';
import { createReader } from './reader.ts';
import { typedIn } from './shell.ts';

const { blocks } = readPage('docs/extensions.md');
const saved = blocks.filter(({ marks }) => marks.includes('saved'));
const textOf = (file: string) => saved.find((block) => block.file === file)?.text ?? `no block for ${file}`;

const CARD = { to: ['carol@example.com'], subject: 'Hello', body: 'Hello Carol.' };

describe('somebody who follows the guide alone, in an empty workspace', () => {
  const reader = createReader();
  const heard: { oracle: HttpRequest[]; chat: HttpRequest[] } = { oracle: [], chat: [] };
  const servers: { house?: FakeModel; oracle?: HttpServer; chat?: HttpServer } = {};

  beforeAll(async () => {
    await reader.begin();
    servers.house = await startFakeModel(
      'openai',
      [
        { calls: [{ name: 'week_number', arguments: { date: '2027-01-01' } }] },
        { calls: [{ name: 'send_email', arguments: CARD }] },
        { text: 'It is week 53. Carol gets her card when you agree.' },
      ],
      { key: 'house-key' },
    );
    servers.oracle = await startHttpServer((request) => {
      heard.oracle.push(request);
      return { status: 200, body: '{"text": "The answer is 42.", "tokens": {"input": 10, "output": 5}}' };
    });
    servers.chat = await startHttpServer((request) => {
      heard.chat.push(request);
      return { status: 200, body: 'ok' };
    });
    const here = (text: string) =>
      text
        .replaceAll('http://localhost:8000/v1', servers.house?.baseUrl ?? '')
        .replaceAll('http://localhost:8001', servers.oracle?.baseUrl ?? '');
    for (const { file = 'nowhere', text } of saved) reader.save(file, here(text));
    reader.save('office-hours.txt', 'Monday to Friday, 9 to 17\n');
    reader.save(
      '.env',
      `HOUSE_API_KEY=house-key\nORACLE_API_KEY=oracle-key\nCHAT_WEBHOOK_URL=${servers.chat.baseUrl}/room\n`,
    );
  });
  afterAll(async () => {
    for (const server of Object.values(servers)) await server.stop();
    reader.remove();
  });

  it('has five extensions that load', async () => {
    const { code, stdout, stderr } = await reader.commands(['extensions', 'check', '--json']);
    const { extensions, problems, not_ready } = JSON.parse(stdout);
    expect({ code, problems, not_ready, stderr }).toEqual({ code: 0, problems: [], not_ready: [], stderr: '' });
    const own = extensions.filter(({ source }: { source: string }) => source === 'workspace');
    expect(own.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`).sort()).toEqual([
      'house loaded',
      'office_hours loaded',
      'oracle loaded',
      'ring loaded',
      'week_number loaded',
    ]);
  });

  it('sees the provider, the resolver, the tool and the hook at work on one mail', async () => {
    const sent = await reader.commands(['send', '--to', 'ada', '--wait', '--json'], 'Which week is New Year in?\n');
    expect(JSON.parse(sent.stdout).results).toMatchObject([{ decision: 'accepted', status: 'done' }]);
    const [first, second] = servers.house?.requests ?? [];
    expect(JSON.stringify(first?.body)).toContain('The office is open: Monday to Friday, 9 to 17');
    expect(JSON.stringify(second?.body)).toContain(String.raw`\"week\":53`);
    expect(heard.chat.map(({ path, raw }) => ({ path, ...JSON.parse(String(raw)) }))).toEqual([
      { path: '/room', text: 'ada asks whether it may use send_email. Your mail has the question.' },
    ]);
    const { stdout: prompt } = await reader.commands(['runs', 'show', 'last', '--prompt']);
    expect(prompt).toContain('The office is open');
  });

  it('sees the provider with code answer, and what its failures mean', async () => {
    reader.save('configs/inference.json', '{ "provider": "oracle" }');
    const sent = await reader.commands(['send', '--to', 'ben', '--wait', '--json'], 'What is the answer?\n');
    const [{ reply }] = JSON.parse(sent.stdout).results;
    expect(reply.text).toContain('The answer is 42.');
    expect(heard.oracle[0]?.headers.authorization).toBe('Bearer oracle-key');
    await servers.oracle?.stop();
    const asked = await reader.commands(['providers', 'test', 'oracle', '--json']);
    expect(JSON.parse(asked.stdout).providers).toMatchObject([{ ok: false, code: 'unavailable' }]);
  });

  it('has the types of all of them in an editor', async () => {
    await reader.commands(['extensions', 'new', 'hook', 'typed']);
    const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
    const args = [tsc, '-p', join(reader.workspace(), 'extensions')];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  it('gets from the command what the page shows as a manifest', async () => {
    const block: Block | undefined = blocks.find(({ text }) => text.includes('extensions new provider house'));
    const [typed] = typedIn(block?.text ?? '', '~');
    const other = join(reader.workspace(), '../other');
    await reader.commands(['init', other]);
    const made = await reader.commands([...(typed?.words.slice(1) ?? []), '--workspace', other]);
    expect(made.code).toBe(0);
    const written = readFileSync(join(other, 'extensions/providers/house/manifest.json'), 'utf8');
    expect(JSON.parse(written)).toEqual(JSON.parse(textOf('extensions/providers/house/manifest.json')));
  });
});
