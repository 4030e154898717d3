import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CRASH_POINTS } from '../../engine/lib/crash-points.ts';
import { someOf } from '../size.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import type { Gateway, Program } from './gateway.ts';
import { MEMBER, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

// Three mails of one thread that come before the first is answered, and a process that dies on the way to their one answer.

const LABELS = [
  ...CRASH_POINTS,
  ...['accept.committed:2', 'accept.seen:3', 'run.model_replied:2'],
  ...['run_started', 'context_built', 'model_call_started', 'model_call_ended', 'decision', 'observation'].map(
    (type) => `run.event.${type}`,
  ),
  ...['run.event.mail_taken_in', 'run.event.reply_committed', 'run.event.run_ended'],
];

const rig: { made?: Modelled } = {};
/** By mail: whether the model may answer it. */
const held = new Map<string, PromiseWithResolvers<void>>();
const holdOf = (n: string) => {
  const known = held.get(n) ?? Promise.withResolvers<void>();
  held.set(n, known);
  return known;
};

beforeAll(async () => {
  rig.made = await openModelled(
    (turn, lastUser) => {
      const [, n = ''] = /burst (\w+)/.exec(lastUser) ?? [];
      if (turn === 0) return { calls: [{ name: 'list_files', arguments: {} }], until: holdOf(n).promise };
      return { text: `This answers burst ${n}.` };
    },
    {
      'configs/security.json': {
        owners: [OWNER],
        loop_guard: { max_replies_per_sender_per_hour: 0, max_fast_replies: 0 },
      },
    },
  );
}, 60_000);
afterAll(() => rig.made?.close());

const isDead = (gateway: Gateway | Program): boolean =>
  'process' in gateway && (gateway.process.exitCode !== null || gateway.process.signalCode !== null);

describe('three mails of one thread, and a process that is killed at a labelled point', () => {
  it.each(someOf(LABELS, 4))('%s: they get one answer after the restart', async (label) => {
    const { office, model } = rig.made as Modelled;
    const n = label.replaceAll(/\W|_/g, '');
    const idOf = (part: number) => `<${n}-${part}@member.example>`;
    const life: { gateway: Gateway | Program; died: boolean } = {
      gateway: await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label }),
      died: false,
    };
    const revive = async () => {
      if (life.died || !isDead(life.gateway)) return;
      life.died = true;
      life.gateway = await office.restart({});
    };
    /** As a mail server does: until it is acknowledged. */
    const hand = (part: number) =>
      onceRecorded(office.root, async () => {
        await revive();
        await office.post({
          from: MEMBER,
          subject: `Burst ${n}`,
          messageId: idOf(part),
          date: new Date('2026-11-22T10:00:00Z'),
          text: `This is burst ${n} part ${part}.`,
          ...(part === 1 ? {} : { inReplyTo: idOf(1), references: [idOf(1)] }),
        });
      });
    await hand(1);
    await onceRecorded(office.root, async () => {
      await revive();
      expect(model.requests.some(({ view }) => view.lastUser.includes(`burst ${n} part 1`))).toBe(true);
    });
    await hand(2);
    await hand(3);
    holdOf(n).resolve();
    const mine = async () =>
      (await office.cli('runs', 'list', '--limit', '200')).json.runs
        .filter(({ message_id: id }: { message_id: string }) => id.startsWith(`<${n}-`))
        .toReversed();
    await onceRecorded(office.root, async () => {
      await revive();
      expect((await mine()).map(({ outcome }: { outcome: string }) => outcome)).toEqual([
        'final',
        'silent:answered_together',
        'silent:answered_together',
      ]);
      expect(life.died).toBe(true);
    });
    const answered = async () =>
      (await office.left('reply', MEMBER))
        .filter(({ mail }) => mail.subject === `Re: Burst ${n}`)
        .map(({ mail }) => mail.inReplyTo);
    await onceRecorded(office.root, async () => expect(await answered()).toEqual([idOf(1)]));
    const said = JSON.stringify(model.requests.findLast(({ view }) => view.lastUser.includes(`burst ${n}`))?.body);
    expect([1, 2, 3].filter((part) => said.includes(`burst ${n} part ${part}`))).toEqual([1, 2, 3]);
    const [{ id }] = await mine();
    const { replay } = (await office.cli('runs', 'replay', id)).json;
    expect(replay).toMatchObject({ identical: true, difference: null });
  });
});
