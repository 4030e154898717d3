import Database from 'better-sqlite3';

/** The same sales as a database, which answers for the tests, and as files of four countries. */
export interface Sale {
  readonly region: string;
  readonly product: string;
  /** ISO 8601. */
  readonly day: string;
  readonly quantity: number;
  /** Null where nothing was entered. */
  readonly cents: number | null;
  readonly status: string;
}

const REGIONS = ['North', 'South', 'East', 'West'];
const PRODUCTS = ['Hose 12', 'Hose 19', 'Valve', 'Pump A', 'Pump B', 'Seal'];
const STATUS = ['open', 'paid', 'late'];

/** Always the same, and without a pattern that a wrong answer could share. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

export function salesOf(seed: number, count: number): readonly Sale[] {
  const next = numbers(seed);
  return Array.from({ length: count }, () => ({
    region: REGIONS[next(4)] ?? '',
    product: PRODUCTS[next(6)] ?? '',
    day: new Date(Date.UTC(2025, 10, 1) + next(400) * 86_400_000).toISOString().slice(0, 10),
    quantity: 1 + next(4000),
    cents: next(10) === 0 ? null : next(900_000_00) - 50_000_00,
    status: STATUS[next(3)] ?? '',
  }));
}

export function databaseOf(sales: readonly Sale[]): Database.Database {
  const database = new Database(':memory:');
  database.exec(
    'create table sales (region text, product text, day text, quantity integer, cents integer, status text)',
  );
  const insert = database.prepare('insert into sales values (@region, @product, @day, @quantity, @cents, @status)');
  for (const sale of sales) insert.run(sale);
  return database;
}

export interface Locale {
  readonly name: string;
  readonly headings: readonly [
    region: string,
    product: string,
    day: string,
    quantity: string,
    amount: string,
    status: string,
  ];
  readonly delimiter: string;
  group(digits: string): string;
  readonly decimal: string;
  money(amount: string): string;
  date(day: string): string;
}

const grouped = (sign: string) => (digits: string) => digits.replace(/\B(?=(\d{3})+$)/g, sign);
const parts = (day: string): [string, string, string] => day.split('-') as [string, string, string];

export const LOCALES: readonly Locale[] = [
  {
    name: 'en',
    headings: ['Region', 'Product', 'Order date', 'Quantity', 'Amount', 'Status'],
    delimiter: ',',
    group: grouped(','),
    decimal: '.',
    money: (amount) => amount.replace(/^-?/, '$&$'),
    date: (day) => parts(day).slice(1).concat(parts(day)[0]).join('/'),
  },
  {
    name: 'de',
    headings: ['Region', 'Artikel', 'Bestelldatum', 'Menge', 'Betrag (EUR)', 'Stand'],
    delimiter: ';',
    group: grouped('.'),
    decimal: ',',
    money: (amount) => amount,
    date: (day) => parts(day).toReversed().join('.'),
  },
  {
    name: 'fr',
    headings: ['Région', 'Produit', 'Date de commande', 'Quantité', 'Montant', 'État'],
    delimiter: '\t',
    group: grouped('\u202f'),
    decimal: ',',
    money: (amount) => `${amount}\u00a0€`,
    date: (day) => parts(day).toReversed().join('/'),
  },
  {
    name: 'ch',
    headings: ['Gebiet', 'Artikel', 'Datum', 'Anzahl', 'Betrag', 'Status'],
    delimiter: ';',
    group: grouped('’'),
    decimal: '.',
    money: (amount) => `CHF ${amount}`,
    date: (day) => day,
  },
];

export function fileOf(sales: readonly Sale[], { headings, delimiter, group, decimal, money, date }: Locale): string {
  const amount = (cents: number) => {
    const digits = String(Math.abs(cents)).padStart(3, '0');
    return `${cents < 0 ? '-' : ''}${group(digits.slice(0, -2))}${decimal}${digits.slice(-2)}`;
  };
  const rows = sales.map(({ region, product, day, quantity, cents, status }) => [
    region,
    product,
    date(day),
    group(String(quantity)),
    cents === null ? '' : money(amount(cents)),
    status,
  ]);
  const field = (text: string) => (text.includes(delimiter) ? `"${text}"` : text);
  return [headings, ...rows].map((row) => row.map(field).join(delimiter)).join('\n');
}
