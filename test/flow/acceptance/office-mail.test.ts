import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { call, documentOf, idOf, type Letters, openLetters } from './letters.ts';

const open: { letters?: Letters } = {};
beforeAll(async () => {
  open.letters = await openLetters();
});
afterAll(() => open.letters?.close());

const office = (): Letters => {
  if (!open.letters) throw new Error('not open');
  return open.letters;
};

const LETTERS = ['Adams', 'Baker', 'Clark', 'Davis', 'Evans', 'Frank'];
/** 600 rows with empty cells and figures as a German program writes them. */
const ORDERS = [
  'Kunde;Betrag;Datum',
  ...Array.from({ length: 600 }, (_, n) => {
    const amount = n % 50 === 7 ? '' : `${`${Math.floor(n * 7.25) + 1000}`.replace(/(\d)(\d{3})$/, '$1.$2')},50`;
    return `${LETTERS[n % 6]};${amount};${String((n % 28) + 1).padStart(2, '0')}.03.2026`;
  }),
].join('\r\n');
const AMOUNTS = Array.from({ length: 600 }, (_, n) => (n % 50 === 7 ? null : Math.floor(n * 7.25) + 1000.5));

describe('what people send to an office', () => {
  it('a contract as a PDF: its clause is read and quoted', async () => {
    const text = await office().answered(
      {
        subject: 'The lease',
        text: 'Which lot is delivered?',
        attachments: [{ filename: 'list.pdf', content: documentOf('rl-table.pdf') }],
      },
      (mail, [read]) =>
        read
          ? `It says ${/SK-1045.{0,20}/.exec(read.result.text)?.[0]}`
          : [call('read_attachment', { id: idOf(mail, 'list.pdf') })],
    );
    expect(text).toMatch(/^It says SK-1045\D+3,290\.00/);
  });

  it('a sheet and a letter of office programs: both are read in one turn', async () => {
    const text = await office().answered(
      {
        subject: 'Two files',
        text: 'What stands in them?',
        attachments: [
          { filename: 'invoices.xlsx', content: documentOf('openpyxl-invoices.xlsx') },
          { filename: 'minutes.docx', content: documentOf('pydocx-minutes.docx') },
        ],
      },
      (mail, [sum, minutes]) =>
        sum
          ? `${JSON.stringify(sum.result.rows[0])} and ${/M-1480/.exec(minutes.result.text)?.[0]}`
          : [
              call('query_table', {
                source: idOf(mail, 'invoices.xlsx'),
                table: 'Invoices',
                select: ['count(Customer)'],
              }),
              call('read_attachment', { id: idOf(mail, 'minutes.docx') }),
            ],
    );
    expect(text).toMatch(/60.* and M-1480$/);
  });

  it('600 rows with empty cells: counted, added up and the largest found exactly', async () => {
    const text = await office().answered(
      {
        subject: 'Orders',
        text: 'How many have an amount, what do they come to, which is the largest?',
        attachments: [{ filename: 'orders.csv', content: ORDERS }],
      },
      (mail, [table]) =>
        table
          ? `${JSON.stringify(table.result.rows[0])} of ${table.result.total_rows}`
          : [
              call('query_table', {
                source: idOf(mail, 'orders.csv'),
                select: ['count(Betrag)', 'sum(Betrag)', 'max(Betrag)'],
              }),
            ],
    );
    const present = AMOUNTS.filter((amount) => amount !== null);
    const sum = present.reduce((total, amount) => total + amount, 0);
    expect(text).toContain(`of 600`);
    expect(text).toContain(String(present.length));
    expect(text).toMatch(new RegExp(`"?${sum}"?\\b`));
    expect(text).toMatch(new RegExp(`"?${Math.max(...present)}"?\\b`));
  });

  it('a mail of last month: found by who wrote it and when, and opened whole', async () => {
    const long = `${'The workshop is cold in winter. '.repeat(60)}The kiln number is K-7741.`;
    await office().answered({ from: `Mia Moor <${MEMBER}>`, subject: 'Heating', text: long }, () => 'Thank you, Mia.');
    const text = await office().answered(
      { subject: 'What did Mia write', text: 'Which kiln did Mia name?' },
      (_mail, [found, opened]) => {
        if (opened) return `She names ${/K-\d+/.exec(opened.result.text)?.[0]}, ${opened.result.from}`;
        if (found) return [call('read_mail', { message_id: found.result.messages[0].message_id })];
        return [call('search_mail', { from: 'Mia', since: '2026-01-01', direction: 'in' })];
      },
    );
    expect(text).toBe(`She names K-7741, Mia Moor <${MEMBER}>`);
  });

  it('tell Mia: her address is found by her name, and the mail reaches her after approval', async () => {
    const { office: own } = office();
    office().reads('Tell Mia', (_mail, [found, sent]) => {
      if (sent) return 'I have written to her.';
      if (!found) return [call('search_mail', { from: 'Mia', limit: 1 })];
      const address = /<(.+)>/.exec(found.result.messages[0].from)?.[1];
      return [call('send_email', { to: [address], subject: 'The date', body: 'We meet on Friday.' })];
    });
    await office().letter({ subject: 'Tell Mia', text: 'We meet on Friday, let Mia know.' });
    const notice = await own.arrival('approval', OWNER);
    const before = (await own.left('reply', OWNER)).length;
    await own.answer(notice, 'approve');
    await own.arrival('reply', OWNER, before + 1);
    const sent = (await own.left('reply', MEMBER)).at(-1);
    expect(sent?.mail.subject).toBe('The date');
  });

  it('a locked and a scanned document: the model is told before it tries, and asks nothing in vain', async () => {
    const text = await office().answered(
      {
        subject: 'Two that cannot be read',
        text: 'What stands in them?',
        attachments: [
          { filename: 'locked.pdf', content: documentOf('qpdf-rc4.pdf') },
          { filename: 'scan.pdf', content: documentOf('img2pdf-scan.pdf') },
        ],
      },
      (mail) => (mail.match(/unreadable: \w+/g) ?? []).join(' and '),
    );
    expect(text).toBe('unreadable: encrypted and unreadable: scanned');
  });

  it('an answer to the mail of a task: the model knows which task it is', async () => {
    const { office: own } = office();
    office().reads('Remind me', (_mail, [made]) =>
      made
        ? 'I shall.'
        : [
            call('schedule_task', {
              action: 'create',
              task: 'stock',
              name: 'Stock',
              schedule: '0 8 * * 1',
              prompt: 'Say: look at the stock.',
            }),
          ],
    );
    await office().letter({ subject: 'Remind me', text: 'Remind me each Monday at eight to look at the stock.' });
    const answers = (await own.left('reply', OWNER)).length;
    await own.answer(await own.arrival('approval', OWNER, 2), 'approve');
    await own.arrival('reply', OWNER, answers + 1);
    const listed = await own.cli('tasks', 'list');
    expect(listed.json.tasks.map(({ id }: { id: string }) => id)).toEqual(['ada/stock']);
    office().reads('Stock', (mail) =>
      mail.includes('Re: ') ? `Task ${/Task: (\S+)/.exec(mail)?.[1]}` : 'Look at the stock.',
    );
    await own.cli('tasks', 'run', 'ada/stock');
    const due = await own.arrival('task', OWNER);
    office().reads(`Re: ${due.mail.subject}`, (mail) => `Shown: ${/stock[^\n]*0 8 \* \* 1[^\n]*/.exec(mail)?.[0]}`);
    // The gateway knows of a new task within two seconds.
    const shown = async () => {
      const before = (await own.left('reply', OWNER)).length;
      await own.answer(due, 'Make it Tuesday.');
      return (await own.arrival('reply', OWNER, before + 1)).mail.text ?? '';
    };
    expect(await eventually(shown, (text) => !text.includes('Shown: undefined'), 30_000, 500)).toMatch(/Shown: stock/);
  });
});
