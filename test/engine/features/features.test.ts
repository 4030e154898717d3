import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, RESOLVER_CAPABILITY_NAMES } from '#contract';
import { FEATURES, PARTS } from '../../../engine/features/features.ts';
import type { Found, GatherPart, GatherRun } from '../../../engine/harness/context/parts.ts';
import type { Features } from '../../../engine/harness/features.ts';
import { replayOf } from '../harness/replaying.ts';
import { call, makeRig, type Rig, type RigOptions } from '../harness/rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

const { atHand } = FEATURES;
const NONE: Features = { atHand, parts: [], before: [], around: [], ownRun: [], after: [] };

/** A rig whose runs have these features and no other. */
async function rigWith(features: Partial<Features>, options: Partial<RigOptions> = {}): Promise<Rig> {
  const rig = await makeRig({ models: () => ({ text: 'Answered.' }), ...options });
  rigs.push(rig);
  Object.assign(rig.harness, { features: async () => ({ ...NONE, ...features }) });
  return rig;
}

const placed = (text: string, at: 'next' | 'beyond') => ({
  text,
  at,
  shown: [
    { origin: `what ${text} returned for an earlier mail` as const, text, trusted: false, foreign: false, own: true },
  ],
});
const finding = (found: Partial<Found>): GatherPart => ({
  forRun: () => ({ gather: async () => ({ span: null, ...found }) }),
});
/** What the model is shown of the mail and above it. */
function blockIn({ requests }: Rig): readonly string[] {
  const last = requests.at(-1)?.messages.at(-1);
  return last?.role === 'user' ? last.content.map((part) => (part.type === 'text' ? part.text : '')) : [];
}

describe('a run without any feature', () => {
  it('is worked and answered all the same', async () => {
    const rig = await rigWith({});
    const { run, events } = await rig.answer({ text: 'Please help.' });
    expect(run).toMatchObject({ status: 'done', outcome: 'final' });
    expect(blockIn(rig)).toHaveLength(1);
    expect(events.find(({ type }) => type === 'context_built')?.data).not.toHaveProperty('fact_ids');
  });
});

describe('a mail, with everything switched off', () => {
  const isFor = (run: GatherRun) => Object.entries(PARTS).flatMap(([name, part]) => (part.forRun(run) ? [name] : []));
  const partsOf = async (text: string, options: Partial<RigOptions> = {}) => {
    const seen: GatherRun[] = [];
    const probe: GatherPart = {
      forRun(run) {
        seen.push(run);
        return null;
      },
    };
    await (await rigWith({ parts: [probe] }, options)).answer({ text });
    return seen.flatMap(isFor);
  };

  it('has the parts that every mail has, and no other', async () => {
    const parts = await partsOf('Please help.');
    expect(parts).toEqual(['mailSearch', 'knowledge', 'people', 'openLoops', 'threadMemory', 'active', 'rules']);
  });

  it('has those that a setting switches on', async () => {
    const persona = { memory: { recall: true, facts: true }, learning: { enabled: true } };
    expect(await partsOf('When does the carpenter come for the staircase?', { persona })).toEqual(
      expect.arrayContaining(['recall', 'closedThreads', 'facts', 'playbook']),
    );
  });
});

describe('parts of a prompt', () => {
  const A = placed('a, beyond the others', 'beyond');
  const B = placed('b, after a', 'beyond');
  const C = placed('c, next to the mail', 'next');
  const D = placed('d, after c', 'next');
  const part = (one: typeof A): GatherPart => ({ ...finding({ placed: one }), again: async () => one });

  it('stand in the order of the list, each where it says', async () => {
    const rig = await rigWith({ parts: [A, C, B, D].map(part) });
    await rig.answer({ text: 'Please help.' });
    expect(blockIn(rig)[0]).toContain('Please help.');
    expect(
      blockIn(rig)
        .slice(1)
        .map((text) => text.trim()),
    ).toEqual([C, D, A, B].map(({ text }) => text));
  });

  it('come out the same in a replay by the same list, and otherwise by another', async () => {
    const parts = [A, C].map(part);
    const rig = await rigWith({ parts });
    const { run } = await rig.answer();
    const replayBy = async (list: readonly GatherPart[]) => (await replayOf(rig, run.id, list)).difference;
    expect(await replayBy(parts)).toBeNull();
    expect(await replayBy([A].map(part))).not.toBeNull();
  });

  it('are on record in the order of the list, and say once what two of them lack', async () => {
    const span = (name: string) => ({ part: name, from_ms: 0, ms: 0, chars: 0, error: null });
    const lacking = (name: string) => finding({ span: span(name), limitations: ['The attic is locked.'] });
    const rig = await rigWith({ parts: [lacking('second'), lacking('first')] });
    const { events } = await rig.answer();
    const built = events.find(({ type }) => type === 'context_built')?.data;
    const { spans = [], limitations = [] } = built as { spans?: { part: string }[]; limitations?: string[] };
    expect(spans.map(({ part: name }) => name).slice(-2)).toEqual(['second', 'first']);
    expect(limitations.filter((text) => text === 'The attic is locked.')).toHaveLength(1);
  });

  it('add to the settings of the run, to what it knows of its mail, and to its events', async () => {
    const later = { of: 'Olga', tools: ['wipe'] };
    const rig = await rigWith({
      parts: [
        finding({
          system: ['Work slowly.'],
          settings: { later },
          frame: (known) => ({ ...known, contract: { ...known.contract, contract: ['date'] } }),
          tell: (recorder) => recorder.event('gather_part', { part: 'attic', chars: 1, timezone: 'UTC', sources: [] }),
        }),
      ],
    });
    const { events } = await rig.answer();
    expect(rig.requests[0]?.system.at(-1)).toBe('Work slowly.');
    const types = events.map(({ type }) => type);
    expect(types.indexOf('gather_part')).toBe(types.indexOf('context_built') + 1);
    const built = events.find(({ type }) => type === 'context_built')?.data as { frame: { contract: object } };
    expect(built.frame.contract).toMatchObject({ contract: ['date'] });
  });
});

describe('a reason not to work a run', () => {
  it('ends it without a word before any model is asked, and none after it is looked for', async () => {
    const asked: string[] = [];
    const rig = await rigWith({
      before: [
        async () => {
          asked.push('first');
          return { status: 'done', outcome: 'silent:attic', code: null };
        },
        async () => {
          asked.push('second');
          return null;
        },
      ],
    });
    const { run } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'silent:attic', reply_message_id: null });
    expect([asked, rig.requests]).toEqual([['first'], []]);
  });
});

describe('what is around calls', () => {
  it('is gone through from the innermost to the outermost', async () => {
    const order: string[] = [];
    const around = (name: string): Features['around'][number] => ({
      make: () => async (_next, make) => {
        order.push(`${name} begins`);
        const made = await make();
        order.push(`${name} ends`);
        return made;
      },
    });
    const note = defineTool({
      description: 'For a test',
      risk: 'create',
      scope: 'files:create',
      input: z.object({}),
      run: async () => order.push('made'),
    });
    const models = (_: unknown, asked: number) =>
      asked === 1 ? { toolCalls: [call('n1', 'note', {})] } : { text: 'Done.' };
    const rig = await rigWith({ around: [around('inner'), around('outer')] }, { tools: { note }, models });
    await rig.answer();
    expect(order).toEqual(['outer begins', 'inner begins', 'made', 'inner ends', 'outer ends']);
  });
});

/** A run as parts see it, of a persona with these settings. */
async function runOf(persona: object, mail: Parameters<Rig['answer']>[0] = {}): Promise<GatherRun> {
  const seen: GatherRun[] = [];
  const watch: GatherPart = {
    forRun(run) {
      seen.push(run);
      return null;
    },
  };
  const rig = await rigWith({ parts: [watch] }, { persona });
  await rig.answer(mail);
  const [run] = seen;
  if (!run) throw new Error('no run was gathered for');
  return run;
}

describe('the features that there are', () => {
  it('give resolvers everything that these may use and the gathering itself does not', async () => {
    const run = await runOf({});
    const given = FEATURES.parts.flatMap((part) => Object.keys(part.forRun(run)?.capabilities ?? {}));
    const own = ['readFile', 'listFiles', 'history'];
    expect([...given, ...own].sort()).toEqual([...RESOLVER_CAPABILITY_NAMES].sort());
  });

  it('leave the list of a run that their setting switches them off for', async () => {
    const of = async (persona: object) => {
      const run = await runOf(persona);
      return FEATURES.parts.filter((part) => part.forRun(run)?.gather !== undefined).length;
    };
    const off = { memory: { recall: false, facts: false } };
    const none = await of(off);
    // The two looks at earlier mail go together.
    expect((await of({ memory: { recall: true, facts: false } })) - none).toBe(2);
    expect((await of({ memory: { recall: false, facts: true } })) - none).toBe(1);
    expect((await of({ ...off, learning: { enabled: true } })) - none).toBe(1);
  });
});
