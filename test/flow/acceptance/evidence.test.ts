import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestView, Script, ScriptedCall, Turn } from '../../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../../fakes/model-server.ts';
import { ADA, MEMBER, type Office, openOffice } from '../governance-rig.ts';
import { openPersonaDb, runsEnded } from '../persona-db.ts';
import { STEADY } from '../workspace.ts';

/** Calls these one after the other, then says `text`. */
const after =
  (calls: readonly ScriptedCall[], text: string) =>
  (asked: number): Turn => {
    const next = calls[asked];
    return next ? { calls: [next] } : { text };
  };

const tool = (name: string, body: string, more = ''): [string, object | string][] => [
  [
    `extensions/tools/${name}/manifest.json`,
    { name, kind: 'tool', api: 1, summary: name, entry: 'index.js', capabilities: ['files'] },
  ],
  [
    `extensions/tools/${name}/index.js`,
    `import { createHash } from 'node:crypto';
export default { description: 'Looks', risk: 'read', scope: 'files:read', input: { type: 'object' }, ${more}
  async run(args, { files }) { ${body} } };
`,
  ],
];

const LINES = 12_481;
const TWO_DAYS_MS = 2 * 86_400_000;
const TOOLS = Object.fromEntries([
  ...tool('import_log', "return { path: 'import.log', errors: 128, rows: 4812 };"),
  ...tool(
    'strict_look',
    "return { path: 'a.log' };",
    "output: { type: 'object', properties: { row_count: { type: 'number' } }, required: ['row_count'] },",
  ),
  ...tool(
    'big_log',
    `return { path: 'big.log', text: Array.from({ length: ${LINES} }, (_, n) => 'harmless ' + n).join('\\n') };`,
  ),
  ...tool('queue_status', `return { queued: 4711, data_until: new Date(Date.now() - ${TWO_DAYS_MS}).toISOString() };`),
  ...tool(
    'policy_page',
    "const text = await files.read('policy.md'); return { path: 'policy.md', text, source_sha256: createHash('sha256').update(text).digest('hex') };",
  ),
]);
const write = (content: string): ScriptedCall => ({ name: 'write_file', arguments: { path: 'policy.md', content } });

/** By the mail's subject: what the model does, given how often it was asked in this run and what came back. */
const SCRIPTS: Readonly<Record<string, (asked: number, view: RequestView) => Turn>> = {
  hello: () => ({ text: 'Hello Mia, I am well.' }),
  'never looks': () => ({ text: 'It was 12 EUR.' }),
  'denies errors': after([{ name: 'import_log' }], 'There were no errors in the log. Ask me for more.'),
  'says it is sent': () => ({ text: 'All set, the offer is with them.' }),
  'lacks a field': after([{ name: 'strict_look' }], 'I could not read it: the result is not as it should be.'),
  'sees a part': after([{ name: 'big_log' }], 'All entries of big.log look harmless to me.'),
  'is late': after([{ name: 'queue_status' }], 'There are 4711 mails in the queue.'),
  drifts: after([write('Two weeks.'), { name: 'policy_page' }, write('Three weeks.')], 'By policy.md it is two weeks.'),
  'invents a source': () => ({ text: 'The price is 12 EUR [tr_read_file_7]. Ask me for more.' }),
};

let model: FakeModel;
let office: Office;
const sent = { count: 0 };

const answering: Script = ({ view }) => {
  const [, subject = ''] = /Subject: "([^"]+)"/.exec(view.lastUser) ?? [];
  const remembered = subject === '' ? (current.subject ?? '') : subject;
  current.subject = remembered;
  return SCRIPTS[remembered]?.(view.turn, view) ?? { text: 'Done.' };
};
/** After a note of the gateway the last user message is the note; mails of this file come one after the other. */
const current: { subject: string | null } = { subject: null };

beforeAll(async () => {
  model = await startFakeModel('openai', answering);
  office = await openOffice({
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': {
      providers: [{ name: 'steady', config: { base_url: model.baseUrl } }],
      tools: ['import_log', 'strict_look', 'big_log', 'queue_status', 'policy_page'],
    },
    ...TOOLS,
    ...STEADY,
  });
});

afterAll(async () => {
  await office?.close();
  await model?.stop();
});

async function ask(subject: string, text: string) {
  sent.count += 1;
  const asked = model.requests.length;
  const messageId = `<evidence-${sent.count}@member.example>`;
  await office.post({ from: MEMBER, to: ADA, subject, text, messageId });
  await runsEnded(office.root, 'ada', sent.count);
  const db = openPersonaDb(office.root, 'ada');
  try {
    const run = db.runOf(messageId);
    if (!run) throw new Error(`no run for ${messageId}`);
    const events = db.events(run.id);
    const decisions = events.filter(({ type }) => type === 'decision').map(({ data }) => data);
    const requests = model.requests.slice(asked);
    return { run, events, decisions, requests, text: db.replyText(run) ?? '', rows: db.toolEvents(run.id) };
  } finally {
    db.close();
  }
}

describe('the frame', () => {
  it('A-1: says what is known of a mail before any model is asked', async () => {
    const { events, requests, run } = await ask('hello', 'Please check why the invoice import failed since Monday.');
    const built = events.findIndex(({ type }) => type === 'context_built');
    expect(built).toBeLessThan(events.findIndex(({ type }) => type === 'model_call_started'));
    expect(events[built]?.data.frame).toEqual({
      trigger: 'mail',
      profile: 'thread',
      subject: 'hello',
      can_change: ['files:create', 'files:delete', 'files:write', 'mail:create', 'memory:create', 'schedule:write'],
      highest_risk: 'destructive',
      language: 'en',
      contract: { claims: 'optional', effects: [], contract: [] },
    });
    expect(requests).toHaveLength(1);
    const shown = await office.cli('runs', 'show', run.id);
    const event = shown.json.run.events.find(({ type }: { type: string }) => type === 'context_built');
    expect(event.data.frame.trigger).toBe('mail');
  });
});

describe('a plain answer', () => {
  it('costs a plain conversation no second call', async () => {
    const { requests, text, decisions } = await ask('hello', 'Hello Ada, how are you today?');
    expect(requests).toHaveLength(1);
    expect(text).toBe('Hello Mia, I am well.');
    expect(decisions.at(-1)).toMatchObject({ decision: 'FINAL', contract: { missing: [] } });
  });

  it.each([
    ['never looks', 'Please search my mails for the invoice of May.', 'It was 12 EUR.'],
    ['denies errors', 'Is the import all right?', 'There were no errors in the log. Ask me for more.'],
    ['says it is sent', 'Please send the offer to Carl.', 'All set, the offer is with them.'],
  ])('is sent as it is, whatever its words may mean: %s', async (subject, mail, said) => {
    const { run, text, decisions } = await ask(subject, mail);
    expect(run).toMatchObject({ status: 'done', outcome: 'final' });
    expect(text).toBe(said);
    expect(decisions.map(({ reason }) => reason)).not.toContain('gap');
  });

  it('A-20: that cites an id which nothing has keeps its words, and the trace names the id', async () => {
    const { run, text, decisions } = await ask('invents a source', 'What is the price?');
    expect(run).toMatchObject({ outcome: 'final' });
    expect(text).toBe('The price is 12 EUR [tr_read_file_7]. Ask me for more.');
    expect(decisions.at(-1)).toMatchObject({ unknown_ids: ['tr_read_file_7'] });
  });
});

describe('observations as evidence', () => {
  it('A-6: a result that lacks a required field names it, and is none', async () => {
    const { events, run, decisions } = await ask('lacks a field', 'Please have a look.');
    const { content, code } = events.find(({ type }) => type === 'observation')?.data ?? {};
    expect(code).toBe('invalid_result');
    expect(content).toContain('row_count');
    expect(decisions.at(-1)).toMatchObject({ limitations: [] });
    expect(run.outcome).toBe('final');
  });

  it('A-7: of a result that was cut, the trace says which part was read', async () => {
    const { text, decisions, run, events } = await ask('sees a part', 'What is in the log?');
    const seen = JSON.parse(events.find(({ type }) => type === 'observation')?.data.content ?? '{}');
    const shown = seen.result.text.split('\n').length;
    expect(seen).toMatchObject({ truncated: true, cut: [{ total_lines: LINES }], ref: expect.any(String) });
    expect(text).toBe('All entries of big.log look harmless to me.');
    expect(decisions.at(-1)?.limitations).toMatchObject([
      { source: 'big.log', kind: 'cut', detail: `${shown} of ${LINES} lines` },
    ]);
    expect(run.outcome).toBe('final');
  });

  it('A-10: of data that are old, the answer and the trace say of when they are', async () => {
    const { text, decisions } = await ask('is late', 'How many mails are in the queue?');
    expect(text).toMatch(
      /^There are 4711 mails in the queue\.\n\nSome of what I looked up for this goes only up to \w+, \d+ \w+ \d{4}, \d\d:\d\d\.$/,
    );
    expect(decisions.at(-1)?.limitations).toMatchObject([
      { source: 'queue_status', kind: 'old', detail: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/) },
    ]);
  });

  it('V-23: of a source that has changed since it was read, the trace says so', async () => {
    const { text, decisions, rows } = await ask('drifts', 'How long may I be away?');
    const read = rows.find(({ tool_name }) => tool_name === 'policy_page');
    expect(decisions.at(-1)?.limitations).toMatchObject([{ call_id: read?.tool_call_id, kind: 'drifted' }]);
    expect(text).toBe('By policy.md it is two weeks.\n\nDone: saved policy.md');
  });
});
