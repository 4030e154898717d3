import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestView, Script, ScriptedCall, Turn } from '../../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../../fakes/model-server.ts';
import { ADA, MEMBER, type Office, openOffice } from '../governance-rig.ts';
import { openPersonaDb, runsEnded } from '../persona-db.ts';
import { STEADY } from '../workspace.ts';

const NOTE = /\[note of the mail gateway/;

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
  frame: () => ({ text: 'I would have to look into it.' }),
  hello: () => ({ text: 'Hello Mia, I am well.' }),
  'hands off': (_asked, { results }) =>
    results.length > 0
      ? { text: 'I looked and changed nothing, because that was not allowed.' }
      : { calls: [{ name: 'write_file', arguments: { path: 'a.md', content: 'x' } }] },
  'looks when told': (asked, { results }) =>
    results.length > 0
      ? { text: 'No mail of May is there.' }
      : asked === 0
        ? { text: 'It was 12 EUR.' }
        : { calls: [{ name: 'search_mail', arguments: { query: 'invoice' } }] },
  'never looks': () => ({ text: 'It was 12 EUR.' }),
  'denies errors': after([{ name: 'import_log' }], 'There were no errors in the log. Ask me for more.'),
  'takes it back': (asked, view) =>
    asked === 2 ? { text: 'The log has 128 errors.' } : (SCRIPTS['denies errors']?.(asked, view) ?? {}),
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

describe('the task frame', () => {
  it('A-1: says what a mail asks for before any model is asked', async () => {
    const { events, requests, run } = await ask('frame', 'Please check why the invoice import failed since Monday.');
    const built = events.findIndex(({ type }) => type === 'context_built');
    expect(built).toBeLessThan(events.findIndex(({ type }) => type === 'model_call_started'));
    expect(events[built]?.data.frame).toMatchObject({
      kind: 'investigation',
      subject: 'Please check why the invoice import failed since Monday.',
      range: { said: 'since monday', from: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), until: null },
      risk: 'read_only',
      certain: false,
      expected_outputs: ['answer'],
    });
    expect(requests).toHaveLength(1);
    const shown = await office.cli('runs', 'show', run.id);
    expect(shown.json.run.events.find(({ type }: { type: string }) => type === 'context_built').data.frame.kind).toBe(
      'investigation',
    );
  });

  it('A-3: holds a sender who forbids changes to it, and the answer still leaves', async () => {
    const { run, rows, text } = await ask('hands off', 'Check the plan. Do not change anything.');
    expect(run).toMatchObject({ status: 'done', outcome: 'final' });
    expect(rows.map(({ payload_json }) => JSON.parse(payload_json))).toMatchObject([
      { arguments: { path: 'a.md' } },
      { ok: false, error: { code: 'policy_denied' } },
    ]);
    expect(text).toContain('changed nothing');
    const audit = await office.cli('audit');
    expect(JSON.stringify(audit.json)).toContain('not_on_surface');
  });
});

describe('the output contract', () => {
  it('costs a plain conversation no second call', async () => {
    const { requests, text, decisions } = await ask('hello', 'Hello Ada, how are you today?');
    expect(requests).toHaveLength(1);
    expect(text).toBe('Hello Mia, I am well.');
    expect(decisions.at(-1)).toMatchObject({ decision: 'FINAL', contract: { missing: [] }, claims: [] });
  });

  it('A-12: sends an answer without its source back once, and takes the one that looked', async () => {
    const { requests, run, text, decisions } = await ask(
      'looks when told',
      'Please search my mails for the invoice of May.',
    );
    expect(requests[1]?.view.lastUser).toMatch(NOTE);
    expect(requests[1]?.view.lastUser).toContain('search_mail');
    expect(decisions.map(({ reason }) => reason)).toEqual(['begin', 'gap', 'allowed', 'observed', 'answered']);
    expect({ outcome: run.outcome, text }).toEqual({ outcome: 'final', text: 'No mail of May is there.' });
  });

  it('A-12: ends in part, and names what is missing, when it insists', async () => {
    const { requests, run, text, decisions } = await ask(
      'never looks',
      'Please search my mails for the invoice of May.',
    );
    expect(requests).toHaveLength(3);
    expect(run).toMatchObject({ status: 'done', outcome: 'partial', code: 'contract' });
    expect(decisions.at(-1)).toMatchObject({ decision: 'FINAL_PARTIAL', contract: { missing: ['source'] } });
    expect(text).toContain('Missing: a look into the files or the mail that the question is about.');
  });
});

describe('claims', () => {
  it('A-20: a source that does not exist is taken out, said to be unconfirmed, and the answer is partial', async () => {
    const { run, text, decisions } = await ask('invents a source', 'What is the price?');
    expect(run).toMatchObject({ outcome: 'partial', code: 'contract' });
    expect(decisions.at(-1)?.claims).toMatchObject([{ kind: 'citation', verdict: 'unsupported', evidence_ids: [] }]);
    expect(text).toContain('The price is 12 EUR [unconfirmed: the source that was named here does not exist].');
    expect(text).not.toContain('tr_read_file_7');
  });

  it('A-21: what a result contradicts is not sent as stated; the model may take it back', async () => {
    const stubborn = await ask('denies errors', 'Is the import all right?');
    expect(stubborn.run).toMatchObject({ outcome: 'partial', code: 'contract' });
    const [call] = stubborn.rows;
    expect(stubborn.decisions.at(-1)?.claims).toMatchObject([
      { kind: 'quantity', verdict: 'contradicted', evidence_ids: [call?.tool_call_id] },
    ]);
    expect(stubborn.text).not.toContain('no errors in the log');
    expect(stubborn.text).toContain('does not agree with what was read: import.log has 128 errors.] Ask me for more.');

    const honest = await ask('takes it back', 'Is the import all right?');
    expect(honest.decisions.map(({ reason }) => reason)).toEqual(['begin', 'allowed', 'observed', 'gap', 'answered']);
    expect(honest.decisions.at(-1)?.claims).toMatchObject([{ verdict: 'supported' }]);
    expect({ outcome: honest.run.outcome, text: honest.text }).toEqual({
      outcome: 'final',
      text: 'The log has 128 errors.',
    });
    const explained = await office.cli('runs', 'explain', honest.run.id);
    expect(JSON.stringify(explained.json)).toContain('"verdict":"supported"');
  });
});

describe('observations as evidence', () => {
  it('A-6: a result that lacks a required field names it, and is none', async () => {
    const { events, run, decisions } = await ask('lacks a field', 'Please have a look.');
    const { content, code } = events.find(({ type }) => type === 'observation')?.data ?? {};
    expect(code).toBe('invalid_result');
    expect(content).toContain('row_count');
    expect(decisions.at(-1)).toMatchObject({ claims: [] });
    expect(run.outcome).toBe('final');
  });

  it('A-7: an answer that rests on a part of a result says which part', async () => {
    const { text, decisions, run, events } = await ask('sees a part', 'What is in the log?');
    const seen = JSON.parse(events.find(({ type }) => type === 'observation')?.data.content ?? '{}');
    const shown = seen.result.text.split('\n').length;
    expect(seen).toMatchObject({ truncated: true, cut: [{ total_lines: LINES }], ref: expect.any(String) });
    expect(text).toBe(
      `All entries of big.log look harmless to me.\n\nNote: this rests on a part only of big.log (${shown} of ${LINES} lines).`,
    );
    expect(decisions.at(-1)?.claims).toMatchObject([{ kind: 'scope', verdict: 'overstated' }]);
    expect(run.outcome).toBe('final');
  });

  it('A-10: an answer from data that are old says how old', async () => {
    const { text, decisions, run } = await ask('is late', 'How many mails are in the queue?');
    expect(text).toMatch(
      /^There are 4711 mails in the queue\.\n\nNote: the data of queue_status is of .* UTC, 2 days old\.$/,
    );
    expect(decisions.at(-1)?.claims).toMatchObject([{ kind: 'freshness', verdict: 'overstated' }]);
    expect(run.outcome).toBe('final');
  });

  it('V-23: a source that has changed since it was read is said to have', async () => {
    const { text, decisions, rows } = await ask('drifts', 'How long may I be away?');
    const read = rows.find(({ tool_name }) => tool_name === 'policy_page');
    expect(decisions.at(-1)?.claims).toMatchObject([
      { kind: 'citation', verdict: 'drifted', evidence_ids: [read?.tool_call_id] },
    ]);
    expect(text).toContain('Note: policy.md has changed since it was read for this answer.');
  });
});
