import { afterAll, beforeAll, expect, it } from 'vitest';
import { readDocument } from '../../../engine/documents/read.ts';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { type Modelled, openModelled } from './office-with-model.ts';

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
const write = (content: string) => ({ name: 'write_file', arguments: { path: 'lists/keys.csv', content } });
const attach = (path: string) => ({ name: 'attach', arguments: { path } });

/** All rows of the table in the mail, and a mail that carries the same file. */
const workbook = (mail: string) => [
  { name: 'query_table', arguments: { source: 'mail', select: ['Name', 'Amount'], attach_as: 'amounts.xlsx' } },
  ...(mail.includes('and Bob')
    ? [
        {
          name: 'send_email',
          arguments: { to: [OWNER], subject: 'List', body: 'Here.', attachments: ['amounts.xlsx'] },
        },
      ]
    : []),
];

beforeAll(async () => {
  rig.made = await openModelled((turn, mail, results) => {
    if (mail.includes('missing')) return turn === 0 ? { calls: [attach('none.csv')] } : { text: 'There is none.' };
    if (mail.includes('as a workbook'))
      return results.length === 0 ? { calls: workbook(mail) } : { text: 'Here it is.' };
    return results.length === 0
      ? { calls: [write('key,door\n1,front\n'), attach('lists/keys.csv'), write('changed since')] }
      : { text: 'Here is the list.' };
  });
});
afterAll(() => rig.made?.close());

it('the answer carries a file as it was when it was attached, after a kill as well', async () => {
  const { office } = made();
  const dying = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: 'run.event.observation' });
  await office.post({ from: MEMBER, text: 'Send me the list of the keys.' }).catch(() => {});
  await dying.death();
  await office.restart({});
  const { mail } = await office.arrival('reply', MEMBER);
  expect(made().read('lists/keys.csv')).toBe('changed since');
  expect(mail.attachments.map(({ filename, contentType, content }) => [filename, contentType, `${content}`])).toEqual([
    ['keys.csv', 'text/csv', 'key,door\n1,front\n'],
  ]);
  expect(mail.text).toContain('attached lists/keys.csv');
  const { runs } = (await office.cli('runs', 'list')).json;
  const { replay } = (await office.cli('runs', 'replay', runs[0].id)).json;
  expect(replay).toMatchObject({ identical: true, difference: null });
});

it('a file that is not there is in no answer, which says so', async () => {
  const { office } = made();
  await office.ask('Send me the missing list.');
  const { mail } = await office.arrival('reply', MEMBER, 2);
  expect(mail.attachments).toEqual([]);
  expect(mail.text).toMatch(/Not done: attach none\.csv/);
});

const ROWS = Array.from({ length: 30 }, (_, at) => `| person ${at} | ${at},50 EUR | x |`);
const TABLE = ['| Name | Amount | Note |', '| --- | --- | --- |', '| =1+1 | 3,00 EUR | x |', ...ROWS].join('\n');

it('the answer carries all rows of a table as a workbook, and so does a mail to somebody else', async () => {
  const { office } = made();
  await office.ask(`All of it as a workbook, and Bob too.\n\n${TABLE}`);
  const { mail } = await office.arrival('reply', MEMBER, 3);
  const other = await office.arrival('reply', OWNER);
  expect(mail.attachments.map(({ filename }) => filename)).toEqual(['amounts.xlsx']);
  expect(mail.attachments[0]?.contentType).toContain('spreadsheetml.sheet');
  expect(other.mail.attachments[0]?.content.equals(mail.attachments[0]?.content ?? Buffer.alloc(0))).toBe(true);
  const read = await readDocument({ name: '', type: '', bytes: mail.attachments[0]?.content ?? Buffer.alloc(0) });
  const rows = read.ok ? read.document.tables[0]?.rows : undefined;
  expect(rows?.slice(0, 3)).toEqual([
    ['Name', 'Amount (EUR)'],
    ['=1+1', 3],
    ['person 0', 0.5],
  ]);
  expect(rows).toHaveLength(32);
  expect(mail.text).toContain('attached amounts.xlsx');
});
