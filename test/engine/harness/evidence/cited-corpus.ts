import type { Json } from '#contract';
import { type Random, seededRandom } from '../../../../scripts/lib/soak/random.ts';
import { ask } from '../../tables/ask.ts';

/** One declaration over some results, with what it is by the way it was made. Knows nothing of the checker. */
export interface CitedCase {
  readonly name: string;
  readonly results: readonly { readonly tool: string; readonly result: Json; readonly more?: object }[];
  readonly mail: string;
  readonly figure?: object;
  readonly claim?: object;
  /** Its source has changed since. */
  readonly drifted?: true;
  readonly isWrong: boolean;
}

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const written = (locale: string, value: number): string =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);

interface Row {
  readonly name: string;
  readonly amount: number;
  readonly count: number;
  readonly day: string;
}

/** Rows of which no two values are near each other, nor each other times a round number. */
function rowsOf(random: Random): readonly Row[] {
  const seen = new Set<number>();
  return Array.from({ length: 12 }, (_, n): Row => {
    let amount = 0;
    while (amount === 0 || seen.has(Math.round(amount))) amount = random.between(12_345, 987_654) / 100;
    seen.add(Math.round(amount));
    const day = new Date(Date.UTC(2026, random.between(0, 11), random.between(1, 28))).toISOString().slice(0, 10);
    return {
      name: `Item ${String.fromCharCode(65 + n)}`,
      amount: n % 3 === 0 ? -amount : amount,
      count: 101 + n * 37,
      day,
    };
  });
}

/** The same table as each source has it, and how a cell of it is cited. Columns: name, amount, count, day. */
interface Source {
  readonly kind: string;
  readonly results: CitedCase['results'];
  readonly mail: string;
  /** By the row's place and the column's, from 0. */
  cite(row: number, column: number): string;
}

const HEADINGS = ['Item', 'Amount', 'Count', 'Day'] as const;
const HELLO = 'Please check the figures. My limit is 640 EUR, and 47 people come.';

const csvOf = (rows: readonly Row[], locale: string): string =>
  [
    HEADINGS.join(';'),
    ...rows.map(({ name, amount, count, day }) => [name, written(locale, amount), count, day].join(';')),
  ].join('\n');

async function sheet(rows: readonly Row[], locale: string): Promise<Source> {
  const answer = await ask(csvOf(rows, locale), { select: [...HEADINGS] });
  return {
    kind: 'sheet',
    results: [{ tool: 'query_table', result: asJson({ source: 'att_1', ...answer }) }],
    mail: HELLO,
    cite: (row, column) => (row % 2 === 0 ? `t1.r${row + 2}.${HEADINGS[column]}` : `t1.${'ABCD'[column]}${row + 2}`),
  };
}

const file = (rows: readonly Row[], locale: string): Source => ({
  kind: 'csv',
  results: [{ tool: 'read_file', result: asJson({ path: 'costs.csv', text: csvOf(rows, locale) }) }],
  mail: HELLO,
  cite: (row, column) => (row % 2 === 0 ? `t1.${'ABCD'[column]}${row + 2}` : `t1.r${row + 2}.c${column + 1}`),
});

/** Of a file of which the rest was not shown. */
const part = (rows: readonly Row[], locale: string): Source => {
  const { results, ...same } = file(rows, locale);
  const [only] = results;
  const more = { truncated: true, total_bytes: 900_000, cut: [{ at: 'text', shown_rows: 12, total_rows: 4000 }] };
  return { ...same, kind: 'cut', results: only ? [{ ...only, more }] : [] };
};

const inMail = (rows: readonly Row[], locale: string): Source => ({
  kind: 'mail',
  results: [],
  mail: `${HELLO}\n\n| ${HEADINGS.join(' | ')} |\n| --- | --- | --- | --- |\n${rows
    .map(({ name, amount, count, day }) => `| ${name} | ${written(locale, amount)} | ${count} | ${day} |`)
    .join('\n')}\n\nThank you.`,
  cite: (row, column) => `mail!${'ABCD'[column]}${row + 2}`,
});

/** Entries of a list, each with its fields. */
const listed = (rows: readonly Row[], locale: string): Source => ({
  kind: 'list',
  results: [
    {
      tool: 'list_orders',
      result: asJson({
        orders: rows.map(({ name, amount, count, day }) => ({
          ...{ Item: name, Amount: written(locale, amount), Count: count, Day: day },
        })),
      }),
    },
  ],
  mail: HELLO,
  cite: (row, column) => `t1.r${row + 1}.${HEADINGS[column]}`,
});

const FIELDS = ['from', 'snippet', 'subject', 'date'] as const;

/** Mails that a search has found, each cited by its own name. */
const found = (rows: readonly Row[], locale: string): Source => ({
  kind: 'search',
  results: [
    {
      tool: 'search_mail',
      result: asJson({
        count: rows.length,
        messages: rows.map(({ name, amount, count, day }, n) => ({
          ...{ message_id: `<${n}@member.example>`, from: `${name} <bob@member.example>` },
          ...{ subject: `Order: ${count}`, date: day, snippet: `It came to ${written(locale, amount)}` },
        })),
      }),
    },
  ],
  mail: HELLO,
  cite: (row, column) => `m${row + 1}.${FIELDS[column]}`,
});

type Make = (rows: readonly Row[], locale: string) => Source | Promise<Source>;
const SOURCES: readonly Make[] = [sheet, file, part, inMail, listed, found];

interface Said {
  readonly what: string;
  readonly shown: string;
  readonly isWrong: boolean;
  readonly column?: number;
  readonly formula?: string;
  readonly from?: string;
  readonly drifted?: true;
}
type Way = (given: { rows: readonly Row[]; at: number; locale: string; source: Source; random: Random }) => Said;

const other = (rows: readonly Row[], at: number): Row => rows[(at + 4) % rows.length] as Row;
const own = (rows: readonly Row[], at: number): Row => rows[at] as Row;
const euro = (text: string): string => `${text} €`;

/** How a figure is said: right, or wrong in one way. */
const WAYS: readonly Way[] = [
  ({ rows, at, locale }) => ({ what: 'right', shown: written(locale, own(rows, at).amount), isWrong: false }),
  ({ rows, at }) => ({ what: 'German', shown: written('de-DE', own(rows, at).amount), isWrong: false }),
  ({ rows, at }) => ({ what: 'unit', shown: euro(written('en-US', own(rows, at).amount)), isWrong: false }),
  ({ rows, at, locale }) => ({
    what: 'unsigned',
    shown: written(locale, Math.abs(own(rows, at).amount)),
    isWrong: false,
  }),
  ({ rows, at }) => ({ what: 'rounded', shown: String(Math.round(own(rows, at).amount)), isWrong: false }),
  ({ rows, at }) => ({ what: 'in thousands', shown: String(own(rows, at).count / 1000), column: 2, isWrong: false }),
  ({ rows, at }) => ({ what: 'day', shown: own(rows, at).day, column: 3, isWrong: false }),
  ({ rows, at, locale }) => ({
    ...{ what: 'drifted', shown: written(locale, own(rows, at).amount), isWrong: false, drifted: true },
  }),
  () => ({ what: 'constant of the mail', shown: '640', from: 'mail', isWrong: false }),
  () => ({ what: 'number of the mail', shown: '47', from: 'mail', isWrong: false }),
  ({ rows, at, source }) => ({
    what: 'sum',
    shown: String(own(rows, at).count + other(rows, at).count),
    formula: `${source.cite(at, 2)} + ${source.cite((at + 4) % rows.length, 2)}`,
    isWrong: false,
  }),
  ({ rows, at, locale }) => ({ what: 'of another row', shown: written(locale, other(rows, at).amount), isWrong: true }),
  ({ rows, at, locale, random }) => ({
    ...{ what: 'a digit', shown: written(locale, own(rows, at).amount + random.between(1, 9) * 10), isWrong: true },
  }),
  ({ rows, at }) => ({
    what: 'German, wrong',
    shown: euro(written('de-DE', own(rows, at).amount + 7.31)),
    isWrong: true,
  }),
  ({ rows, at, locale }) => ({ what: 'ten times', shown: written(locale, own(rows, at).amount * 10), isWrong: true }),
  ({ rows, at }) => ({ what: 'a count', shown: String(other(rows, at).count), column: 2, isWrong: true }),
  ({ rows, at }) => ({ what: 'a day', shown: dayAfter(own(rows, at).day), column: 3, isWrong: true }),
  ({ rows, at, locale }) => ({
    ...{ what: 'wrong and drifted', shown: written(locale, own(rows, at).amount + 3.27), isWrong: true, drifted: true },
  }),
  ({ rows, at, source }) => ({
    what: 'a wrong sum',
    shown: String(own(rows, at).count + other(rows, at).count + 13),
    formula: `${source.cite(at, 2)} + ${source.cite((at + 4) % rows.length, 2)}`,
    isWrong: true,
  }),
  ({ rows, at, locale }) => ({
    ...{ what: 'of another row, unsigned', shown: written(locale, Math.abs(other(rows, at).amount)), isWrong: true },
  }),
];

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

/** Every way over every source, in turn, until there are so many. */
export const citedCases = (seed: number, count: number): Promise<readonly CitedCase[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => caseOf(n, seededRandom(seed * 1000 + n))));

async function caseOf(n: number, random: Random): Promise<CitedCase> {
  const rows = rowsOf(random);
  const locale = random.chance(0.5) ? 'de-DE' : 'en-US';
  const make = SOURCES[n % SOURCES.length] as Make;
  const source = await make(rows, locale);
  const way = WAYS[(7 * n + Math.floor(n / 60)) % WAYS.length] as Way;
  const at = random.between(0, rows.length - 1);
  const said = way({ rows, at, locale, source, random });
  // Some of them in a sentence, where there is no formula in it.
  const isClaim = said.formula === undefined && random.chance(0.4);
  const cite = said.from ?? source.cite(at, said.column ?? 1);
  return {
    name: `${n} ${source.kind} ${locale} ${said.what}${isClaim ? ', claimed' : ''}`,
    results: source.results,
    mail: source.mail,
    ...(isClaim ? { claim: claimOf(said, cite) } : { figure: figureOf(said, cite) }),
    ...(said.drifted ? { drifted: true } : {}),
    isWrong: said.isWrong,
  };
}

const claimOf = ({ shown, column }: Said, cite: string): object => ({
  text: column === 3 ? `It came on ${shown}.` : `It came to ${shown} in the end.`,
  evidence: [cite],
  limitations: 'a part',
});

function figureOf({ shown, formula, from }: Said, cite: string): object {
  const cells = from === undefined ? [cite] : [];
  return { shown, from: cite.split(/[.!]/)[0], ...(formula === undefined ? { cells } : { formula }) };
}
