import { afterEach, describe, expect, it } from 'vitest';
import type { ScreenLook } from '../../../engine/console/screen.ts';
import { approvals } from '../../../engine/console/screens/approvals.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { accept, approval, leased, NOON, step } from '../../storage/world.ts';
import { openSite } from '../actions/site.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const PERSONAS = { ada: 3, ben: 2, carl: 0 };

describe('the number beside Approvals, which stands on every page', () => {
  it('counts the questions of all personas that nobody has decided, and reads none of them', async () => {
    const files = Object.keys(PERSONAS).map((id) => [
      `personas/${id}/persona.json`,
      { name: id, address: `${id}@agents.localhost` },
    ]);
    const { workspace, close } = openSite(Object.fromEntries(files));
    closers.push(close);
    const asked = async (store: Store, count: number): Promise<void> => {
      await accept(store, 'a');
      const held = Array.from({ length: count }, (_, at) => approval(`q${at}`, 'r-a'));
      const patch = { status: 'waiting_approval', leased_by: null, leased_until: null, tool_calls: 1 } as const;
      await store.holdRun({ ...step(await leased(store), { patch }), held });
    };
    for (const [id, count] of Object.entries(PERSONAS)) await workspace.stores.use(id, (store) => asked(store, count));
    const read: string[] = [];
    const stores = {
      ...workspace.stores,
      use(): never {
        read.push('a database');
        throw new Error('a page opens no database for its badge');
      },
    };
    const look = { ports: { ...workspace, stores } } as unknown as ScreenLook;
    expect(await approvals.count?.(look)).toBe(5);
    const decided = { id: 'q0', state: 'rejected', by: 'olga@example.com', reason: null } as const;
    await workspace.stores.use('ben', (store) => store.decideApprovals([decided], [], NOON));
    expect(await approvals.count?.(look)).toBe(4);
    expect(read).toEqual([]);
  });
});
