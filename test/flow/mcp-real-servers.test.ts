import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Office, OWNER, openOffice } from './governance-rig.ts';

/** A server as npm has it, started as `npx` would start it, without a look at the registry. */
const packaged = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));

const program = (name: string, server: string, args: readonly string[], more: object = {}) => ({
  ...{ name, command: process.execPath, args: [packaged(server), ...args] },
  ...more,
});

/** A gateway whose `extensions.json` has this one server, whose tools its owner has allowed. */
async function officeWith(server: { readonly name: string }, files: Readonly<Record<string, string>> = {}) {
  const office = await openOffice({ 'extensions/extensions.json': { mcp: [server] }, ...files });
  onTestFinished(office.close);
  const check = await office.cli('extensions', 'check', server.name);
  expect(check.json).toMatchObject({ problems: [], extensions: [{ kind: 'mcp', state: 'loaded' }] });
  expect((await office.cli('extensions', 'allow', server.name)).code).toBe(0);
  return office;
}

async function replyTo(office: Office, ...calls: readonly [tool: string, args: object][]): Promise<string> {
  const text = calls.map(([tool, args]) => `/${tool} ${JSON.stringify(args)}`).join('\n');
  const { json } = await office.ask(text, OWNER);
  expect(json.results[0]).toMatchObject({ status: 'done' });
  return json.results[0].reply.text;
}

/** Nothing that the gateway has started is left when it has ended. */
async function leavesNothing(office: Office): Promise<void> {
  const folder = join(office.root, 'data/processes');
  const started = readdirSync(folder).flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/\d+/g)]);
  expect(started.length).toBeGreaterThan(0);
  await office.stop();
  expect(readdirSync(folder)).toEqual([]);
}

describe('a server from npm', () => {
  it('server-filesystem reads, writes, and says why it does not', async () => {
    const tools = { risk: { read_text_file: 'read', list_directory: 'read', write_file: 'create' } };
    const office = await officeWith(program('disk', 'filesystem', ['shelf'], { tools }), {
      'shelf/tea.txt': 'No milk.\n',
    });
    const shelf = realpathSync(join(office.root, 'shelf'));
    const text = await replyTo(
      office,
      ['disk_read_text_file', { path: join(shelf, 'tea.txt') }],
      ['disk_write_file', { path: join(shelf, 'new.txt'), content: 'Earl Grey' }],
      ['disk_list_directory', { path: shelf }],
      ['disk_read_text_file', { path: '/etc/hostname' }],
    );
    expect(text).toContain('No milk.');
    expect(text).toContain('[FILE] new.txt');
    expect(text).toContain('Access denied - path outside allowed directories');
    expect(readFileSync(join(shelf, 'new.txt'), 'utf8')).toBe('Earl Grey');
    await leavesNothing(office);
  });

  it('server-memory keeps what it was told for the next mail', async () => {
    const tools = { risk: { create_entities: 'create', search_nodes: 'read' } };
    const server = program('notes', 'memory', [], { env: ['MEMORY_FILE_PATH'], tools });
    // Its folder, as an absolute path, is known when the workspace is there.
    const office = await officeWith(server, { '.env': 'MEMORY_FILE_PATH=/proc/self/cwd/graph.jsonl\n' });
    const entity = { name: 'Bob', entityType: 'person', observations: ['drinks tea'] };
    await replyTo(office, ['notes_create_entities', { entities: [entity] }]);
    expect(readFileSync(join(office.root, 'graph.jsonl'), 'utf8')).toContain('drinks tea');
    expect(await replyTo(office, ['notes_search_nodes', { query: 'Bob' }])).toContain('drinks tea');
    await leavesNothing(office);
  });

  const RISK = {
    risk: {
      ...{ echo: 'read', 'get-sum': 'read', 'get-structured-content': 'read', 'get-tiny-image': 'read' },
      ...{ 'get-resource-links': 'read', 'get-resource-reference': 'read', 'trigger-long-running-operation': 'read' },
      read_resource: 'read',
    },
    resources: true,
  };
  /** All kinds of answers that it has. */
  async function usesEverything(office: Office): Promise<void> {
    const text = await replyTo(
      office,
      ['every_echo', { message: 'Hello from mail' }],
      ['every_get_sum', { a: 20, b: 22 }],
      ['every_get_structured_content', { location: 'Chicago' }],
      ['every_get_resource_links', { count: 2 }],
      ['every_get_resource_reference', { resourceType: 'Text', resourceId: 1 }],
      ['every_get_tiny_image', {}],
      ['every_trigger_long_running_operation', { duration: 1, steps: 2 }],
      ['every_read_resource', {}],
    );
    expect(text).toContain('Echo: Hello from mail');
    expect(text).toContain('42');
    expect(text).toMatch(/every_get_structured_content: ok .*"conditions"/);
    expect(text).toMatch(/every_get_resource_links: ok .*"links"/);
    expect(text).toMatch(/every_get_resource_reference: ok .*"resources"/);
    expect(text).toMatch(/every_get_tiny_image: ok .*"left_out"/);
    expect(text).toMatch(/every_trigger_long_running_operation: ok /);
    expect(text).toMatch(/every_read_resource: ok .*"templates"/);
    const read = await replyTo(office, ['every_read_resource', { uri: 'demo://resource/dynamic/text/1' }]);
    expect(read).toMatch(/every_read_resource: ok .*"uri":"demo:\/\/resource\/dynamic\/text\/1"/);
  }

  it('server-everything is used over stdio', async () => {
    const office = await officeWith(program('every', 'everything', ['stdio'], { tools: RISK }));
    await usesEverything(office);
    await leavesNothing(office);
  });

  it('server-everything is used behind a URL, also after it was started anew', async () => {
    const port = await freePort();
    const first = await startEverything(port);
    const office = await officeWith({ ...{ name: 'every', url: `http://127.0.0.1:${port}/mcp` }, ...{ tools: RISK } });
    await usesEverything(office);
    first.kill('SIGKILL');
    await once(first, 'exit');
    await startEverything(port);
    expect(await replyTo(office, ['every_echo', { message: 'Still there' }])).toContain('Echo: Still there');
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Resolves when it says that it listens. */
async function startEverything(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [packaged('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('listening on port')) break;
  child.stderr.resume();
  return child;
}
