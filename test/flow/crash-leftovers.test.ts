import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { epistle, launchGateway, startGateway, submit } from './gateway.ts';
import { ADA, MEMBER } from './governance-rig.ts';
import { runsEnded } from './persona-db.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function workspaceOf(): TestWorkspace {
  const workspace = makeWorkspace();
  closers.push(workspace.remove);
  return workspace;
}

async function start(root: string) {
  const gateway = await startGateway(root);
  closers.push(gateway.end);
  return gateway;
}

describe('what killed writers left half-written', () => {
  const HALVES = [
    'data/personas/ada/mail/abc.eml.0123abcd.tmp',
    'data/personas/ada/artifacts/def.89abcdef.tmp',
    'data/outgoing/x.eml.01234567.tmp',
    'data/personas/ada/files/notes/.epistle-aB3dEf/new',
  ];

  it('is removed after a start, but not what is young, and nothing else', async () => {
    const { root } = workspaceOf();
    const put = (name: string, hoursAgo: number) => {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'half');
      const at = Date.now() / 1000 - hoursAgo * 3600;
      for (const each of [path, dirname(path)]) utimesSync(each, at, at);
      return path;
    };
    const young = ['data/personas/ben/mail/abc.eml.0123abcd.tmp', 'data/personas/ben/files/.epistle-x/new'];
    const kept = ['data/personas/ada/mail/abc.eml', 'data/personas/ada/files/notes/plan.tmp'];
    for (const name of kept) put(name, 2);
    for (const name of HALVES) put(name, 2);
    for (const name of young) put(name, 0);
    await start(root);
    await eventually(
      () => HALVES.filter((name) => existsSync(join(root, name))),
      (left) => left.length === 0,
    );
    expect([...young, ...kept].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});

describe('H3: bytes of a mail whose process died before a row named them', () => {
  it('are removed after a later start, and those that a row names are not', async () => {
    const { root } = workspaceOf();
    const mail = (id: string) => ({ from: MEMBER, to: ADA, messageId: `<${id}@member.example>`, text: `Hello ${id}?` });
    const first = await start(root);
    await submit(root, first.ready, mail('answered'));
    await runsEnded(root, 'ada', 1);
    await first.stop();
    const dying = launchGateway(root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: 'accept.raw_written' });
    const { ready } = await dying.ready;
    // Too long for a row: its bytes are written before its rows are.
    await expect(submit(root, ready, { ...mail('lost'), text: 'Hello?\r\n'.repeat(10_000) })).rejects.toThrow();
    await dying.death();
    const folder = join(root, 'data/personas/ada/mail');
    const quarantine = join(root, 'data/quarantine');
    mkdirSync(quarantine, { recursive: true });
    writeFileSync(join(quarantine, `${'a'.repeat(64)}.eml`), 'of a letter that no row is about');
    expect(readdirSync(folder)).toHaveLength(2);
    const daysAgo = Date.now() / 1000 - 2 * 24 * 3600;
    const artifacts = join(root, 'data/personas/ada/artifacts');
    const named = readdirSync(artifacts);
    for (const each of [folder, quarantine, artifacts])
      for (const name of readdirSync(each)) utimesSync(join(each, name), daysAgo, daysAgo);
    await start(root);
    await eventually(
      () => readdirSync(folder).length + readdirSync(quarantine).length,
      (files) => files === 1,
    );
    expect(readdirSync(artifacts)).toEqual(named);
    const replay = await epistle(root, ['runs', 'replay', '<answered@member.example>']);
    expect(replay.code).toBe(0);
  });
});

describe('mail that was taken in by a process that died before it could say so', () => {
  it('is named accepted all the same, whether or not its sender comes again', async () => {
    const { root } = workspaceOf();
    const messageId = '<unseen@member.example>';
    const mail = { from: MEMBER, to: ADA, messageId, subject: 'Hello', text: 'Hello?', date: new Date(0) };
    const dying = launchGateway(root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: 'accept.committed' });
    const { ready } = await dying.ready;
    await expect(submit(root, ready, mail)).rejects.toThrow();
    await dying.death();
    const gateway = await start(root);
    const [run] = await runsEnded(root, 'ada', 1);
    const why = async () => (await epistle(root, ['why', messageId])).json.entries;
    expect(await why()).toMatchObject([
      {
        persona: 'ada',
        decision: 'accepted',
        tier: 'member',
        run: { id: run?.id, status: 'done' },
        replies: [{ kind: 'reply' }],
      },
    ]);
    await submit(root, gateway.ready, mail);
    expect(await why()).toMatchObject([{ decision: 'accepted', run: { id: run?.id } }, { decision: 'duplicate' }]);
  });
});
