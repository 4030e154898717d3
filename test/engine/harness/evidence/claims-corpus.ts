import type { Json } from '#contract';
import type { ClaimVerdict } from '../../../../engine/harness/evidence/claims.ts';
import { type Random, seededRandom } from '../../../../scripts/lib/soak/random.ts';

/** One declaration over some results, and what a careful person would say of it. Knows nothing of the checker. */
export interface Case {
  readonly name: string;
  readonly results: Readonly<Record<string, { readonly tool?: string; readonly result: Json; readonly more?: object }>>;
  readonly claims?: readonly object[];
  readonly figures?: readonly object[];
  readonly drifted?: readonly string[];
  /** Of a call that failed: its id. */
  readonly failed?: string;
  readonly hoursLater?: number;
  readonly expected: ClaimVerdict;
}

interface Language {
  readonly code: string;
  readonly locale: string;
  readonly columns: readonly [string, string, string];
  readonly total: string;
  readonly currency: (amount: string) => string;
  readonly delimiter: string;
  says(what: string, amount: string): string;
  readonly quotes: readonly [string, string];
  readonly sentence: readonly [string, string];
}

const LANGUAGES: readonly Language[] = [
  {
    code: 'en',
    locale: 'en-US',
    columns: ['month', 'parts', 'labour'],
    total: 'Total',
    currency: (amount) => `$${amount}`,
    delimiter: ',',
    says: (what, amount) => `The cost of ${what} was ${amount}.`,
    quotes: ['“', '”'],
    sentence: ['We deliver the pumps to Kiel before the holidays', 'We deliver the pumps to Kiel after the holidays'],
  },
  {
    code: 'de',
    locale: 'de-DE',
    columns: ['Monat', 'Teile', 'Löhne'],
    total: 'Summe',
    currency: (amount) => `${amount} €`,
    delimiter: ';',
    says: (what, amount) => `Für ${what} fielen ${amount} an.`,
    quotes: ['„', '“'],
    sentence: [
      'Wir liefern die Pumpen noch vor den Feiertagen nach Kiel',
      'Wir liefern die Pumpen erst nach den Feiertagen nach Kiel',
    ],
  },
  {
    code: 'fr',
    locale: 'fr-FR',
    columns: ['mois', 'pièces', 'salaires'],
    total: 'Total',
    currency: (amount) => `${amount} €`,
    delimiter: ';',
    says: (what, amount) => `Le coût de ${what} était de ${amount}.`,
    quotes: ['« ', ' »'],
    sentence: ['Nous livrons les pompes à Kiel avant les fêtes', 'Nous livrons les pompes à Kiel après les fêtes'],
  },
  {
    code: 'es',
    locale: 'es-ES',
    columns: ['mes', 'piezas', 'salarios'],
    total: 'Total',
    currency: (amount) => `${amount} EUR`,
    delimiter: ';',
    says: (what, amount) => `El coste de ${what} fue de ${amount}.`,
    quotes: ['«', '»'],
    sentence: [
      'Entregamos las bombas en Kiel antes de las fiestas',
      'Entregamos las bombas en Kiel después de las fiestas',
    ],
  },
  {
    code: 'pl',
    locale: 'pl-PL',
    columns: ['miesiąc', 'części', 'płace'],
    total: 'Razem',
    currency: (amount) => `${amount} zł`,
    delimiter: ';',
    says: (what, amount) => `Koszt za ${what} wyniósł ${amount}.`,
    quotes: ['„', '”'],
    sentence: ['Dostarczymy pompy do Kilonii przed świętami', 'Dostarczymy pompy do Kilonii po świętach'],
  },
  {
    code: 'ja',
    locale: 'ja-JP',
    columns: ['月', '部品', '人件費'],
    total: '合計',
    currency: (amount) => `${amount}円`,
    delimiter: ',',
    says: (what, amount) => `${what}の費用は${amount}でした。`,
    quotes: ['「', '」'],
    sentence: ['ポンプは休暇前にキールへ納品します', 'ポンプは休暇後にキールへ納品します'],
  },
];

/** Everything of one language: a table of ten months, a letter, and what may be said of them. */
export function casesOf(seed: number): readonly Case[] {
  return LANGUAGES.flatMap((language, at) => ofLanguage(language, seededRandom(seed * 100 + at)));
}

const MONTHS = 10;

function ofLanguage(language: Language, random: Random): readonly Case[] {
  const { code, locale, columns, delimiter, currency, says } = language;
  const month = (at: number, form: 'long' | 'short' = 'long') =>
    new Intl.DateTimeFormat(locale, { month: form, timeZone: 'UTC' }).format(Date.UTC(2026, at, 15));
  const amount = (value: number, digits = 2) =>
    new Intl.NumberFormat(locale, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      useGrouping: 'always',
    } as Intl.NumberFormatOptions).format(value);
  const rows = Array.from({ length: MONTHS }, (_, at) => ({
    name: month(at),
    parts: random.between(100_000, 9_000_000) / 100,
    labour: random.between(10_000, 990_000) / 100,
  }));
  const quoted = (text: string) => (delimiter === ',' && text.includes(',') ? `"${text}"` : text);
  const lines = rows.map((row) => [row.name, amount(row.parts), amount(row.labour)].map(quoted).join(delimiter));
  const csv = [columns.join(delimiter), ...lines].join('\n');
  const path = `reports/costs-${code}.csv`;
  const table = {
    c1: {
      result: { path, text: `${csv}\n`, offset: 0, lines: MONTHS + 1, total_lines: MONTHS + 1, next_offset: null },
    },
  };
  const list = {
    c1: {
      tool: 'ledger',
      result: {
        name: `ledger-${code}`,
        rows: rows.map((row) => ({ [columns[0]]: row.name, [columns[1]]: row.parts, [columns[2]]: row.labour })),
      },
    },
  };
  const markdown = {
    c1: {
      result: {
        path: `notes/${code}.md`,
        text: `# ${code}\n\n| ${columns.join(' | ')} |\n| --- | ---: | ---: |\n${rows.map((row) => `| ${row.name} | ${amount(row.parts)} | ${amount(row.labour)} |`).join('\n')}\n`,
      },
    },
  };
  const pick = () => random.between(0, MONTHS - 1);
  const other = (not: number) => (not + random.between(1, MONTHS - 1)) % MONTHS;
  const row = (at: number) => rows[at] ?? { name: '', parts: 0, labour: 0 };
  const make = (name: string, expected: ClaimVerdict, rest: Omit<Case, 'name' | 'expected'>): Case => ({
    name: `${code}: ${name}`,
    expected,
    ...rest,
  });
  const figure = (shown: string, more: object = {}, from = path) => [{ shown, from, ...more }];
  const sum = (of: 'parts' | 'labour') => rows.reduce((total, each) => total + each[of], 0);
  const day = Date.UTC(2027, random.between(0, 11), random.between(13, 28));
  const date = (at: number, style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...style }).format(at);
  const LONG = { dateStyle: 'long' } as const;
  const [right, wrong] = language.sentence;
  const order = `sk-${random.between(1000, 9999)}-2026`;
  const broken = right.includes(' ') ? right.replace(' ', '  ').replace(/ (\S+)$/, '\n$1') : right;
  const letter = (more = '') => ({
    m1: {
      tool: 'read_attachment',
      result: {
        id: 'a1',
        name: `letter-${code}.txt`,
        text: `Ref ${order}\n\n${broken}.\n${date(day, LONG)}, 14:30\n${more}`,
        total_chars: 200,
        next_offset: null,
      },
    },
  });
  const addresses = (at: number) => [
    `${row(at).name}/${columns[1]}`,
    `${columns[1]}/${row(at).name}`,
    `B${at + 2}`,
    `$B$${at + 2}`,
    `${columns[1]}[${row(at).name}]`,
    `row ${at + 1}/${columns[1]}`,
  ];
  const cells = addresses(0).flatMap((_address, form) =>
    [table, list, markdown].flatMap((results, kind) => {
      const at = pick();
      const far = other(at);
      const from = kind === 0 ? path : kind === 1 ? `ledger-${code}` : `notes/${code}.md`;
      const shown = currency(amount(row(at).parts));
      const address = addresses(at)[form] ?? '';
      return [
        make(`cell ${form}.${kind}`, 'supported', { results, figures: figure(shown, { cells: [address] }, from) }),
        make(`wrong row ${form}.${kind}`, 'contradicted', {
          results,
          figures: figure(currency(amount(row(far).parts)), { cells: [address] }, from),
        }),
        make(`wrong digits ${form}.${kind}`, 'contradicted', {
          results,
          figures: figure(
            currency(amount(row(at).parts + random.between(1, 90) / 100 + 1)),
            { cells: [address] },
            from,
          ),
        }),
      ];
    }),
  );
  const at = pick();
  const far = other(at);
  const { name, parts, labour } = row(at);
  const spent = currency(amount(parts));
  const share = (100 * parts) / sum('parts');
  const percent = (value: number) =>
    new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(
      value / 100,
    );
  const claim = (text: string, evidence: readonly string[] = [path], more: object = {}) => [
    { text, evidence, confidence: 'high', ...more },
  ];
  const range = `B2:B${MONTHS + 1}`;
  const second = {
    c2: {
      tool: 'read_attachment',
      result: {
        id: 'a2',
        name: 'second.csv',
        text: `${columns.slice(0, 2).join(delimiter)}\n${name}${delimiter}${quoted(amount(labour))}\n${row(far).name}${delimiter}${quoted(amount(7))}\n`,
        total_chars: 90,
        next_offset: null,
      },
    },
  };
  const loss = `(${amount(parts)})`;
  const half = rows.slice(0, 3).map((each) => [each.name, amount(each.parts)].map(quoted).join(delimiter));
  const cut = {
    c1: {
      result: {
        path,
        text: [columns.slice(0, 2).join(delimiter), ...half].join('\n'),
        offset: 0,
        lines: 4,
        total_lines: 90,
        next_offset: 4,
      },
    },
  };
  const first = row(0);
  return [
    ...cells,
    make('a cell without its place', 'supported', { results: table, figures: figure(spent) }),
    make('full width', 'supported', {
      results: table,
      figures: figure(
        amount(parts).replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
        { cells: [`B${at + 2}`] },
      ),
    }),
    make('other separators', 'supported', {
      results: table,
      figures: figure(parts.toFixed(2), { cells: [`B${at + 2}`] }),
    }),
    make('rounded', 'supported', {
      results: table,
      figures: figure(currency(amount(Math.round(parts), 0)), { cells: [`B${at + 2}`] }),
    }),
    make('rounded wrongly', 'contradicted', {
      results: table,
      figures: figure(currency(amount(Math.round(parts) + 2, 0)), { cells: [`B${at + 2}`] }),
    }),
    make('part of a number', 'unsupported', {
      results: table,
      figures: figure(
        amount(parts)
          .slice(1)
          .replace(/^[.,\s]/, ''),
      ),
    }),
    make('in no cell', 'unsupported', { results: table, figures: figure(currency(amount(parts + 3.33))) }),
    make('sum', 'supported', {
      results: table,
      figures: figure(currency(amount(sum('parts'))), { formula: `sum(${columns[1]})` }),
    }),
    make('sum of a range', 'supported', {
      results: table,
      figures: figure(currency(amount(sum('parts'))), { formula: `=SUM(${range})` }),
    }),
    make('sum of cells', 'supported', {
      results: table,
      figures: figure(amount(sum('parts')), { cells: [range], formula: 'sum' }),
    }),
    make('wrong sum', 'contradicted', {
      results: table,
      figures: figure(currency(amount(sum('parts') + 10)), { formula: `sum(${columns[1]})` }),
    }),
    make('sum short of a row', 'contradicted', {
      results: table,
      figures: figure(currency(amount(sum('parts') - first.parts)), { formula: `sum(${range})` }),
    }),
    make('sum in a list', 'supported', {
      results: list,
      figures: figure(amount(sum('labour')), { formula: `sum(${columns[2]})` }, 'c1'),
    }),
    make('average', 'supported', {
      results: table,
      figures: figure(amount(sum('labour') / MONTHS), { cells: [columns[2]], formula: 'avg' }),
    }),
    make('wrong average', 'contradicted', {
      results: table,
      figures: figure(amount(sum('labour') / (MONTHS - 1)), { cells: [columns[2]], formula: 'avg' }),
    }),
    make('largest', 'supported', {
      results: table,
      figures: figure(amount(Math.max(...rows.map((each) => each.parts))), { formula: `max(${range})` }),
    }),
    make('not the smallest', 'contradicted', {
      results: table,
      figures: figure(amount(rows.map((each) => each.parts).toSorted((a, b) => a - b)[1] ?? 0), {
        formula: `min(${range})`,
      }),
    }),
    make('count', 'supported', {
      results: table,
      figures: figure(String(MONTHS), { formula: `count(${columns[0]})` }),
    }),
    make('wrong count', 'contradicted', {
      results: table,
      figures: figure(String(MONTHS + 2), { formula: `count(${columns[0]})` }),
    }),
    make('rows', 'supported', { results: list, figures: figure(String(MONTHS), { formula: 'count' }, 'ledger') }),
    make('share', 'supported', {
      results: table,
      figures: figure(percent(share), { formula: `B${at + 2}/sum(${range})*100` }),
    }),
    make('share by name', 'supported', {
      results: table,
      figures: figure(percent((100 * parts) / (parts + row(far).parts)), {
        cells: [`${name}/${columns[1]}`, `${row(far).name}/${columns[1]}`],
        formula: '#1/(#1+#2)',
      }),
    }),
    make('wrong share', 'contradicted', {
      results: table,
      figures: figure(percent(share + 0.4), { formula: `share(B${at + 2}, sum(${range}))` }),
    }),
    make('difference', 'supported', {
      results: table,
      figures: figure(amount(parts - row(far).parts), {
        cells: [`${name}/${columns[1]}`, `${row(far).name}/${columns[1]}`],
        formula: `${name}/${columns[1]} - ${row(far).name}/${columns[1]}`,
      }),
    }),
    make('wrong difference', 'contradicted', {
      results: table,
      figures: figure(amount(parts - row(far).parts + 1), {
        cells: [`${name}/${columns[1]}`, `${row(far).name}/${columns[1]}`],
        formula: '#1 - #2',
      }),
    }),
    make('a formula out of nothing', 'unsupported', {
      results: table,
      figures: figure(amount(4711.25), { formula: '4700.25 + 11' }),
    }),
    make('no such cell', 'unsupported', { results: table, figures: figure(amount(4711.25), { cells: ['Z99'] }) }),
    make('no such source', 'unsupported', { results: table, figures: figure(spent, {}, 'reports/other.csv') }),
    make('an invented call', 'unsupported', { results: table, claims: claim(says(name, spent), ['call_zzz9']) }),
    make('one of two is invented', 'unsupported', { results: table, claims: claim(says(name, spent), [path, 'a77']) }),
    make('no source', 'unsupported', { results: table, claims: claim(says(name, spent), []) }),
    make('a call that failed', 'unsupported', {
      results: table,
      claims: claim(says(name, spent), ['c1']),
      failed: 'c1',
    }),
    make('claim', 'supported', { results: table, claims: claim(says(name, spent)) }),
    make('claim by call', 'supported', { results: markdown, claims: claim(says(name, spent), ['c1']) }),
    make('claim by tool', 'supported', { results: list, claims: claim(says(name, amount(parts)), ['ledger']) }),
    make('claim by the end of a path', 'supported', {
      results: table,
      claims: claim(says(name, spent), [`costs-${code}.csv`]),
    }),
    make('wrong claim', 'unsupported', { results: table, claims: claim(says(name, currency(amount(parts + 10)))) }),
    make('claim that swaps digits', 'unsupported', {
      results: table,
      claims: claim(says(name, currency(amount(Number(swapped(parts)))))),
    }),
    make('claim with a figure', 'supported', {
      results: table,
      claims: claim(says(columns[1], currency(amount(sum('parts'))))),
      figures: figure(currency(amount(sum('parts'))), { formula: `sum(${range})` }),
    }),
    make('claim with a day', 'supported', {
      results: letter(),
      claims: claim(says(order, date(day, { day: 'numeric', month: 'long' })), ['a1']),
    }),
    make('claim with another day', 'unsupported', {
      results: letter(),
      claims: claim(says(order, date(day + 86_400_000, { day: 'numeric', month: 'long' })), ['a1']),
    }),
    make('claim with an id', 'supported', {
      results: letter(),
      claims: claim(says(order.toUpperCase(), '14:30'), ['m1']),
    }),
    make('claim with another id', 'unsupported', {
      results: letter(),
      claims: claim(says('sk-0001-2026', '14:30'), ['m1']),
    }),
    make('quotation', 'supported', {
      results: letter(),
      claims: claim(`${language.quotes[0]}${right}${language.quotes[1]}`, ['a1']),
    }),
    make('quotation of something else', 'unsupported', {
      results: letter(),
      claims: claim(`${language.quotes[0]}${wrong}${language.quotes[1]}`, ['a1']),
    }),
    make('quoted figure', 'supported', { results: letter(), figures: figure(`"${right}"`, {}, 'a1') }),
    make('quoted figure that is not there', 'unsupported', {
      results: letter(),
      figures: figure(`"${wrong}"`, {}, `letter-${code}.txt`),
    }),
    make('date', 'supported', { results: letter(), figures: figure(date(day, LONG), {}, 'a1') }),
    make('date in short', 'supported', {
      results: letter(),
      figures: figure(date(day, { year: 'numeric', month: '2-digit', day: '2-digit' }), {}, 'a1'),
    }),
    make('date in ISO', 'supported', {
      results: letter(),
      figures: figure(new Date(day).toISOString().slice(0, 10), {}, 'attachment a1'),
    }),
    make('wrong day', 'unsupported', { results: letter(), figures: figure(date(day + 86_400_000, LONG), {}, 'a1') }),
    make('wrong month', 'unsupported', {
      results: letter(),
      figures: figure(date(day + 40 * 86_400_000, LONG), {}, 'a1'),
    }),
    make('wrong year', 'unsupported', {
      results: letter(),
      figures: figure(date(day + 366 * 86_400_000, LONG), {}, 'a1'),
    }),
    make('time', 'supported', { results: letter(), figures: figure('14:30', {}, 'a1') }),
    make('wrong time', 'unsupported', { results: letter(), figures: figure('14:40', {}, 'a1') }),
    make('id', 'supported', { results: letter(), figures: figure(order, {}, 'a1') }),
    make('number inside an id', 'unsupported', { results: letter(), figures: figure(order.slice(3, 7), {}, 'a1') }),
    make('negative in brackets', 'supported', {
      results: {
        c1: {
          result: {
            path: 'p',
            text: `${columns[0]}${delimiter}x\n${name}${delimiter}${quoted(loss)}\n${row(far).name}${delimiter}1`,
          },
        },
      },
      figures: figure(`-${amount(parts)}`, { cells: ['B2'] }, 'c1'),
    }),
    make('sign in words', 'unchecked', {
      results: {
        c1: {
          result: {
            path: 'p',
            text: `${columns[0]}${delimiter}x\n${name}${delimiter}${quoted(`-${amount(parts)}`)}\n${row(far).name}${delimiter}1`,
          },
        },
      },
      figures: figure(amount(parts), { cells: ['B2'] }, 'c1'),
    }),
    make('another currency', 'contradicted', {
      results: {
        c1: {
          result: {
            path: 'p',
            text: `${columns[0]}${delimiter}x\n${name}${delimiter}${quoted(`CHF ${amount(parts)}`)}\n${row(far).name}${delimiter}1`,
          },
        },
      },
      figures: figure(currency(amount(parts)), { cells: ['B2'] }, 'c1'),
    }),
    make('two attachments', 'supported', {
      results: { ...table, ...second },
      figures: [
        { shown: amount(parts + labour), from: [path, 'a2'], cells: [`${path}!B${at + 2}`, 'a2!B2'], formula: 'sum' },
      ],
    }),
    make('two attachments, wrong', 'contradicted', {
      results: { ...table, ...second },
      figures: [
        {
          shown: amount(parts + labour + 1),
          from: [path, 'a2'],
          cells: [`${path}!B${at + 2}`, 'a2!B2'],
          formula: '#1 + #2',
        },
      ],
    }),
    make('drifted', 'drifted', { results: table, claims: claim(says(name, spent)), drifted: ['c1'] }),
    make('drifted figure', 'drifted', {
      results: table,
      figures: figure(spent, { cells: [`B${at + 2}`] }),
      drifted: ['c1'],
    }),
    make('stale', 'stale', { results: table, claims: claim(says(name, spent)), hoursLater: 30 }),
    make('stale by its source', 'stale', {
      results: { c1: { tool: 'queue', result: { name: 'queue', queued: 4711, fresh_for_s: 60 } } },
      figures: figure('4711', { cells: ['queued'] }, 'queue'),
      hoursLater: 1,
    }),
    make('cut', 'overstated', { results: cut, claims: claim(says(first.name, currency(amount(first.parts)))) }),
    make('cut and said', 'supported', {
      results: cut,
      claims: claim(says(first.name, currency(amount(first.parts))), [path], { limitations: ['4 / 90'] }),
    }),
    make('sum of a part', 'overstated', {
      results: cut,
      figures: figure(amount(rows.slice(0, 3).reduce((total, each) => total + each.parts, 0)), {
        formula: `sum(${columns[1]})`,
      }),
    }),
    make('surer than its source', 'overstated', {
      results: { c1: { tool: 'guess', result: { name: 'guess', value: parts, confidence: 'low' } } },
      claims: claim(says(name, amount(parts)), ['guess']),
    }),
    make('as sure as its source', 'supported', {
      results: { c1: { tool: 'guess', result: { name: 'guess', value: parts, confidence: 'medium' } } },
      claims: claim(says(name, amount(parts)), ['guess'], { confidence: 'medium' }),
    }),
  ];
}

/** Two neighbouring digits of the whole part that differ, the other way round. */
function swapped(value: number): string {
  const text = value.toFixed(2);
  for (let at = 0; at < text.indexOf('.') - 1; at += 1) {
    if (text[at] !== text[at + 1]) return `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
  }
  return (value + 1).toFixed(2);
}
