import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Hears, type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { idOf, pdf, textOf } from './files-travel/rig.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';

const TABLE = 'Item;Net\nA;97,50\nB;23,80\n';
const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
/** Ids that no part of the work was handed. */
const others = { id: 'none' };

const PAGE = 'https://timetable.invalid/ferries?day=2';

/** Hands the sheet of a mail on; the part of the work reads it, adds it up, and tries another file. */
const says: Hears = (_turn, mail, results, { body }) => {
  const seen = textOf(body);
  if (mail.includes('Task:')) {
    if (results.length > 0) return { text: `Found: ${results.join(' ')}` };
    if (mail.includes('timetable')) return { calls: [{ name: 'web_fetch', arguments: { url: PAGE } }] };
    const id = idOf(mail, 'sheet.csv') ?? 'none';
    return {
      calls: [
        { name: 'read_attachment', arguments: { id } },
        { name: 'query_table', arguments: { source: id, select: ['sum(Net)'] } },
        { name: 'read_attachment', arguments: { id: others.id } },
      ],
    };
  }
  if (results.length > 0) return { text: results.join('\n') };
  if (mail.includes('Look up'))
    return {
      calls: [{ name: 'delegate', arguments: { task: `Read the timetable at ${PAGE}`, tools: ['web_fetch'] } }],
    };
  const handed = {
    task: 'Add it up',
    context: [{ attachment: mail.includes('hers') ? others.id : (idOf(seen, 'sheet.csv') ?? 'none') }],
  };
  if (mail.includes('Hand on')) {
    const tools = mail.includes('everything')
      ? ['read_attachment', 'search_mail', 'no_tool']
      : ['read_attachment', 'query_table'];
    return {
      calls: [{ name: 'delegate', arguments: { ...handed, tools: mail.includes('search') ? ['search_mail'] : tools } }],
    };
  }
  return { text: 'Kept.' };
};

beforeAll(async () => {
  rig.made = await openModelled(says, {
    'personas/ada/persona.json': {
      name: 'Ada',
      address: ADA,
      delegation: { enabled: true },
      access: { allow: [MEMBER] },
    },
  });
  await made().office.post({ subject: 'Mine', text: 'Keep it.', attachments: [pdf('wages.pdf', 'secret')] });
  await made().office.arrival('reply', OWNER);
  others.id = idOf(textOf(made().model.requests[0]?.body), 'wages.pdf') ?? 'none';
});
afterAll(() => rig.made?.close());

const answerTo = async (from: string, text: string, count: number) => {
  const attachments = [{ filename: 'sheet.csv', content: TABLE, contentType: 'text/csv' }];
  await made().office.post({ from, subject: 'A sheet', text, attachments });
  return (await made().office.arrival('reply', from, count)).mail.text ?? '';
};

describe('a part of the work that is handed a file', () => {
  it('reads it and asks about its table, and opens no other', async () => {
    const text = await answerTo(MEMBER, 'Hand on the sheet.', 1);
    expect(text).toContain('121.3');
    expect(text).toContain('97,50');
    expect(text).toContain('Context access denied');
    expect(text).not.toContain('secret');
    const child = textOf(made().model.requests.find(({ view }) => view.lastUser.includes('Task:'))?.body);
    expect(child).toContain('From: a run of yours, which hands you this part of its work and reads your answer');
    expect(child).toContain(`It works for: ${MEMBER} (an allowed correspondent; the sender is proven)`);
    expect(child).toMatch(/\[attachment att_\w+\] sheet\.csv, text\/csv, \d+ bytes/);
  });

  it('is handed nothing that whoever asks may not read', async () => {
    const text = await answerTo(MEMBER, 'Hand on hers.', 2);
    expect(text).toContain('there is no attachment');
    expect(text).not.toMatch(/wages|secret/);
  });

  it('follows a link that stood in what its parent was shown, without a question', async () => {
    const text = await answerTo(MEMBER, `Look up the ferry of Tuesday: ${PAGE}`, 3);
    expect(text).toContain('Found:');
    expect(await made().office.states()).toEqual([]);
    const { runs } = (await made().office.cli('runs', 'list')).json;
    const child = runs.find(({ kind }: { kind: string }) => kind === 'delegation');
    const { events } = (await made().office.cli('runs', 'show', child.id)).json.run;
    const asked = events.filter(({ type }: { type: string }) => type === 'permission');
    expect(asked.map(({ data }: { data: object }) => data)).toMatchObject([{ tool: 'web_fetch', verdict: 'allow' }]);
  });

  it('is not begun with a tool that is not there, or that it could never have: both are named', async () => {
    expect(await answerTo(MEMBER, 'Hand on everything.', 4)).toContain('these are no tools of yours: no_tool');
    expect(await answerTo(MEMBER, 'Hand on a search.', 5)).toContain('no child run has these: search_mail');
    const { runs } = (await made().office.cli('runs', 'list')).json;
    expect(runs.filter(({ kind }: { kind: string }) => kind === 'delegation')).toHaveLength(2);
  });
});
