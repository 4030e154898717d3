import { afterEach, describe, expect, it } from 'vitest';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import type { OutboundRoute } from '../../../engine/delivery/outbound-routes.ts';
import { copyToSent, createSentCopier, sentCopyJob } from '../../../engine/delivery/sent-copy.ts';
import { passThrough } from '../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import { doJob } from '../../fakes/do-job.ts';
import { accept, arrival, finish, leased, NOON, outgoing } from '../../storage/world.ts';

const persona = { ...personaSchema.parse({ name: 'Ada', address: 'ada@agents.localhost' }), id: 'ada', owners: [] };
const OURS = '<out@x.example>';
const GIVEN = '<given@server.example>';

const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** An answer that has left over a server that files it under another id; `fails`: who cannot be looked into. */
async function rig({ givesOtherIds = true, found = GIVEN as string | null, fails = false } = {}) {
  const store = openStore(':memory:');
  closers.push(store.close);
  await accept(store, 'a');
  await finish(store, await leased(store), outgoing('out', { message_id: OURS }));
  const job = sentCopyJob('out', NOON);
  await store.addJobs([job]);
  const find = async () => {
    if (fails) throw new Error('the server is away');
    return found;
  };
  // The provider files it: we do not.
  const way: Pick<OutboundRoute, 'id' | 'sent' | 'otherIds'> = {
    id: 'main',
    sent: null,
    otherIds: givesOtherIds ? { find } : null,
  };
  const deps = { log: silentLog, pass: passThrough };
  const route = way as OutboundRoute;
  return {
    send: () => copyToSent(deps, route, { id: 'out', message_id: OURS, raw: new Uint8Array() }, store),
    later: () =>
      doJob(createSentCopier({ ...deps, routeOf: () => route }), { ...job, attempts: 0 }, { persona, store }),
    isDue: async () => (await store.dueJobs(NOON + 600_000, 9)).some(({ kind }) => kind === 'sent_copy'),
    threadsOf: async (id: string) =>
      (await store.readForArrival(arrival('b', { references: [id] }))).threads.map((one) => one.id),
  };
}

describe('a mail that a server files under a Message-ID of its own', () => {
  it('is looked for some time after it has left, and found by that id from then on', async () => {
    const { send, later, isDue, threadsOf } = await rig();
    await send();
    expect([await isDue(), await threadsOf(GIVEN)]).toEqual([true, []]);
    await later();
    expect([await isDue(), await threadsOf(GIVEN), await threadsOf(OURS)]).toEqual([false, ['t-a'], ['t-a']]);
  });

  it.each([
    ['is not there', { found: null }],
    ['has kept our id', { found: OURS }],
    ['cannot be looked for', { fails: true }],
  ])('and that %s teaches nothing, and is not looked for again', async (_, how) => {
    const { send, later, isDue, threadsOf } = await rig(how);
    await send();
    await later();
    expect([await isDue(), await threadsOf(GIVEN), await threadsOf(OURS)]).toEqual([false, [], ['t-a']]);
  });

  it('is not looked for where servers keep our ids', async () => {
    const { send, isDue } = await rig({ givesOtherIds: false });
    await send();
    expect(await isDue()).toBe(false);
  });
});
