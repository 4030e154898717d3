import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Program } from '../gateway.ts';
import { OWNER } from '../governance-rig.ts';
import { ANSWER, openWaiting, type Waiting } from './rig.ts';

const opened: Waiting[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rig) => rig.close()));
});

const soon = { timeout: 90_000, interval: 50 };
const dyingAt = (label: string) => ({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });

/**
 * Kills it at a moment at which all mail waits. One whose model is just asked again waits no longer: the next process
 * goes on with it by itself, and takes up the other alone.
 */
async function killWhileAllWait({ runs }: Waiting, program: Program): Promise<void> {
  const { pid } = program.ready;
  for (;;) {
    process.kill(pid, 'SIGSTOP');
    await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toMatch(/\) T /), soon);
    if (runs().every(({ deferred_code }) => deferred_code !== null)) break;
    process.kill(pid, 'SIGCONT');
    await pause(50);
  }
  await program.kill();
}

/** Two mails to a dead model, a process that dies at the label and another that lives; then the model works again. */
async function survive(label: string, when: 'while it fails' | 'when it works'): Promise<Waiting> {
  const rig = await openWaiting({ retry: { late_note_min: 0.05 } });
  opened.push(rig);
  const { office } = rig;
  const program = await office.launch();
  const told = async () => {
    await vi.waitFor(async () => expect(await office.left('wait')).toHaveLength(2), soon);
    await office.arrival('notice', OWNER);
  };
  rig.mood.failing = rig.DEAD;
  for (const number of [1, 2]) await rig.mail(number);
  if (when === 'when it works') await told();
  else await vi.waitFor(() => expect(rig.runs().every((run) => run.deferred_code !== null)).toBe(true), soon);
  await killWhileAllWait(rig, program);
  if (when === 'when it works') rig.mood.failing = null;
  await (await office.launch(dyingAt(label))).death();
  await office.restart({});
  await told();
  rig.mood.failing = null;
  await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(2), soon);
  return rig;
}

describe('a process that is killed while mail waits for a model', () => {
  it.each([
    ['deferred.parked', 'while it fails'],
    ['run.event.deferred', 'while it fails'],
    ['deferred.told', 'while it fails'],
    ['deferred.told:2', 'while it fails'],
    ['deferred.taken_up', 'while it fails'],
    ['deferred.taken_up', 'when it works'],
    ['deferred.taken_up:2', 'when it works'],
  ] as const)('at %s, %s: each mail has its answer and each sender one note', async (label, when) => {
    const rig = await survive(label, when);
    const { office } = rig;
    await rig.mail(3);
    await office.arrival('reply', rig.senderOf(3));
    const replies = await office.left('reply');
    const answered = replies.map(({ mail }) => mail.inReplyTo).toSorted();
    expect(answered).toEqual([1, 2, 3].map((number) => `<q-${number}@member.example>`));
    for (const { mail } of replies) expect(mail.text).toContain(ANSWER);
    const told = (await office.left('wait')).map(({ envelopeTo }) => envelopeTo);
    expect(told.toSorted()).toEqual([1, 2].map(rig.senderOf));
    expect(await office.left('notice', OWNER)).toHaveLength(1);
  });
});
