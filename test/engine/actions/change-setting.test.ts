import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { changeSetting, isGuarded } from '../../../engine/actions/set-up/change-setting.ts';
import { hashOfSettings } from '../../../engine/config/writing/change.ts';
import { openSite } from './site.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const FILE = 'configs/security.json';

function site() {
  const { close, ...site } = openSite({ [FILE]: { owners: ['olga@example.com'] } });
  closers.push(close);
  return site;
}

describe('a setting that somebody else changes in the last moment', () => {
  it('stays as they wrote it, is on record as not changed, and nobody is told of it', async () => {
    const { folder, workspace } = site();
    const theirs = '{ "owners": ["olga@example.com", "bob@example.com"] }\n';
    const seen = hashOfSettings(folder.root, FILE);
    const ports = {
      ...workspace,
      async announce<Result>(_persona: string, _at: number, work: () => Promise<Result>) {
        const done = await work();
        folder.write(FILE, theirs);
        return done;
      },
    };
    const setting = { file: FILE, path: ['owners'], to: ['mallory@example.com'] };
    const changing = changeSetting(ports, { setting, sha256: seen }, { by: 'olga@example.com' });
    await expect(changing).rejects.toMatchObject({ code: 'cancelled' });
    expect(readFileSync(join(folder.root, FILE), 'utf8')).toBe(theirs);
    const [audit, jobs] = await workspace.stores.use('ada', async (store) => [
      await store.listAudit({ limit: 10 }),
      await store.dueJobs(Date.now() + 3_600_000, 10),
    ]);
    expect(audit.map(({ event }) => event).sort()).toEqual(['setting_changed', 'setting_not_changed']);
    expect(jobs).toEqual([]);
  });
});

describe('which settings need somebody who has come in a moment ago', () => {
  it.each([
    [FILE, 'owners', true],
    [FILE, 'tool_policy.risk.write', true],
    [FILE, 'approvals.ttl_hours', true],
    ['configs/system.json', 'console.public_url', true],
    ['configs/system.json', 'backup', true],
    ['configs/system.json', 'backup.keep', true],
    ['configs/system.json', 'log.level', true],
    ['configs/gateway.json', 'mailboxes.main.imap.host', true],
    ['configs/gateway.json', 'limits.max_attachments', true],
    ['configs/inference.json', 'max_tool_turns', false],
    ['extensions/extensions.json', 'mcp.files.command', true],
    ['personas/ada/persona.json', 'owners', true],
    ['personas/ada/persona.json', 'tools.allow', true],
    ['configs/context.json', 'profiles.thread', true],
    ['configs/inference.json', 'fallback', true],
    ['personas/ada/persona.json', 'reply.mode', true],
    ['personas/ada/persona.json', 'calendar.urls', true],
    ['personas/ada/persona.json', 'signature', false],
    ['personas/ada/persona.json', 'budget.usd_per_day', false],
  ] as const)('%s %s: %s', (file, key, guarded) => {
    expect(isGuarded({ file, path: key.split('.') })).toBe(guarded);
  });
});
