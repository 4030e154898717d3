import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { finishChange, JOURNAL } from '../../../../engine/config/journal/journal.ts';
import { createLiveConfig } from '../../../../engine/config/live/live.ts';
import { planChange } from '../../../../engine/config/writing/change.ts';
import { systemClock } from '../../../../engine/lib/clock.ts';
import type { CrashPoint } from '../../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { persona, temporaryWorkspace } from '../temporary-workspace.ts';

const BEFORE = {
  'configs/gateway.json': '{ "domain": "a.test" }\n',
  'configs/security.json': '{ "owners": [ "a@b.test" ] }\n',
  '.env': 'A=1\n',
  ...persona('ada'),
};
const box = { host: 'h', user: 'ben@b.test', secret_env: 'BEN' };
/** A mailbox with its password and a persona with its folder. */
const WANTED = {
  settings: [
    { file: 'configs/gateway.json', path: ['mailboxes', 'main'], to: { id: 'main', imap: box, smtp: box } },
    { file: 'configs/security.json', path: ['owners'], to: ['a@b.test', 'c@b.test'] },
    { file: 'personas/ben/persona.json', path: ['name'], to: 'Ben' },
    { file: 'personas/ben/persona.json', path: ['address'], to: 'ben@b.test' },
    { file: 'personas/ben/persona.json', path: ['mailbox'], to: 'main' },
  ],
  texts: [{ file: 'personas/ben/PERSONA.md', text: 'You are Ben.\n' }],
  secrets: [{ name: 'BEN', value: 's' }],
};

/** Every file below a folder, by its path. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** The workspace as a process would leave it that is killed there, at each point that is passed. */
function killedAtEach(root: string, change: (pass: (point: CrashPoint) => void) => void) {
  const left: { readonly point: CrashPoint; readonly root: string }[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'epistle-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  change((point) => {
    const copy = join(folder, String(left.length));
    cpSync(root, copy, { recursive: true });
    left.push({ point, root: copy });
  });
  return left;
}

/** What is there once the next one has come; half a journal, which nobody reads, left out. */
function ended({ point, root }: { readonly point: CrashPoint; readonly root: string }) {
  const journal = statSync(join(root, JOURNAL), { throwIfNoEntry: false });
  expect([point, (journal?.mode ?? 0o600) & 0o777]).toEqual([point, 0o600]);
  expect([point, finishChange(root)]).toEqual([point, journal ? 'completed' : 'none']);
  const found = Object.entries(filesOf(root)).filter(([name]) => !name.startsWith(`${JOURNAL}.`));
  return Object.fromEntries(found);
}

describe('a change of several files', () => {
  it('is all of it or nothing wherever its process is killed', () => {
    const { path } = temporaryWorkspace(BEFORE);
    const before = filesOf(path);
    const left = killedAtEach(path, (pass) => planChange(path, WANTED, pass).write());
    const after = filesOf(path);
    expect(Object.keys(after)).toEqual(
      [...Object.keys(before), 'personas/ben/PERSONA.md', 'personas/ben/persona.json'].toSorted(),
    );
    expect(statSync(join(path, '.env')).mode & 0o777).toBe(0o600);
    // Each of five files, prepared and in its place, and the journal.
    expect(left).toHaveLength(15);
    for (const one of left) {
      const isBegun = !['settings.begun', 'settings.journal_prepared'].includes(one.point);
      expect([one.point, ended(one)]).toEqual([one.point, isBegun ? after : before]);
      if (isBegun) expect(statSync(join(one.root, '.env')).mode & 0o777).toBe(0o600);
    }
  });

  it.each(['settings.journal_written', 'settings.file_prepared', 'settings.file_written', 'settings.written'])(
    'is whole where a running gateway takes it for one that was broken off: %s',
    (when) => {
      const { path } = temporaryWorkspace(BEFORE);
      const left = killedAtEach(path, (pass) => planChange(path, WANTED, pass).write());
      const after = filesOf(path);
      const passed = left.filter(({ point }) => point === when).length;
      for (let nth = 1; nth <= passed; nth += 1) {
        const { path: again } = temporaryWorkspace(BEFORE);
        let at = 0;
        planChange(again, WANTED, (point) => {
          at += point === when ? 1 : 0;
          if (point === when && at === nth) expect(finishChange(again)).toBe('completed');
        }).write();
        expect([nth, filesOf(again)]).toEqual([nth, after]);
      }
      expect(passed).toBeGreaterThan(0);
    },
  );

  it('leaves what was changed since another process has ended it', () => {
    const { path } = temporaryWorkspace(BEFORE);
    const later = '{ "owners": [ "later@b.test" ] }\n';
    const write = () =>
      planChange(path, WANTED, (point) => {
        if (point !== 'settings.file_prepared' || !existsSync(join(path, JOURNAL))) return;
        finishChange(path);
        writeFileSync(join(path, 'configs/security.json'), later);
      }).write();
    expect(write).toThrow(expect.objectContaining({ code: 'cancelled' }));
    expect(readFileSync(join(path, 'configs/security.json'), 'utf8')).toBe(later);
    expect(readFileSync(join(path, 'configs/gateway.json'), 'utf8')).toContain('ben@b.test');
    expect(existsSync(join(path, JOURNAL))).toBe(false);
  });

  it('is completed by whoever is killed over completing it, and is then read as a whole', () => {
    const { path } = temporaryWorkspace(BEFORE);
    const left = killedAtEach(path, (pass) => planChange(path, WANTED, pass).write());
    const after = filesOf(path);
    const half = left.find(({ point }) => point === 'settings.file_written');
    for (const again of killedAtEach(half?.root ?? '', (pass) => finishChange(half?.root ?? '', pass))) {
      const live = createLiveConfig({ workspace: again.root, log: silentLog, clock: systemClock() });
      onTestFinished(live.stop);
      expect(live.problems()).toEqual([]);
      expect(live.current().gateway.mailboxes.map(({ id }) => id)).toEqual(['main']);
      expect(live.personas().get('ben')?.state).toBe('ready');
      expect(filesOf(again.root)).toEqual(after);
    }
  });

  it('is taken back where somebody has written one of the files since, and what they wrote stays', () => {
    const { path } = temporaryWorkspace(BEFORE);
    const before = filesOf(path);
    const mine = '{ "owners": [ "mine@b.test" ] }\n';
    for (const { point, root } of killedAtEach(path, (pass) => planChange(path, WANTED, pass).write())) {
      if (!existsSync(join(root, JOURNAL))) continue;
      writeFileSync(join(root, 'configs/security.json'), mine);
      expect([point, finishChange(root)]).toEqual([point, 'taken_back']);
      expect(filesOf(root)).toEqual({ ...before, 'configs/security.json': mine });
      expect(existsSync(join(root, 'personas/ben'))).toBe(false);
    }
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, 40)],
    ['changed', (text: string) => text.replace('You are Ben', 'You are Bob')],
    ['leading out of the workspace', (text: string) => text.replaceAll('personas/ben', '../ben')],
  ])('stays as it is, and is told, where its journal was %s', (_, spoilt) => {
    const { path } = temporaryWorkspace(BEFORE);
    const [, , written] = killedAtEach(path, (pass) => planChange(path, WANTED, pass).write());
    const root = written?.root ?? '';
    const journal = join(root, JOURNAL);
    writeFileSync(journal, spoilt(readFileSync(journal, 'utf8')));
    const before = filesOf(root);
    expect(() => finishChange(root)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(() => planChange(root, WANTED)).toThrow(/configs\/\.change\.json/);
    expect(filesOf(root)).toEqual(before);
    const live = createLiveConfig({ workspace: root, log: silentLog, clock: systemClock() });
    onTestFinished(live.stop);
    expect(live.current().gateway.domain).toBe('a.test');
  });

  it('is refused while somebody else writes', () => {
    const { path } = temporaryWorkspace(BEFORE);
    const second = () =>
      planChange(path, WANTED, (point) => {
        if (point === 'settings.begun') writeFileSync(join(path, JOURNAL), '{}');
      }).write();
    expect(second).toThrow(expect.objectContaining({ code: 'cancelled' }));
  });

  it('is taken back where one of the files cannot be written', () => {
    const { path } = temporaryWorkspace(BEFORE);
    const before = filesOf(path);
    let written = 0;
    const full = () =>
      planChange(path, WANTED, (point) => {
        if (point === 'settings.file_prepared') written += 1;
        if (written === 3) throw new Error('no space left on device');
      }).write();
    expect(full).toThrow('no space left');
    expect(filesOf(path)).toEqual(before);
  });
});

describe('a change that a gateway ends while it is still being made', () => {
  it('is made, and whoever makes it hears of nothing', () => {
    const { path: root } = temporaryWorkspace(BEFORE);
    const met: string[] = [];
    const pass = (point: CrashPoint) => {
      if (point === 'settings.file_prepared') met.push(finishChange(root));
    };
    planChange(root, WANTED, pass).write();
    expect(met[0]).toBe('completed');
    expect(JSON.parse(readFileSync(join(root, 'personas/ben/persona.json'), 'utf8'))).toMatchObject({ name: 'Ben' });
    expect(existsSync(join(root, JOURNAL))).toBe(false);
    expect(Object.keys(filesOf(root)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
