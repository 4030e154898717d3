import { afterEach, describe, expect, it } from 'vitest';
import type { PersonaEntry } from '../../../engine/config/types.ts';
import { listReceived } from '../../../engine/queries/mail/received.ts';
import type { QueryPorts } from '../../../engine/queries/ports.ts';
import { portsOf, viewerOf } from '../../../engine/queries/viewer.ts';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import type { NewSeenMail } from '../../../engine/storage/types/gateway.ts';

const open: GatewayStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

const entry = (id: string, owners: readonly string[]) =>
  ({ state: 'ready', id, persona: { id, owners, address: `${id}@x.test` } }) as unknown as PersonaEntry;
const broken = { state: 'error', id: 'cleo', addresses: [], problems: [] } as const;

function office() {
  const gateway = openGatewayStore(':memory:');
  open.push(gateway);
  const entries = [entry('ada', ['Boss@X.test']), entry('ben', ['bob@x.test', 'boss@x.test']), broken];
  const opened: string[] = [];
  const ports = {
    gateway,
    live: {
      current: () => ({ security: { owners: ['boss@x.test'] } }),
      personas: () => ({
        get: (id: string) => entries.find((one) => one.id === id),
        byAddress: (address: string) => entries.find(({ id }) => address === `${id}@x.test`),
        all: () => entries,
        size: entries.length,
        inError: ['cleo'],
      }),
      problems: () => ['wrong'],
      personasWithTasks: () => ['ada', 'ben'],
      tasksOf: (id: string) => [id],
      freshPersona: (id: string) => entries.find((one) => one.id === id),
    },
    stores: {
      exists: () => true,
      use: async (id: string) => void opened.push(id),
    },
    overviews: { of: async (ids: Iterable<string>) => new Map([...ids].map((id) => [id, {}])) },
  } as unknown as QueryPorts;
  return { ports, gateway, opened };
}
const seen = (persona: string | null, number: number): NewSeenMail => ({
  message_id: `<${number}@x.test>`,
  direction: 'in',
  persona_id: persona,
  recipient: `${persona ?? 'nobody'}@x.test`,
  from_address: 'eve@y.test',
  subject: `mail ${number}`,
  decision: 'refused',
  code: 'sender_not_allowed',
  tier: null,
  detail: null,
  received_at: number,
  mailbox: null,
  uidvalidity: null,
  uid: null,
  thread_id: null,
  run_id: null,
});

describe('a persona whose file is wrong', () => {
  it('is of its owners where they are known, and of those of the gateway where nobody knows', () => {
    const entries = [broken, { ...broken, id: 'dora', owners: ['dora@x.test'] }];
    const live = {
      current: () => ({ security: { owners: ['boss@x.test'] } }),
      personas: () => ({ all: () => entries }),
    } as unknown as Parameters<typeof viewerOf>[0];
    expect([...viewerOf(live, 'boss@x.test', 'owner').personas]).toEqual(['cleo']);
    expect([...viewerOf(live, 'Dora@X.test', 'owner').personas]).toEqual(['dora']);
  });
});

describe('whoever looks', () => {
  it('owns the personas whose files say so at that moment, in whatever letters', () => {
    const { ports } = office();
    const boss = viewerOf(ports.live, 'BOSS@x.test', 'owner');
    expect([boss.address, [...boss.personas], boss.ownsGateway]).toEqual(['boss@x.test', ['ada', 'ben', 'cleo'], true]);
    const bob = viewerOf(ports.live, 'bob@x.test', 'viewer');
    expect([[...bob.personas], bob.ownsGateway]).toEqual([['ben'], false]);
    expect(viewerOf(ports.live, 'eve@x.test', 'owner').personas.size).toBe(0);
  });

  it('is handed nothing of another persona, on any way that leads there', async () => {
    const { ports, gateway, opened } = office();
    const numbers = Array.from({ length: 450 }, (_, number) => number + 1);
    await gateway.recordSeen(
      numbers.map((number) => seen(number % 3 === 0 ? 'ben' : number % 3 === 1 ? 'ada' : null, number)),
    );
    const bob = portsOf(ports, viewerOf(ports.live, 'bob@x.test', 'owner'));
    expect(Array.from(bob.live.personas().all(), ({ id }) => id)).toEqual(['ben']);
    expect([bob.live.personas().get('ada'), bob.live.personas().byAddress('ada@x.test')]).toEqual([
      undefined,
      undefined,
    ]);
    expect([bob.live.personas().size, bob.live.personas().inError, bob.live.problems()]).toEqual([1, [], []]);
    expect([bob.live.freshPersona('ada'), bob.live.tasksOf('ada'), bob.live.personasWithTasks()]).toEqual([
      undefined,
      [],
      ['ben'],
    ]);
    expect([bob.stores.exists('ada'), bob.stores.exists('ben')]).toEqual([false, true]);
    await expect(bob.stores.use('ada', async () => 1)).rejects.toThrow('no persona');
    await bob.stores.use('ben', async () => 1);
    expect(opened).toEqual(['ben']);
    expect([...(await bob.overviews.of(['ada', 'ben', 'cleo'], 0)).keys()]).toEqual(['ben']);

    const first = await listReceived(bob, { limit: 100 });
    const rest = await listReceived(bob, { limit: 100, after: first.next ?? '' });
    const mails = [...first.mails, ...rest.mails];
    expect([mails.length, new Set(mails.map(({ persona }) => persona))]).toEqual([150, new Set(['ben'])]);
    expect(await bob.gateway.listReceived({ limit: 10, persona: 'ada' })).toEqual([]);
    expect(await bob.gateway.seenByMessageId('<1@x.test>')).toEqual([]);
    expect(await bob.gateway.receivedById(1)).toBeUndefined();
    expect(await bob.gateway.refusedMail('<1@x.test>')).toEqual([]);
    for (const personas of [
      ['ada', 'ben', ''],
      ['ada', ''],
    ]) {
      const { rows } = await bob.gateway.lookAtSeen({ limit: 500, personas });
      expect(new Set(rows.map(({ persona_id: persona }) => persona))).toEqual(
        new Set(personas?.length === 2 ? [] : ['ben']),
      );
      const counted = await bob.gateway.seenOfPerson('eve@y.test', personas);
      expect(counted.map(({ persona_id: persona }) => persona)).toEqual(personas?.length === 2 ? [] : ['ben']);
    }
    expect([await bob.gateway.seenById(1), (await bob.gateway.seenById(3))?.persona_id]).toEqual([undefined, 'ben']);
    expect(await bob.gateway.messageIdsLike('1@x', 9)).toEqual([]);
    expect(await bob.gateway.newlyRefused(0)).toEqual([]);

    const boss = portsOf(ports, viewerOf(ports.live, 'boss@x.test', 'owner'));
    expect((await listReceived(boss, { limit: 450 })).mails).toHaveLength(450);
  });
});
