import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Script, ScriptedCall, Turn } from '../../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../../fakes/model-server.ts';
import { MEMBER, type Office, openOffice } from '../governance-rig.ts';
import { openPersonaDb, runsEnded } from '../persona-db.ts';
import { STEADY } from '../workspace.ts';

const CSV = 'month;parts\nAugust;41.200,00\nSeptember;37.890,10\nOktober;12.000,00\n';
const read: ScriptedCall = { name: 'read_file', arguments: { path: 'costs.csv' } };
const answer = (args: Exclude<ScriptedCall['arguments'], undefined>): Turn => ({
  calls: [{ name: 'answer', arguments: args }],
});
const figure = (shown: string) =>
  answer({ text: `September cost ${shown} [1].`, figures: [{ shown, from: 'costs.csv', cells: ['September/parts'] }] });
const ORDERS = 'id,customer,note,total\n1001,"Meyer, Anna","fragile;\nhandle with care",85.00\n1002,Kaya,,410.75\n';
const PRICES =
  '<table><tr><th>Plan</th><th>Monthly</th></tr><tr><td>Basic</td><td>9.90</td></tr><tr><td>Pro</td><td>24.90</td></tr></table>';
const shapes = answer({
  text: 'Two orders [1] of 495.75 [2], the second of 410.75 [3]; Basic is 24.90 [4].',
  figures: [
    { shown: 'Two orders', from: 'orders.csv', formula: 'count(id)' },
    { shown: '495.75', from: 'orders.csv', formula: 'sum(total)' },
    { shown: '410.75', from: 'orders.csv', cells: ['1002/total'] },
    { shown: '24.90', from: 'prices.html', cells: ['Basic/Monthly'] },
  ],
});
const BLANK: Turn = { text: '' };

/** By the mail's subject, what the model says turn by turn. */
const SCRIPTS: Readonly<Record<string, readonly Turn[]>> = {
  right: [{ calls: [read] }, figure('37,890.10')],
  wrong: [{ calls: [read] }, figure('39,890.10'), figure('39,890.10')],
  shapes: [
    { calls: ['orders.csv', 'prices.html'].map((path) => ({ name: 'read_file', arguments: { path } })) },
    shapes,
    shapes,
  ],
  mended: [{ calls: [read] }, figure('39,890.10'), figure('37.890,10')],
  plain: [{ calls: [read] }, { text: 'September cost 99,999.99 [1].' }],
  asks: [answer({ text: 'Which month do you mean?', question: true })],
  invented: [
    answer({ text: 'It was 12 EUR [1].', claims: [{ text: 'It was 12 EUR', evidence: ['tr_9'] }] }),
    answer({ text: 'It was 12 EUR [1].', claims: [{ text: 'It was 12 EUR', evidence: ['tr_9'] }] }),
  ],
  beside: [{ calls: [read, { name: 'answer', arguments: { text: 'Read.' } }] }, { text: 'Now I have read it.' }],
  garbled: [{ calls: [{ name: 'answer', arguments: { words: 1 } }] }, { text: 'As plain text.' }],
  // Beside it, so that its turn ends without an owner: the arguments are none.
  refused: [{ calls: [{ name: 'send_email', arguments: { to: [] } }] }, { text: 'All set, the offer is with them.' }],
  blank: [{ calls: [read] }, BLANK, BLANK],
  'blank once': [BLANK, { text: 'Here I am.' }],
};

let model: FakeModel;
let office: Office;
const sent: Record<string, number> = {};
const current = { subject: '', turn: 0 };

const answering: Script = ({ view }) => {
  const [, subject] = /Subject: "([^"]+)"/.exec(view.lastUser) ?? [];
  if (
    subject !== undefined &&
    view.results.length === 0 &&
    !/note of the mail gateway/.test(view.lastUser) &&
    subject !== current.subject
  ) {
    current.subject = subject;
    current.turn = 0;
  }
  const turn = SCRIPTS[current.subject]?.[current.turn] ?? { text: 'Nothing more.' };
  current.turn += 1;
  return turn;
};

const persona = (id: string, answer: object) => ({
  [`personas/${id}/persona.json`]: { name: id, address: `${id}@agents.localhost`, access: { allow: [MEMBER] }, answer },
  [`personas/${id}/PERSONA.md`]: `You are ${id}.`,
});

beforeAll(async () => {
  model = await startFakeModel('openai', answering);
  office = await openOffice({
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    'data/personas/ada/files/costs.csv': CSV,
    'data/personas/ada/files/orders.csv': ORDERS,
    'data/personas/ada/files/prices.html': PRICES,
    ...persona('audra', { claims: 'required' }),
    ...persona('mara', { effects: ['mail:create'] }),
    ...persona('otto', { claims: 'off' }),
    ...STEADY,
  });
});

afterAll(async () => {
  await office?.close();
  await model?.stop();
});

async function ask(subject: string, text = 'What did September cost?', to = 'ada') {
  const count = (sent[to] ?? 0) + 1;
  sent[to] = count;
  current.subject = subject;
  current.turn = 0;
  const asked = model.requests.length;
  const messageId = `<claims-${to}-${count}@member.example>`;
  await office.post({ from: MEMBER, to: `${to}@agents.localhost`, subject, text, messageId });
  await runsEnded(office.root, to, count);
  const db = openPersonaDb(office.root, to);
  try {
    const run = db.runOf(messageId);
    if (!run) throw new Error(`no run for ${messageId}`);
    const events = db.events(run.id);
    const decisions = events.filter(({ type }) => type === 'decision').map(({ data }) => data);
    const replayed = await office.cli('runs', 'replay', run.id);
    return {
      run,
      decisions,
      replayed,
      requests: model.requests.slice(asked),
      text: db.replyText(run) ?? '',
      rows: db.toolEvents(run.id),
    };
  } finally {
    db.close();
  }
}

describe('an answer that declares what it rests on', () => {
  it('that is right has its sources under the text, and is judged on record', async () => {
    const { run, text, decisions, replayed } = await ask('right');
    expect(run).toMatchObject({ status: 'done', outcome: 'final' });
    expect(text).toBe('September cost 37,890.10 [1].\n\nSources:\n[1] costs.csv');
    expect(decisions.at(-1)).toMatchObject({
      reason: 'answered',
      claims: [{ n: 1, kind: 'figure', verdict: 'supported' }],
    });
    expect(replayed).toMatchObject({ code: 0 });
    const explained = await office.cli('runs', 'explain', run.id);
    expect(JSON.stringify(explained.json)).toContain('"verdict":"supported"');
  });

  it('that is wrong goes back once, and is then marked in the list, never in the sentence', async () => {
    const { run, text, decisions, requests, replayed } = await ask('wrong');
    expect(decisions.map(({ reason }) => reason)).toEqual(['begin', 'allowed', 'observed', 'gap', 'answered']);
    expect(requests[2]?.view.results[0]?.content).toContain('September/parts says 37.890,10');
    expect(run).toMatchObject({ outcome: 'final' });
    expect(text).toBe('September cost 39,890.10 [1].\n\nSources:\n[1] costs.csv – the source says 37.890,10');
    expect(decisions.at(-1)?.claims).toMatchObject([{ verdict: 'contradicted' }]);
    expect(replayed).toMatchObject({ code: 0 });
  });

  it('may rest on records over two lines, on counts in words and on the table of a page', async () => {
    const { decisions } = await ask('shapes');
    const verdicts = ['supported', 'supported', 'supported', 'contradicted'];
    expect(decisions.at(-1)?.claims).toMatchObject(verdicts.map((verdict) => ({ verdict })));
  });

  it('is taken when it was mended', async () => {
    const { text, decisions, run } = await ask('mended');
    expect(decisions.at(-1)?.claims).toMatchObject([{ verdict: 'supported' }]);
    expect({ text, outcome: run.outcome }).toEqual({
      text: 'September cost 37.890,10 [1].\n\nSources:\n[1] costs.csv',
      outcome: 'final',
    });
  });

  it('and names a source that does not exist is marked as not confirmed', async () => {
    const { text, decisions } = await ask('invented');
    expect(decisions.at(-1)?.claims).toMatchObject([{ verdict: 'unsupported', unknown_ids: ['tr_9'] }]);
    expect(text).toBe('It was 12 EUR [1].\n\nSources:\n[1] not confirmed by the source');
  });

  it('and only asks is a clarification', async () => {
    expect((await ask('asks')).run).toMatchObject({ outcome: 'clarification' });
  });

  it('comes alone, and can be read; else its model is told', async () => {
    const beside = await ask('beside');
    expect(beside.text).toBe('Now I have read it.');
    expect(beside.requests[1]?.view.results.map(({ content }) => content).join()).toContain('answer comes alone');
    const garbled = await ask('garbled');
    expect(garbled.text).toBe('As plain text.');
    expect(garbled.requests[1]?.view.results[0]?.content).toContain('invalid_arguments');
  });
});

describe('a plain answer', () => {
  it('is sent as it is, whatever figures it has', async () => {
    const { text, decisions } = await ask('plain');
    expect(text).toBe('September cost 99,999.99 [1].');
    expect(decisions.map(({ reason }) => reason)).not.toContain('gap');
  });

  it('goes back once where claims are required, and is incomplete when it comes again', async () => {
    const { run, decisions, text, replayed, requests } = await ask('plain', undefined, 'audra');
    expect(requests[0]?.view.lastUser).toContain('Here an answer says what it rests on');
    expect(decisions.map(({ reason }) => reason)).toContain('gap');
    expect(decisions.at(-1)).toMatchObject({ decision: 'FINAL_PARTIAL', contract: { missing: ['claims'] } });
    expect(run).toMatchObject({ outcome: 'partial', code: 'contract' });
    expect(text).toContain('sources for what it says');
    expect(replayed).toMatchObject({ code: 0 });
  });

  it('is the only one where claims are off', async () => {
    const { requests } = await ask('plain', undefined, 'otto');
    expect(requests[0]?.view.tools).not.toContain('answer');
  });

  it('that says a mail is sent, where the contract asks for one and it was refused, is no fulfilled contract', async () => {
    const { run, decisions, requests } = await ask('refused', 'Send Carl the offer.', 'mara');
    expect(requests[0]?.view.lastUser).toContain('Expected here: mail:create.');
    expect(decisions.at(-1)).toMatchObject({ contract: { required: ['answer', 'mail:create'] } });
    expect(run).toMatchObject({ outcome: 'partial', code: 'contract' });
  });
});

describe('a blank answer', () => {
  it('is told once what was wrong, then what was read last stands in', async () => {
    const { run, text, requests, replayed } = await ask('blank');
    expect(requests).toHaveLength(3);
    expect(requests[2]?.view.lastUser).toContain('Your answer was empty');
    expect(run).toMatchObject({ outcome: 'partial', code: 'unparsable' });
    expect(text).toContain('What was looked up last: costs.csv');
    expect(text).toContain('September;37.890,10');
    expect(replayed).toMatchObject({ code: 0 });
  });

  it('that was mended leaves no trace in the mail', async () => {
    expect((await ask('blank once')).text).toBe('Here I am.');
  });
});
