import { html } from 'hono/html';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScreenLook } from '../../../engine/console/screen.ts';
import { runs } from '../../../engine/console/screens/runs.ts';
import { viewerOf } from '../../../engine/queries/viewer.ts';
import { accept, leased, step } from '../../storage/world.ts';
import { openSite } from '../actions/site.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('the page of a run', () => {
  it.each([
    ['done', 'silent:taken', true],
    ['done', 'partial', true],
    ['failed', null, true],
    ['done', 'final', false],
  ] as const)('that is %s with the outcome %s: has a button to try it once more: %s', async (status, outcome, has) => {
    const { workspace, close } = openSite({ 'configs/security.json': { owners: ['olga@example.com'] } });
    closers.push(close);
    await workspace.stores.use('ada', async (store) => {
      await accept(store, 'a');
      await store.commitStep(step(await leased(store), { events: [], patch: { status, outcome } }));
    });
    const look = {
      ...{ ports: workspace, viewer: viewerOf(workspace.live, 'olga@example.com', 'owner'), formToken: html`` },
      ...{ params: { persona: 'ada', id: 'r-a' }, query: new URLSearchParams(), now: workspace.clock.now(), since: '' },
      ...{ isFresh: true, command: (words: string) => words },
    } as unknown as ScreenLook;
    const page = runs.pages.find(({ address }) => address === '/runs/:persona/:id');
    const shown = await page?.open(look);
    const text = String(await shown?.body);
    expect(text).toContain('Where the time went');
    expect(text.includes('action="/runs/ada/r-a/retry"')).toBe(has);
  });
});
