import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { JsonObject } from '#contract';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { ADA, CARL, OWNER } from './governance-rig.ts';

const FILES = new URL('../engine/documents/files/', import.meta.url);
const TIM = 'tim.reed@partner.example';

/** What stands in the cells of a workbook that another program wrote. */
const EXPECTED: readonly { file: string; cells: readonly (readonly [string, number, number, unknown])[] }[] =
  JSON.parse(readFileSync(new URL('../expected.json', FILES), 'utf8'));
const columnOf = (file: string, wanted: number): number[] =>
  (EXPECTED.find((one) => one.file === file)?.cells ?? []).flatMap(([sheet, row, column, value]) =>
    sheet === 'Invoices' && row > 1 && column === wanted && typeof value === 'number' ? [value] : [],
  );

const ROWS = Array.from(
  { length: 600 },
  (_, at) => `K-${at};${(at * 7919) % 1000},${at % 100 < 10 ? '0' : ''}${at % 100}`,
);
const CSV = `Key;Amount\n${ROWS.join('\n')}\n`;

const id = (mail: string, name: string) => new RegExp(`\\[attachment (\\S+)\\] ${name}`).exec(mail)?.[1] ?? '';
const query = (args: JsonObject) => ({ name: 'query_table', arguments: args });

const says: Says = (_turn, mail, results) => {
  if (mail.includes('Move the lunch')) {
    if (results.length === 0) return { calls: [{ name: 'search_mail', arguments: { from: 'Tim Reed' } }] };
    const address = /tim\.reed@[a-z.]+/.exec(results[0] ?? '')?.[0] ?? 'nobody@found.example';
    const mailTo = { to: [address, CARL], subject: 'Lunch', body: 'The lunch is on Tuesday.' };
    return results[0]?.includes('snippet')
      ? { calls: [{ name: 'send_email', arguments: mailTo }] }
      : { text: 'Both are told.' };
  }
  if (results.length > 0) return { text: 'Here it is.' };
  if (mail.includes('the contract'))
    return { calls: [{ name: 'read_attachment', arguments: { id: id(mail, 'lease.pdf') } }] };
  if (mail.includes('How many rows'))
    return {
      calls: [
        query({ source: id(mail, 'keys.csv'), select: ['count', 'max(Amount)'] }),
        query({ source: id(mail, 'keys.csv'), order_by: ['Amount desc'], attach_as: 'keys.xlsx' }),
      ],
    };
  if (mail.includes('Sum the invoices'))
    return {
      calls: [
        ...['openpyxl-invoices.xlsx', 'lo-invoices.ods'].map((name) =>
          query({ source: id(mail, name), table: 'Invoices', select: ['Net', 'Net * VAT as Tax'], limit: 19 }),
        ),
        query({ source: 'books/invoices.ods', table: 'Invoices', select: ['Net', 'Net * VAT as Tax'], limit: 19 }),
      ],
    };
  return { text: 'Thank you.' };
};

let made: Modelled;
beforeAll(async () => {
  made = await openModelled(says);
});
afterAll(() => made.close());

const file = (name: string) => readFileSync(new URL(name, FILES));

function withFiles(subject: string, text: string, files: readonly (readonly [string, Uint8Array])[]): string {
  const parts = files.map(([name, bytes]) =>
    [
      `--b\r\nContent-Type: application/octet-stream; name="${name}"`,
      `Content-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n`,
      Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n'),
    ].join('\r\n'),
  );
  return [
    `From: ${OWNER}\r\nTo: ${ADA}\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@example.com>\r\nMIME-Version: 1.0`,
    `Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n${text}`,
    ...parts,
    '--b--',
  ].join('\r\n');
}

/** What the model was told of its calls in answer to the mail with these words. */
const told = (words: string) =>
  made.model.requests
    .filter(({ view }) => view.lastUser.includes(words))
    .at(-1)
    ?.view.results.map(({ content }) => content) ?? [];

/** The answer to the owner's mail of this subject. */
const answered = (subject: string) =>
  vi.waitFor(async () => {
    const found = (await made.office.left('reply', OWNER)).find(({ mail }) => mail.subject === `Re: ${subject}`);
    expect(found).toBeDefined();
    return found as NonNullable<typeof found>;
  }, 90_000);

it('two people hear of a date that was moved, at addresses that were found and not guessed', async () => {
  const { office } = made;
  const from = `From: Tim Reed <${TIM}>\r\nTo: ${ADA}, ${OWNER}\r\nSubject: Lunch\r\nMessage-ID: <t@partner.example>\r\n\r\nMonday suits me.`;
  await office.post({
    raw: `From: ${OWNER}\r\nTo: ${ADA}\r\nCc: Tim Reed <${TIM}>\r\nSubject: Lunch\r\nMessage-ID: <l@example.com>\r\n\r\nLunch on Monday.`,
  });
  await office.arrival('reply', OWNER);
  await office.post({
    from: TIM,
    raw: from.replace('\r\n\r\n', '\r\nIn-Reply-To: <l@example.com>\r\nReferences: <l@example.com>\r\n\r\n'),
  });
  await office.arrival('reply', TIM);
  await office.post({ subject: 'New date', text: `Move the lunch to Tuesday and tell Tim Reed and ${CARL}.` });
  await office.answer(await office.arrival('approval', OWNER), 'approve');
  const { mail } = await office.arrival('reply', CARL);
  expect(mail.subject).toBe('Lunch');
  expect((await office.left('reply', TIM)).map((one) => one.mail.subject)).toContain('Lunch');
  expect(await office.left('wait')).toEqual([]);
  await answered('New date');
});

it('a contract in PDF is read', async () => {
  const { office } = made;
  await office.post({
    raw: withFiles('contract', 'What is the rent in the contract?', [['lease.pdf', file('lease.pdf')]]),
  });
  await answered('contract');
  expect(told('the contract').join()).toContain('1,250.00 EUR a month');
});

it('six hundred rows are counted, and sent back sorted as a workbook', async () => {
  const { office } = made;
  await office.post({
    raw: withFiles('keys', 'How many rows, and which amount is the largest?', [['keys.csv', Buffer.from(CSV)]]),
  });
  const { mail } = await answered('keys');
  const largest = Math.max(...ROWS.map((row) => Number(row.split(';')[1]?.replace(',', '.'))));
  const [counted, sorted] = told('How many rows').map((content) => JSON.parse(content).result);
  expect(counted.rows[0]).toMatchObject({ count: 600, 'max(Amount)': largest });
  expect(sorted).toMatchObject({ attached: { name: 'keys.xlsx', rows: 600 } });
  expect(sorted.rows).toHaveLength(5);
  expect(mail.attachments.map(({ filename }) => filename)).toEqual(['keys.xlsx']);
});

it('workbooks are asked about like any table, in a mail and among the files of the persona', async () => {
  const { office } = made;
  made.put('books/.keep', '');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(join(office.root, 'data/personas/ada/files/books/invoices.ods'), file('lo-invoices.ods'));
  const names = ['openpyxl-invoices.xlsx', 'lo-invoices.ods'];
  await office.post({
    raw: withFiles(
      'invoices',
      'Sum the invoices.',
      names.map((name) => [name, file(name)] as const),
    ),
  });
  await answered('invoices');
  const answers = told('Sum the invoices').map((content) => JSON.parse(content).result.rows);
  for (const [at, name] of [...names, 'lo-invoices.ods'].entries()) {
    const rows: readonly { Net: number; Tax: number }[] = answers[at];
    expect(rows.map(({ Net }) => Net)).toEqual(columnOf(name, 3));
    const taxes = columnOf(name, 3).map((net, row) => net * (columnOf(name, 4)[row] ?? 0));
    for (const [row, { Tax }] of rows.entries()) expect(Tax).toBeCloseTo(taxes[row] ?? Number.NaN, 6);
  }
});
