import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExtensionNames } from '../../../../engine/config/cross-checks.ts';
import { rulesOf } from '../../../../engine/config/directory.ts';
import { createLiveConfig, type LiveChange, type LiveConfig } from '../../../../engine/config/live/live.ts';
import { createPersonaRecords } from '../../../../engine/config/live/persona-records.ts';
import { loadConfigs } from '../../../../engine/config/load.ts';
import type { Clock } from '../../../../engine/lib/clock.ts';
import { systemClock } from '../../../../engine/lib/clock.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { persona, type TemporaryWorkspace, temporaryWorkspace } from '../temporary-workspace.ts';

function open(workspace: TemporaryWorkspace, more: { clock?: Clock; known?: () => ExtensionNames | null } = {}) {
  const live = createLiveConfig({ workspace: workspace.path, log: silentLog, clock: systemClock(), ...more });
  const changes: LiveChange[] = [];
  live.onChange((change) => changes.push(change));
  return { live, changes };
}

/** Starts watching and resolves when `happened` holds; two seconds are promised, on a machine that is not busy. */
async function isNoticed(live: LiveConfig, happened: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = setTimeout(() => reject(new Error('not noticed')), 60_000);
  const stop = live.onChange(() => {
    if (happened()) resolve();
  });
  await promise.finally(() => {
    clearTimeout(late);
    stop();
  });
}

function started(workspace: TemporaryWorkspace): LiveConfig {
  const { live } = open(workspace);
  live.start();
  onTestFinished(() => live.stop());
  return live;
}

const stateOf = (live: LiveConfig, id: string) => live.personas().get(id)?.state;
const codesOf = (live: LiveConfig) => live.problems().map(({ code }) => code);

describe('a running gateway', () => {
  it('takes up a persona whose folder is added, before and after its file is complete', async () => {
    const workspace = temporaryWorkspace(persona('ada'));
    const live = started(workspace);
    mkdirSync(join(workspace.path, 'personas', 'bob'));
    const incomplete = isNoticed(live, () => stateOf(live, 'bob') === 'error');
    workspace.write({ 'personas/bob/persona.json': '{"name": "Bob", ' });
    await incomplete;
    expect(codesOf(live)).toEqual(['invalid_json']);
    const complete = isNoticed(live, () => stateOf(live, 'bob') === 'ready');
    workspace.write(persona('bob'));
    await complete;
    expect(live.personas().byAddress('bob@agents.localhost')?.state).toBe('ready');
    expect(live.problems()).toEqual([]);
  });

  it('notices an edit inside a folder, a removal, a task and a config file', async () => {
    const workspace = temporaryWorkspace({ ...persona('ada'), ...persona('bob') });
    const live = started(workspace);
    const edited = isNoticed(live, () => live.personas().byAddress('countess@agents.localhost')?.id === 'ada');
    workspace.write(persona('ada', { aliases: ['countess@agents.localhost'] }));
    await edited;
    const removed = isNoticed(live, () => live.personas().get('bob') === undefined);
    workspace.write({ 'personas/bob': null });
    await removed;
    const configured = isNoticed(live, () => live.current().system.dispatch.max_runs === 9);
    workspace.write({ 'configs/system.json': { dispatch: { max_runs: 9 } } });
    await configured;
    const tasks = new Set<string>();
    live.onChange((change) => {
      for (const id of change.tasks) tasks.add(id);
    });
    const task = isNoticed(live, () => tasks.has('ada'));
    workspace.write({ 'personas/ada/tasks/daily.md': '---\nname: Daily\n---\nHello' });
    await task;
  });

  it('starts without the folders and watches them when they appear', async () => {
    const workspace = temporaryWorkspace();
    const live = started(workspace);
    const added = isNoticed(live, () => stateOf(live, 'ada') === 'ready');
    workspace.write(persona('ada'));
    await added;
  });

  it('says nothing more after it was stopped', async () => {
    const workspace = temporaryWorkspace(persona('ada'));
    const { live, changes } = open(workspace);
    live.start();
    live.stop();
    const other = started(workspace);
    const noticed = isNoticed(other, () => stateOf(other, 'bob') === 'ready');
    workspace.write(persona('bob'));
    await noticed;
    expect(changes).toEqual([]);
  });
});

describe('an invalid edit of a persona', () => {
  it.each([
    ['broken JSON', '{', 'invalid_json'],
    ['an unknown key', { name: 'Ada', address: 'ada@agents.localhost', ownres: [] }, 'unknown_key'],
    ['an unknown mailbox', { name: 'Ada', address: 'ada@agents.localhost', mailbox: 'gone' }, 'unknown_mailbox'],
    ['an empty file', '', 'invalid_json'],
  ])('with %s keeps the last good one and is listed until it is mended', (_what, content, code) => {
    const workspace = temporaryWorkspace(persona('ada', { reply: { recipients: 'all' } }));
    const { live } = open(workspace);
    workspace.write({ 'personas/ada/persona.json': content });
    live.sweep();
    expect(live.personas().get('ada')).toMatchObject({ state: 'ready', persona: { reply: { recipients: 'all' } } });
    expect(codesOf(live)).toEqual([code]);
    workspace.write(persona('ada', { reply: { recipients: 'known' } }));
    live.sweep();
    expect(live.personas().get('ada')).toMatchObject({ state: 'ready', persona: { reply: { recipients: 'known' } } });
    expect(live.problems()).toEqual([]);
  });

  it('that removes persona.json beside PERSONA.md keeps the last good one', () => {
    const workspace = temporaryWorkspace({ ...persona('ada'), 'personas/ada/PERSONA.md': 'I am' });
    const { live } = open(workspace);
    workspace.write({ 'personas/ada/persona.json': null });
    live.sweep();
    live.sweep();
    expect(stateOf(live, 'ada')).toBe('ready');
    expect(codesOf(live)).toEqual(['not_found']);
  });

  it('does not outlive what it depends on: without its mailbox the last good one is in error', () => {
    const mailbox = { id: 'main', smtp: { host: 'h', user: 'u', secret_env: 'S' } };
    const workspace = temporaryWorkspace({
      'configs/gateway.json': { mailboxes: [mailbox] },
      ...persona('ada', { mailbox: 'main' }),
    });
    const { live } = open(workspace);
    workspace.write({ 'configs/gateway.json': { mailboxes: [] } });
    live.sweep();
    expect(live.personas().get('ada')).toMatchObject({ state: 'error', problems: [{ code: 'unknown_mailbox' }] });
    workspace.write({ 'configs/gateway.json': { mailboxes: [mailbox] } });
    live.sweep();
    expect(stateOf(live, 'ada')).toBe('ready');
  });
});

describe('two personas that come to share an address', () => {
  it('are both in error until one lets go', () => {
    const workspace = temporaryWorkspace(persona('ada'));
    const { live } = open(workspace);
    workspace.write(persona('bob', { address: 'ada@agents.localhost' }));
    live.sweep();
    expect([stateOf(live, 'ada'), stateOf(live, 'bob')]).toEqual(['error', 'error']);
    workspace.write(persona('bob'));
    live.sweep();
    expect([stateOf(live, 'ada'), stateOf(live, 'bob')]).toEqual(['ready', 'ready']);
    expect(live.problems()).toEqual([]);
  });
});

describe('an editor that saves by renaming', () => {
  it('makes neither a persona nor a config file disappear in between', () => {
    const workspace = temporaryWorkspace({ ...persona('ada'), 'configs/gateway.json': { domain: 'example.com' } });
    const { live, changes } = open(workspace);
    const files = [join(workspace.path, 'personas/ada/persona.json'), join(workspace.path, 'configs/gateway.json')];
    for (const file of files) renameSync(file, `${file}~`);
    live.sweep();
    expect(stateOf(live, 'ada')).toBe('ready');
    expect(live.current().gateway.domain).toBe('example.com');
    for (const file of files) renameSync(`${file}~`, file);
    live.sweep();
    expect(changes).toEqual([]);
  });

  it('is told apart from somebody who deletes: absent twice is absent', () => {
    const workspace = temporaryWorkspace({ ...persona('ada'), 'configs/gateway.json': { domain: 'example.com' } });
    const { live } = open(workspace);
    workspace.write({ 'personas/ada/persona.json': null, 'configs/gateway.json': null });
    live.sweep();
    live.sweep();
    expect(live.personas().get('ada')).toBeUndefined();
    expect(live.current().gateway.domain).toBe('agents.localhost');
  });
});

describe('a bad config file', () => {
  it('is fatal at the start, with every problem', () => {
    const workspace = temporaryWorkspace({ 'configs/gateway.json': '{', 'configs/system.json': { lgo: {} } });
    expect(() => open(workspace)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringMatching(/gateway\.json.*system\.json/s),
      }),
    );
  });

  it('keeps its own last good version later, while the others change', () => {
    const workspace = temporaryWorkspace({ 'configs/security.json': { owners: ['you@example.com'] } });
    const { live } = open(workspace);
    workspace.write({ 'configs/security.json': { owners: 'me' }, 'configs/system.json': { data_dir: 'elsewhere' } });
    live.sweep();
    expect(live.current().security.owners).toEqual(['you@example.com']);
    expect(live.current().system.data_dir).toBe('elsewhere');
    expect(live.problems()).toEqual([expect.objectContaining({ file: 'configs/security.json', key: 'owners' })]);
  });

  it('that is renamed by mistake lifts no rule', () => {
    const workspace = temporaryWorkspace({ 'configs/security.json': { gateway_access: { deny: ['*@evil.example'] } } });
    const { live } = open(workspace);
    renameSync(join(workspace.path, 'configs/security.json'), join(workspace.path, 'configs/secruity.json'));
    live.sweep();
    live.sweep();
    expect(live.current().security.gateway_access.deny).toEqual(['*@evil.example']);
    expect(codesOf(live)).toEqual(['unknown_key']);
  });

  it('changes nothing and tells nobody when only its spaces change', () => {
    const workspace = temporaryWorkspace({ 'configs/system.json': '{"data_dir":"data"}' });
    const { live, changes } = open(workspace);
    const before = live.current();
    workspace.write({ 'configs/system.json': '{ "data_dir": "data" }\n' });
    live.sweep();
    expect(live.current()).toBe(before);
    expect(changes).toEqual([]);
  });
});

describe('owners in security.json', () => {
  it('reach the personas that name none of their own', () => {
    const workspace = temporaryWorkspace(persona('ada'));
    const { live } = open(workspace);
    workspace.write({ 'configs/security.json': { owners: ['new@example.com'] } });
    live.sweep();
    expect(live.personas().get('ada')).toMatchObject({ persona: { owners: ['new@example.com'] } });
  });
});

describe('names that come from extensions', () => {
  const base = [
    'load-file',
    'standing-rules',
    'knowledge',
    'thread-memory-state',
    'thread-history',
    'invocation-metadata',
    'current-input',
  ];

  it('are an invalid edit while nothing provides them, and taken up when something does', () => {
    const resolvers = new Set(base);
    const workspace = temporaryWorkspace(persona('ada'));
    const { live } = open(workspace, { known: () => ({ providers: new Set(['offline']), resolvers }) });
    workspace.write({ 'configs/context.json': { profiles: { thread: ['calendar', 'current-input'] } } });
    live.sweep();
    expect(stateOf(live, 'ada')).toBe('ready');
    expect(codesOf(live)).toEqual(['unknown_resolver']);
    expect(live.current().context.profiles.thread).toContain('knowledge');
    resolvers.add('calendar');
    live.recheck();
    expect(live.current().context.profiles.thread).toEqual(['calendar', 'current-input']);
    expect(live.problems()).toEqual([]);
    resolvers.delete('calendar');
    live.recheck();
    expect(live.personas().get('ada')).toMatchObject({ state: 'error', problems: [{ code: 'unknown_resolver' }] });
  });

  it('change with a manifest, which is told', () => {
    const workspace = temporaryWorkspace({ 'extensions/tools/weather/manifest.json': '{}' });
    const { live, changes } = open(workspace);
    workspace.write({ 'extensions/tools/weather/manifest.json': '[]' });
    live.sweep();
    live.sweep();
    expect(changes).toEqual([expect.objectContaining({ extensions: true, configs: false })]);
  });
});

describe('a persona that is about to be used', () => {
  it('is looked at again, at most once a second', () => {
    let now = 5_000;
    const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
    const workspace = temporaryWorkspace(persona('ada'));
    const { live, changes } = open(workspace, { clock });
    const recipients = () => {
      const entry = live.freshPersona('ada');
      return entry?.state === 'ready' ? entry.persona.reply.recipients : entry?.state;
    };
    expect(recipients()).toBe('sender');
    workspace.write(persona('ada', { reply: { recipients: 'known' } }));
    expect(recipients()).toBe('sender');
    now += 1000;
    expect(recipients()).toBe('known');
    expect(changes).toEqual([expect.objectContaining({ personas: new Set(['ada']) })]);
    expect(live.freshPersona('nobody')).toBeUndefined();
  });
});

describe('more personas than are looked at in one go', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => Object.entries(persona(`p${index}`))).flat());

  it('are still joined by a new one within two seconds, and read again before use', async () => {
    const workspace = temporaryWorkspace(many(1200));
    const live = started(workspace);
    expect(live.personas().size).toBe(1200);
    workspace.write(persona('p1199', { reply: { recipients: 'all' } }));
    expect(live.freshPersona('p1199')).toMatchObject({ persona: { reply: { recipients: 'all' } } });
    const added = isNoticed(live, () => stateOf(live, 'late') === 'ready');
    mkdirSync(join(workspace.path, 'personas', 'late'));
    workspace.write(persona('late'));
    await added;
  });

  it('are each looked at in turn, also when some go meanwhile', () => {
    const workspace = temporaryWorkspace(many(10));
    const records = createPersonaRecords(workspace.path);
    const { configs } = loadConfigs(workspace.path);
    if (!configs) throw new Error('the defaults are right');
    const rules = rulesOf(configs, null);
    records.refreshFolders(rules, { personas: new Set(), tasks: new Set() });
    expect([...records.nextSlice(6), ...records.nextSlice(6)].sort()).toEqual([
      'p0',
      'p0',
      'p1',
      'p1',
      'p2',
      'p3',
      'p4',
      'p5',
      'p6',
      'p7',
      'p8',
      'p9',
    ]);
    workspace.write({ 'personas/p8': null, 'personas/p9': null });
    records.refreshFolders(rules, { personas: new Set(), tasks: new Set() });
    expect(new Set([...records.nextSlice(6), ...records.nextSlice(6)]).size).toBe(8);
    expect(records.nextSlice(50)).toHaveLength(8);
  });
});

describe('a listener that throws', () => {
  it('does not keep the others from hearing', () => {
    const workspace = temporaryWorkspace();
    const live = createLiveConfig({ workspace: workspace.path, log: silentLog, clock: systemClock() });
    live.onChange(() => {
      throw new Error('mine');
    });
    const { promise, resolve } = Promise.withResolvers<LiveChange>();
    live.onChange(resolve);
    workspace.write(persona('ada'));
    live.sweep();
    return expect(promise).resolves.toMatchObject({ personas: new Set(['ada']) });
  });
});
