import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { epistle, launchGateway, type Program, readOutgoing, submit } from './gateway.ts';
import { makeWorkspace } from './workspace.ts';

const FROM = 'owner@example.com';
const idOf = (n: number) => `<mail-${n}@example.com>`;

const workspace = makeWorkspace({
  '.env': 'MODEL_KEY=secret\n',
  '.gitignore': '.env\ndata/\nmine/\n',
  '.env.example': '# MODEL_KEY=\n',
  'configs/tls/cert.pem': '-----BEGIN CERTIFICATE-----\n',
  'configs/tls/own.pem': '-----BEGIN EC PRIVATE KEY-----\n',
});
const elsewhere = mkdtempSync(join(tmpdir(), 'epistle-restored-'));
const running = new Set<Program>();

async function gatewayOf(root: string): Promise<Program> {
  const gateway = await launchGateway(root).ready;
  running.add(gateway);
  return gateway;
}

/** Of every mail: one that is offered again has the Date that it had, whenever that is. */
const date = new Date();
const write = (gateway: Program, root: string, n: number) =>
  submit(root, gateway.ready, {
    from: FROM,
    to: 'ada@agents.localhost',
    subject: `Mail ${n}`,
    messageId: idOf(n),
    date,
    text: `Keep it.\n/write_file {"path": "notes/${n}.md", "content": "number ${n}"}\n`,
  });

/** In-Reply-To of every mail that has left, sorted. */
async function answered(root: string): Promise<readonly string[]> {
  const folder = join(root, 'data/outgoing');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
  const mails = await Promise.all(names.map((name) => readOutgoing(join(folder, name))));
  return mails.map(({ mail }) => String(mail.inReplyTo)).sort();
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const idsOf = (from: number, to: number) => numbers(from, to).map(idOf).sort();

const create = (...more: string[]) => epistle(workspace.root, ['backup', 'create', ...more]);
const verify = (path: string) => epistle(workspace.root, ['backup', 'verify', path]);
const restore = (path: string, to: string, ...more: string[]) =>
  epistle(workspace.root, ['backup', 'restore', path, '--to', to, ...more]);

let first: string;

beforeAll(async () => {
  const gateway = await gatewayOf(workspace.root);
  await Promise.all(numbers(1, 10).map((n) => write(gateway, workspace.root, n)));
  await vi.waitFor(async () => expect(await answered(workspace.root)).toEqual(idsOf(1, 10)), 90_000);
  symlinkSync('/etc/hostname', join(workspace.root, 'data/personas/ada/files/link'));
  const sending = Promise.all(numbers(11, 40).map((n) => write(gateway, workspace.root, n)));
  const created = await create();
  await sending;
  expect(created).toMatchObject({ code: 0, json: { ok: true, personas: 1, secrets: true } });
  first = created.json.path;
  await gateway.kill();
});
afterAll(async () => {
  for (const gateway of running) await gateway.kill();
  workspace.remove();
  rmSync(elsewhere, { recursive: true, force: true });
});

describe('a backup that was made while mail came in', () => {
  it('is whole, and kept from other accounts', async () => {
    expect(await verify(first)).toMatchObject({ code: 0, json: { ok: true, personas: 1, problems: [] } });
    expect(statSync(first).mode & 0o077).toBe(0);
    expect(statSync(join(first, 'data/personas/ada/persona.db')).mode & 0o077).toBe(0);
    expect(readFileSync(join(first, 'workspace/.env'), 'utf8')).toBe('MODEL_KEY=secret\n');
  });

  it('goes on where it was: what it has is answered once, and so is what is offered to it again', async () => {
    const root = join(elsewhere, 'whole');
    expect(await restore(first, root)).toMatchObject({ code: 0, json: { ok: true, personas: 1 } });
    expect(readFileSync(join(root, 'data/personas/ada/files/notes/7.md'), 'utf8')).toBe('number 7');
    // Without the first its owner would put the secrets into Git.
    const beside = ['.gitignore', '.env.example'].map((file) => readFileSync(join(root, file), 'utf8'));
    expect(beside).toEqual(['.env\ndata/\nmine/\n', '# MODEL_KEY=\n']);
    // A link that leads out of the workspace is not put back.
    expect(existsSync(join(root, 'data/personas/ada/files/link'))).toBe(false);
    const gateway = await gatewayOf(root);
    await Promise.all(numbers(1, 40).map((n) => write(gateway, root, n)));
    await vi.waitFor(async () => expect(await answered(root)).toEqual(idsOf(1, 40)), 90_000);
    expect(await gateway.stop()).toBe(0);
    expect(await answered(root)).toEqual(idsOf(1, 40));
    expect(numbers(1, 40).every((n) => existsSync(join(root, `data/personas/ada/files/notes/${n}.md`)))).toBe(true);
  });

  it('says which links it leaves out, also those that lead out by way of another', async () => {
    const { json: made } = await create('--to', join(elsewhere, 'linked'));
    const manifest = join(made.path, 'manifest.json');
    const links = [
      { path: 'data/personas/ada/files/link', target: '/etc/hostname' },
      { path: 'workspace/configs/a/b/up', target: '../../..' },
      { path: 'workspace/configs/a/b/up/out', target: '../../../x' },
      { path: 'workspace/configs/a/b/round', target: 'up/../../x' },
      { path: 'workspace/configs/kept', target: '../personas' },
    ];
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), links }));
    const root = join(elsewhere, 'with-links');
    const restored = await restore(made.path, root);
    expect(restored).toMatchObject({ code: 0, json: { ok: true } });
    const leftOut = restored.json.links_left_out.map(({ path }: { path: string }) => path);
    expect(leftOut.sort()).toEqual([links[0]?.path, links[3]?.path, links[2]?.path].sort());
    expect(readlinkSync(join(root, 'configs/kept'))).toBe('../personas');
    expect(existsSync(join(root, 'out'))).toBe(false);
  });

  it('leaves nothing half restored where the folder of the data is taken', async () => {
    const away = makeWorkspace({ 'configs/system.json': { data_dir: join(elsewhere, 'taken') } });
    mkdirSync(join(elsewhere, 'taken'));
    writeFileSync(join(elsewhere, 'taken/mine'), '');
    const { json: made } = await epistle(away.root, ['backup', 'create']);
    const root = join(elsewhere, 'half');
    const there = ['--data', join(elsewhere, 'taken')];
    const { json } = await restore(made.path, root, ...there);
    expect(json.error).toMatchObject({ code: 'not_empty', message: expect.stringContaining('data_dir') });
    expect(existsSync(root)).toBe(false);
    rmSync(join(elsewhere, 'taken'), { recursive: true });
    // Whoever made the backup does not choose a folder outside of the one that is restored into.
    const chosen = await restore(made.path, root);
    expect(chosen).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    expect(chosen.json.error.message).toContain(`say so with --data ${join(elsewhere, 'taken')}`);
    expect([existsSync(root), existsSync(join(elsewhere, 'taken'))]).toEqual([false, false]);
    expect(await restore(made.path, root, ...there)).toMatchObject({ code: 0 });
    away.remove();
  });

  it.each(['data/backups', 'personas', 'configs/b/c'])(
    'is not made in %s, which the next one would copy',
    async (to) => {
      const made = await create('--to', join(workspace.root, to));
      expect(made).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    },
  );

  it('clears away what a backup left that was ended in the middle a day ago', async () => {
    const folder = join(elsewhere, 'broken-off');
    const [old, young] = ['1', '2'].map((n) => join(folder, `epistle-2026-01-01T00-00-0${n}-000Z.partial`));
    for (const path of [old, young]) mkdirSync(join(String(path), 'data'), { recursive: true });
    utimesSync(String(old), 0, 0);
    expect((await create('--to', folder)).code).toBe(0);
    expect([existsSync(String(old)), existsSync(String(young))]).toEqual([false, true]);
  });

  it('shares what does not change with the next one, and old ones go', async () => {
    const second = await create('--without-secrets');
    expect(second.json).toMatchObject({ ok: true, secrets: false });
    expect(existsSync(join(second.json.path, 'workspace/.env'))).toBe(false);
    expect(existsSync(join(second.json.path, 'data/submission.secret'))).toBe(false);
    expect(existsSync(join(second.json.path, 'workspace/configs/tls/cert.pem'))).toBe(true);
    expect(existsSync(join(second.json.path, 'workspace/configs/tls/own.pem'))).toBe(false);
    const artifacts = join(second.json.path, 'data/personas/ada/artifacts');
    expect(readdirSync(artifacts).some((name) => statSync(join(artifacts, name)).nlink > 1)).toBe(true);
    const third = await create('--keep', '2');
    expect(third.json.removed).toEqual([first]);
    expect((await epistle(workspace.root, ['backup', 'list'])).json.backups).toHaveLength(2);
    expect(await verify(second.json.path)).toMatchObject({ code: 0 });
    first = third.json.path;
  });
});

describe('a backup that is not what it was', () => {
  const database = 'data/personas/ada/persona.db';
  const cases: readonly (readonly [string, (path: string) => void, string])[] = [
    ['lacks a file', (path) => rmSync(join(path, 'workspace/configs/system.json')), 'is missing'],
    ['has another byte', (path) => appendFileSync(join(path, 'workspace/personas/ada/PERSONA.md'), 'x'), 'bytes'],
    ['has a file too many', (path) => writeFileSync(join(path, 'workspace/configs/more.json'), '{}'), 'manifest'],
    ['has another database', (path) => mutate(join(path, database)), 'other bytes'],
    ['has a link for a file', (path) => link(join(path, 'workspace/configs/system.json')), 'is no file'],
  ];
  const link = (path: string) => {
    const same = join(elsewhere, 'system.json');
    writeFileSync(same, readFileSync(path));
    rmSync(path);
    symlinkSync(same, path);
  };
  const mutate = (path: string) => {
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 255, bytes.length - 100);
    writeFileSync(path, bytes);
  };

  it.each(cases)('%s: said, and not put back', async (name, damage, problem) => {
    const path = join(elsewhere, name.replaceAll(' ', '-'));
    expect((await create('--to', path)).code).toBe(0);
    const copy = join(path, String(readdirSync(path)[0]));
    damage(copy);
    const told = await verify(copy);
    expect(told).toMatchObject({ code: 1, json: { ok: false } });
    expect(told.json.problems[0].problem).toContain(problem);
    const to = join(elsewhere, 'never');
    expect(await restore(copy, to)).toMatchObject({ code: 1, json: { error: { code: 'backup_damaged' } } });
    expect(existsSync(to)).toBe(false);
  });

  it('names a path outside: nothing is written', async () => {
    const path = join(elsewhere, 'hostile');
    const created = await create('--to', path);
    const manifest = join(created.json.path, 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('workspace/.env', 'workspace/../../x'));
    expect((await restore(created.json.path, join(elsewhere, 'never'))).json.error.message).toContain('leads out');
  });

  it('has lost rows although its manifest names the very bytes', async () => {
    const path = join(elsewhere, 'inside');
    const created = await create('--to', path);
    const file = join(created.json.path, database);
    const before = readFileSync(file);
    const copy = new SQLite(file);
    copy.exec('delete from outbox_recipients; delete from outbox');
    copy.close();
    const manifest = join(created.json.path, 'manifest.json');
    const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    const text = readFileSync(manifest, 'utf8').replace(hash(before), hash(readFileSync(file)));
    writeFileSync(manifest, text.replace(`"bytes": ${before.length},`, `"bytes": ${statSync(file).size},`));
    const told = await verify(created.json.path);
    expect(told.code).toBe(1);
    expect(told.json.problems[0]).toMatchObject({ path: database, problem: expect.stringContaining('rows in outbox') });
  });

  it('is none, or has no room', async () => {
    expect((await verify(elsewhere)).json.error.code).toBe('not_a_backup');
    mkdirSync(join(elsewhere, 'full'));
    writeFileSync(join(elsewhere, 'full/x'), 'mine');
    expect((await restore(first, join(elsewhere, 'full'))).json.error.code).toBe('not_empty');
    expect(readFileSync(join(elsewhere, 'full/x'), 'utf8')).toBe('mine');
  });
});
