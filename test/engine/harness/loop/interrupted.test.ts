import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineTool, EngineError } from '#contract';
import type { Store } from '../../../../engine/storage/ports/store.ts';

import { call, type Model, makeRig, type Rig } from '../rig.ts';

type Step = 'text' | 'look' | 'put' | 'broken' | 'unknown' | 'two' | 'gone';

const base = { description: 'A tool', scope: 'files:create', input: { type: 'object' } } as const;
const tools = {
  look: defineTool({ ...base, risk: 'read', run: (args) => args }),
  put: defineTool({ ...base, risk: 'create', effect: 'idempotent', run: (args) => args }),
  broken: defineTool({
    ...base,
    risk: 'read',
    run() {
      throw new Error('no');
    },
  }),
};

/** A model that goes by nothing but its request, and a vendor that is away once where the script says so. */
function scripted(steps: readonly Step[]): Model {
  const away = new Set(steps.flatMap((step, at) => (step === 'gone' ? [at] : [])));
  return ({ messages, toolChoice }) => {
    const at = messages.filter(({ role }) => role === 'assistant').length;
    if (away.delete(at)) throw new EngineError('unavailable', 'gone', { retry: { afterMs: 0 } });
    const step = toolChoice === 'none' ? 'text' : (steps[at] ?? 'text');
    const n = { n: at };
    if (step === 'two') return { toolCalls: [call(`a${at}`, 'look', n), call(`b${at}`, 'put', n)] };
    if (step === 'text' || step === 'gone') return { text: `Text ${at}` };
    return { text: `Step ${at}`, toolCalls: [call(`c${at}`, step, n)] };
  };
}

/** Works the run to its end, dying for good after each commit whose number is in `deaths`. */
async function play(steps: readonly Step[], deaths: readonly number[]) {
  const rig = await makeRig({ tools, models: scripted(steps) });
  try {
    const { runId } = await rig.deliver({ id: '<one@member.example>' });
    for (const [life, commits] of deaths.entries()) await liveFor(rig, `life ${life}`, commits);
    await rig.drain('last');
    const { run, text, rows, events } = await rig.ended(runId ?? '');
    const seen = events.filter(({ type }) => type === 'observation').map(({ data }) => data);
    const kinds = rows.map(({ event_type, tool_call_id, payload_json }) => [event_type, tool_call_id, payload_json]);
    const { status, outcome, code, tool_calls } = run;
    return { status, outcome, code, tool_calls, text, seen, kinds, last: rig.requests.at(-1)?.messages };
  } finally {
    await rig.close();
  }
}

async function liveFor(rig: Rig, instance: string, commits: number): Promise<void> {
  const loaded = await rig.claim(instance);
  if (!loaded) return;
  const dead = Promise.withResolvers<void>();
  const left = { commits };
  const mortal = (store: Store): Store => ({
    ...store,
    async commitStep(batch) {
      await store.commitStep(batch);
      left.commits -= 1;
      if (left.commits > 0) return;
      dead.resolve();
      await new Promise(() => {});
    },
  });
  const work = rig.withStore((store) => rig.advance(loaded, mortal(store)));
  await Promise.race([work, dead.promise]);
}

describe('a run of reads and repeatable changes', () => {
  it('that dies anywhere, up to twice, ends with what it would have ended with', async () => {
    const step = fc.constantFrom<Step>('text', 'look', 'put', 'broken', 'unknown', 'two', 'gone');
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 2 }),
        async (steps, deaths) => {
          expect(await play(steps, deaths)).toEqual(await play(steps, []));
        },
      ),
      { numRuns: 25 },
    );
  });
});
