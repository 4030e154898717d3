import { describe, expect, it } from 'vitest';
import { loadPlaybook } from '../../../engine/learning/select.ts';
import type { PlaybookInForce } from '../../../engine/storage/types/learning/playbooks.ts';

const BODY = {
  meta: { kind: 'answer', capabilities: ['advice', 'steps'], version: 1 },
  advice: 'Be short.',
  steps: [{ tool: 'list_files', arguments: {} }],
};
const inForce = (playbook_json: string): PlaybookInForce => ({
  version: {
    id: 'v-1',
    kind: 'answer',
    number: 1,
    parent_id: null,
    playbook_json,
    origin: 'owner',
    tainted: 0,
    score: null,
    created_at: 0,
  },
  pinned: false,
  pinIsGone: false,
  outcomes: [],
});
const load = (
  found: unknown,
  { kind = 'answer', ceiling = ((tool) => tool === 'list_files') as (tool: string) => boolean } = {},
) => {
  const text = typeof found === 'string' ? found : JSON.stringify(found);
  return loadPlaybook(kind, { enabled: true, store: { playbookInForce: async () => inForce(text) }, ceiling });
};
const changed = (change: object) => ({ ...BODY, ...change });

describe('loading a playbook', () => {
  it('H-2: asks the store nothing where nothing is learned', async () => {
    const store = { playbookInForce: () => Promise.reject(new Error('asked')) };
    const loaded = await loadPlaybook('answer', { enabled: false, store, ceiling: () => true });
    expect(loaded).toEqual({ loaded: false, reason: 'disabled' });
  });

  it('H-1: says that there is none', async () => {
    const store = { playbookInForce: async () => undefined };
    expect(await loadPlaybook('answer', { enabled: true, store, ceiling: () => true })).toEqual({
      loaded: false,
      reason: 'no_version',
    });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"meta":'],
    ['no object', '[]'],
    ['a key that it does not know', changed({ module: 'process.exit()' })],
    ['a wrong type', changed({ advice: 7 })],
    ['too many steps', changed({ steps: Array.from({ length: 51 }, () => BODY.steps[0]) })],
    ['too long', changed({ advice: 'x'.repeat(30_000) })],
    ['a condition that looks elsewhere', changed({ stop: [{ of: 'process.env', is: 'present' }] })],
  ])('H-1: refuses %s as syntax, and never throws', async (_, found) => {
    expect(await load(found)).toMatchObject({ loaded: false, reason: 'syntax' });
  });

  it.each([
    ['none', changed({ meta: undefined })],
    ['an unknown capability', changed({ meta: { ...BODY.meta, capabilities: ['shell'] } })],
    ['a version of nothing', changed({ meta: { ...BODY.meta, version: 0 } })],
    ['another kind', changed({ meta: { ...BODY.meta, kind: 'draft' } })],
  ])('H-1: refuses a meta with %s', async (_, found) => {
    expect(await load(found)).toMatchObject({ loaded: false, reason: 'meta_invalid' });
  });

  it('H-1: says where looking at it threw, the store included', async () => {
    const ceiling = () => {
      throw new Error('boom');
    };
    expect(await load(BODY, { ceiling })).toMatchObject({ loaded: false, reason: 'meta_threw', detail: 'boom' });
    const store = { playbookInForce: () => Promise.reject(new Error('disk')) };
    expect(await loadPlaybook('answer', { enabled: true, store, ceiling: () => true })).toMatchObject({
      loaded: false,
      reason: 'meta_threw',
      detail: 'disk',
    });
  });

  it('H-13: takes none that wants a tool which the persona may not use, by a step or by a default', async () => {
    const step = changed({ steps: [{ tool: 'shell', arguments: {} }] });
    const byDefault = changed({
      meta: { ...BODY.meta, capabilities: ['defaults'] },
      defaults: { send_email: { to: 'x@evil.example' } },
    });
    for (const found of [step, byDefault]) {
      expect(await load(found)).toMatchObject({
        reason: 'meta_invalid',
        detail: expect.stringContaining('may not use'),
      });
    }
  });

  it('H-3: has nothing of it count but what its meta names, and nothing of one for another kind', async () => {
    const narrow = { deny: [{ rule: 'no', tool: 'x', reason: 'no' }] };
    const loaded = await load(changed({ narrow, meta: { ...BODY.meta, capabilities: ['advice'] } }));
    expect(loaded).toMatchObject({ loaded: true, playbook: { advice: 'Be short.', steps: [], narrow: { deny: [] } } });
    expect(await load(BODY, { kind: 'draft' })).toMatchObject({ loaded: false, reason: 'meta_invalid' });
  });
});
