import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { OWNER } from './governance-rig.ts';
import { openPersonaDb, runsEnded } from './persona-db.ts';
import { type Question, questionsFor, rowsIn } from './table-questions/questions.ts';
import { databaseOf, fileOf, LOCALES, salesOf } from './table-questions/sales.ts';

const SALES = salesOf(26, 160);
const database = databaseOf(SALES);
const ASKED = LOCALES.flatMap((locale) =>
  questionsFor(locale, database).map((question) => ({ question, locale, amount: locale.headings[4] })),
);

/** With its attachments, one for each country. */
const RAW = [
  `From: ${OWNER}`,
  'To: ada@agents.localhost',
  'Subject: Sales',
  'Message-ID: <sales@example.com>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="b"',
  '',
  '--b\r\nContent-Type: text/plain\r\n\r\nPlease work these out.',
  ...LOCALES.map((locale) =>
    [
      '--b',
      `Content-Type: text/csv; charset=utf-8; name="${locale.name}.csv"`,
      `Content-Disposition: attachment; filename="${locale.name}.csv"`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(fileOf(SALES, locale)).toString('base64').replace(/.{76}/g, '$&\r\n'),
    ].join('\r\n'),
  ),
  '--b--',
].join('\r\n');

const idOf = (mail: string, name: string): string =>
  new RegExp(`\\[attachment (\\S+)\\] ${name}\\.csv`).exec(mail)?.[1] ?? '';

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** As a person writes them below a table; each from the call that worked it out. */
function figuresOf(results: readonly string[]): Json {
  return results.flatMap((content, index) => {
    const { result } = JSON.parse(content) as { result: { rows: { cells?: Record<string, string> }[] } };
    const [row] = result.rows;
    const [named] = Object.entries(row?.cells ?? {});
    const value = named ? Reflect.get(row ?? {}, named[0]) : null;
    return named && value !== null ? [{ shown: String(value), from: [`q${index}`], cells: [named[1]] }] : [];
  });
}

let made: Modelled;
let told: readonly { result: Json }[] = [];

beforeAll(async () => {
  made = await openModelled(
    (turn, mail, results) => {
      if (turn > 0) {
        return { calls: [{ name: 'answer', arguments: { text: 'Here they are.', figures: figuresOf(results) } }] };
      }
      return {
        calls: ASKED.map(({ question, locale }, index) => ({
          name: 'query_table',
          id: `q${index}`,
          arguments: asJson({ source: idOf(mail, locale.name), ...question.ask }),
        })),
      };
    },
    {
      'configs/inference.json': {
        provider: 'steady',
        model: 'm',
        max_tool_calls: 100,
        max_calls_per_turn: 100,
      },
    },
  );
  await made.office.post({ raw: RAW });
  await runsEnded(made.office.root, 'ada', 1);
  told = (made.model.requests[1]?.view.results ?? []).map(({ content }) => JSON.parse(content) as { result: Json });
});
afterAll(async () => {
  await made?.close();
  database.close();
});

const close = (rows: Question['expected']) =>
  rows.map((row) => row.map((value) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value)));

describe('sixty questions over tables of four countries', () => {
  it.each(ASKED.map((asked, index) => ({ ...asked, index, name: asked.question.name })))(
    '$name: as a database answers it',
    ({ question, amount, index }) => {
      const answer = told[index]?.result ?? null;
      expect(answer, JSON.stringify(told[index])).not.toBeNull();
      expect(question.expected.length).toBeGreaterThan(0);
      expect(close(rowsIn(answer, question, amount))).toEqual(close(question.expected));
    },
  );

  it('give figures that an answer can declare: all are accepted at once', () => {
    expect(ASKED).toHaveLength(60);
    const db = openPersonaDb(made.office.root, 'ada');
    try {
      const run = db.runOf('<sales@example.com>');
      const decisions = db.events(run?.id ?? '').filter(({ type }) => type === 'decision');
      const claims = decisions.at(-1)?.data.claims as readonly { readonly verdict: string }[];
      expect(claims.length).toBeGreaterThanOrEqual(50);
      expect(claims.filter(({ verdict }) => verdict !== 'supported')).toEqual([]);
      expect(made.model.requests).toHaveLength(2);
    } finally {
      db.close();
    }
  });
});
