import { afterEach, describe, expect, it } from 'vitest';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { ADA, MEMBER } from './governance-rig.ts';
import { openPersonaDb } from './persona-db.ts';

// Of when data are, and whether they are all of it, a tool says beside them. An answer that rests on them has to say so as well,
// whether its model does or not.

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const NOW = '2026-11-30T09:30:00Z';

const tool = (name: string, body: string, more = ''): [string, object | string][] => [
  [`extensions/tools/${name}/manifest.json`, { name, kind: 'tool', api: 1, summary: name, entry: 'index.js' }],
  [
    `extensions/tools/${name}/index.js`,
    `let asked = 0;
const daysAgo = (days) => new Date(Date.parse('${NOW}') - days * 86_400_000).toISOString();
export default { description: 'Looks', risk: 'read', scope: 'files:read', input: { type: 'object' }, ${more}
  async run() { asked += 1; ${body} } };
`,
  ],
];
const TOOLS = Object.fromEntries([
  ...tool('stock', "return { id: 'stock', oak: 40, data_until: daysAgo(2) };"),
  ...tool('prices', "return { id: 'prices', oak: 31, data_until: daysAgo(asked > 1 ? 0 : 3) };"),
  ...tool(
    'visits',
    "return { id: 'visits', seen: 128 };",
    `output: { type: 'object' }, provenance: ({ id }) => ({ id }),
     freshness: () => ({ cached: true, window: { from: '2026-11-29T00:00:00Z', to: '2026-11-29T23:00:00Z' } }),
     next: () => ({ more: false, sampled: 0.01 }),`,
  ),
  ...tool('log', "return { id: 'log', seen: 7, cached: false, sampled: true, time_range: { from: '2026-11-29' } };"),
]);

async function asked(says: Says, text: string) {
  open.made = await openModelled(says, {
    ...TOOLS,
    'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: [MEMBER] }, timezone: 'Europe/Berlin' },
  });
  const { office, model } = open.made;
  await office.restart({ NODE_ENV: 'test', EPISTLE_TEST_NOW: NOW });
  await office.ask(text);
  const db = openPersonaDb(office.root, 'ada');
  try {
    const [run] = db.runs();
    if (!run) throw new Error('there is no run');
    const replayed = await office.cli('runs', 'replay', run.id);
    expect(replayed.json.replay).toMatchObject({ identical: true, difference: null });
    const seen = model.requests.slice(1).flatMap(({ view }) => view.results.map(({ content }) => JSON.parse(content)));
    const { json } = await office.cli('runs', 'show', run.id);
    return { text: db.replyText(run) ?? '', seen, sources: json.run.sources };
  } finally {
    db.close();
  }
}

const calling =
  (names: readonly string[], text: string): Says =>
  (turn) =>
    names[turn] === undefined ? { text } : { calls: [{ name: names[turn] }] };

describe('an answer from data that are old', () => {
  it('says of when they are, in its language, and its model is told how far behind they are', async () => {
    const { text, seen } = await asked(
      calling(['stock'], 'There are 40 boards of oak in stock.'),
      'How much oak is there?',
    );
    expect(text).toBe(
      'There are 40 boards of oak in stock.\n\nSome of what I looked up for this goes only up to Sat, 28 Nov 2026, 10:30.',
    );
    expect(seen[0].data_until).toBe('2026-11-28T09:30:00Z');
    expect(seen[0].lag_s - 2 * 86_400).toBeLessThan(120);
    expect(seen[0].lag_s - 2 * 86_400).toBeGreaterThanOrEqual(0);
    expect(seen[0].limitations.join()).toMatch(/old.*say of when they are.*or look again/i);
  });

  it('says it in German to whoever writes German', async () => {
    const { text } = await asked(
      calling(['stock'], 'Es sind noch vierzig Bretter aus Eiche auf Lager, und das reicht.'),
      'Wie viele Bretter aus Eiche sind noch da, und reicht das?',
    );
    expect(text).toContain(
      '\n\nEin Teil dessen, was ich dafür nachgesehen habe, reicht nur bis Sa., 28. Nov. 2026, 10:30.',
    );
  });

  it('has nothing to say where they were looked up again and are of today', async () => {
    const { text } = await asked(calling(['prices', 'prices'], 'Oak is at 31.'), 'What does oak cost?');
    expect(text).toBe('Oak is at 31.');
  });

  it('says it once, where its model declares what it rests on', async () => {
    const { text } = await asked(
      (turn) =>
        turn === 0
          ? { calls: [{ name: 'stock' }] }
          : {
              calls: [
                {
                  name: 'answer',
                  arguments: {
                    text: 'There are 40 boards [1].',
                    claims: [{ text: 'There are 40 boards of oak.', evidence: ['t1'] }],
                  },
                },
              ],
            },
      'How much oak is there?',
    );
    expect(text).toContain('[1] stock – data of 2026-11-28 09:30 UTC');
    expect(text).not.toContain('Some of what I looked up');
  });
});

describe('what a tool says of its results', () => {
  it('is told to the model and stands on record: whether they were kept, are a sample, and of which time', async () => {
    const { seen, sources } = await asked(calling(['visits', 'log'], 'I looked at them.'), 'How many came?');
    const ofVisits = {
      tool: 'visits',
      id: 'visits',
      cached: true,
      sampled: '1%',
      window: { from: '2026-11-29T00:00:00Z', to: '2026-11-29T23:00:00Z' },
    };
    const ofLog = {
      tool: 'log',
      id: 'log',
      cached: false,
      sampled: 'a part',
      window: { from: '2026-11-29', to: null },
    };
    expect(seen.map(({ source }) => source)).toEqual([ofVisits, ofLog]);
    expect(sources.map(({ source }: { source: unknown }) => source)).toEqual([ofVisits, ofLog]);
  });

  it('makes a figure that rests on a sample one of a part', async () => {
    const { text } = await asked(
      (turn) =>
        turn === 0
          ? { calls: [{ name: 'visits' }] }
          : {
              calls: [
                {
                  name: 'answer',
                  arguments: { text: '128 came [1].', claims: [{ text: '128 came.', evidence: ['t1'] }] },
                },
              ],
            },
      'How many came?',
    );
    expect(text).toContain('[1] visits – only a part was read (1%)');
  });
});
