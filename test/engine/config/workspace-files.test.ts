import { execFileSync } from 'node:child_process';
import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { workspaceFiles } from '../../../engine/config/workspace-files.ts';
import { temporaryWorkspace } from './temporary-workspace.ts';

describe('reading inside the workspace', () => {
  it('gives the text of a file and null for what is none', async () => {
    const { path } = temporaryWorkspace({ 'personas/ada/PERSONA.md': '\u{feff}I am Ada' });
    const files = workspaceFiles(path);
    expect(await files.readText('personas/ada/PERSONA.md')).toBe('I am Ada');
    expect(await files.readText('./personas//ada/./PERSONA.md')).toBe('I am Ada');
    expect(await files.readText('personas/ada/RULES.md')).toBeNull();
    expect(await files.readText('personas/ada/PERSONA.md/x')).toBeNull();
    expect(await files.readText('personas/ada')).toBeNull();
  });

  it('lists a folder sorted, without hidden and secret names', async () => {
    const { path } = temporaryWorkspace({
      'k/b.md': '',
      'k/a.md': '',
      'k/.hidden': '',
      'k/x.db': '',
      'k/sub/c.md': '',
    });
    const files = workspaceFiles(path);
    expect(await files.list('k')).toEqual(['a.md', 'b.md', 'sub']);
    expect(await files.list('absent')).toEqual([]);
    expect(await files.list('k/a.md')).toEqual([]);
  });

  it('follows a link that stays inside', async () => {
    const { path } = temporaryWorkspace({ 'shared/note.md': 'shared' });
    symlinkSync('../shared', join(path, 'shared', 'loop'));
    symlinkSync('shared/note.md', join(path, 'note.md'));
    expect(await workspaceFiles(path).readText('note.md')).toBe('shared');
    expect(await workspaceFiles(path).readText('shared/loop/note.md')).toBe('shared');
  });
});

describe('an attempt to read something else', () => {
  it.each([
    '../outside.txt',
    'personas/../../outside.txt',
    'personas/ada/..',
    '/etc/passwd',
    '\\\\server\\share',
    'personas\\..\\..\\x',
    'a\0b',
    '',
    '.env',
    '.ENV',
    '.env.local',
    './.env',
    'data/submission.secret',
    'data//submission.secret',
    'data/Submission.Secret',
    'data/gateway.db',
    'data/gateway.db-wal',
    'data/personas/ada/persona.db',
    'certs/listener.key',
  ])('by the path %j is refused', async (path) => {
    const workspace = temporaryWorkspace({ '.env': 'KEY=1', 'data/submission.secret': 's', 'data/gateway.db': 'd' });
    await expect(workspaceFiles(workspace.path).readText(path)).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('by a link is refused where it leads into what is kept of a persona, or out of it, and not within', async () => {
    const workspace = temporaryWorkspace({
      'data/personas/ada/files/a.md': 'own',
      'data/personas/ben/active.md': 'of Ben',
      'data/log/gateway.log': 'log',
      'configs/security.json': '{}',
      'knowledge/x': '',
    });
    const links: readonly (readonly [string, string])[] = [
      ['data/personas/ada/files/ben.md', '../../ben/active.md'],
      ['data/personas/ada/files/folder', '../../ben'],
      ['data/personas/ada/files/rules.md', '../../../../configs/security.json'],
      ['data/personas/ada/files/log.md', '../../../log/gateway.log'],
      ['knowledge/note.md', '../data/personas/ben/active.md'],
    ];
    for (const [name, to] of [...links, ['data/personas/ada/files/b.md', 'a.md'] as const])
      symlinkSync(to, join(workspace.path, name));
    const files = workspaceFiles(workspace.path);
    for (const path of [...links.map(([name]) => name), 'data/personas/ada/files/folder/active.md'])
      await expect(files.readText(path), path).rejects.toMatchObject({ code: 'invalid_arguments' });
    expect(await files.readText('data/personas/ada/files/b.md')).toBe('own');
    expect(await files.readText('./data/personas/ada/files/a.md')).toBe('own');
  });

  it('by a link is refused, whether it leads outside or to a secret inside', async () => {
    const workspace = temporaryWorkspace({ '.env': 'KEY=1', 'knowledge/x': '' });
    const outside = mkdtempSync(join(tmpdir(), 'epistle-outside-'));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    writeFileSync(join(outside, 'secret.md'), 'secret');
    symlinkSync(join(outside, 'secret.md'), join(workspace.path, 'knowledge', 'file.md'));
    symlinkSync(outside, join(workspace.path, 'knowledge', 'folder'));
    symlinkSync('../.env', join(workspace.path, 'knowledge', 'harmless.md'));
    const files = workspaceFiles(workspace.path);
    for (const path of ['knowledge/file.md', 'knowledge/folder/secret.md', 'knowledge/harmless.md']) {
      await expect(files.readText(path)).rejects.toMatchObject({ code: 'invalid_arguments' });
    }
    await expect(files.list('knowledge/folder')).rejects.toMatchObject({ code: 'invalid_arguments' });
  });

  it('by a link to itself fails and does not hang', async () => {
    const { path } = temporaryWorkspace({ 'k/x': '' });
    symlinkSync('loop.md', join(path, 'k', 'loop.md'));
    await expect(workspaceFiles(path).readText('k/loop.md')).rejects.toThrow();
  });

  it('that is too large is refused, and a pipe does not block', async () => {
    const { path } = temporaryWorkspace({ 'big.md': 'x'.repeat(1024 * 1024 + 1), 'exact.md': 'x'.repeat(1024 * 1024) });
    execFileSync('mkfifo', [join(path, 'pipe.md')]);
    const files = workspaceFiles(path);
    await expect(files.readText('big.md')).rejects.toMatchObject({ code: 'config_invalid' });
    expect((await files.readText('exact.md'))?.length).toBe(1024 * 1024);
    expect(await files.readText('pipe.md')).toBeNull();
  });

  it('in a workspace beside another with a longer name is refused', async () => {
    const { path } = temporaryWorkspace({ x: '' });
    const neighbour = `${path}-neighbour`;
    writeFileSync(neighbour, 'theirs');
    onTestFinished(() => rmSync(neighbour));
    symlinkSync(neighbour, join(path, 'link.md'));
    await expect(workspaceFiles(path).readText('link.md')).rejects.toMatchObject({ code: 'invalid_arguments' });
    linkSync(join(path, 'x'), join(path, 'hard.md'));
    expect(await workspaceFiles(path).readText('hard.md')).toBe('');
  });
});
