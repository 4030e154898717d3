import type { Json } from '#contract';

/** Declarations over documents as offices have them, each with what a careful person would say of it: written by hand. */
export interface HandCase {
  readonly name: string;
  readonly sources: Sources;
  readonly figure?: object;
  readonly claim?: object;
  /** Other figures of the same answer. */
  readonly beside?: readonly object[];
  readonly drifted?: readonly string[];
  readonly supported: boolean;
}

type Sources = Readonly<Record<string, { readonly tool?: string; readonly result: Json; readonly more?: object }>>;

const file = (path: string, text: string, id = 'c1', whole = true): Sources => {
  const lines = text.split('\n').length;
  return {
    [id]: {
      result: { path, text, offset: 0, lines, total_lines: whole ? lines : 400, next_offset: whole ? null : lines },
    },
  };
};
const attached = (id: string, name: string, text: string, call = 'c1'): Sources => ({
  [call]: { tool: 'read_attachment', result: { id, name, text, total_chars: text.length, next_offset: null } },
});

type Say = string | number;
/** A figure that holds, or one that does not. */
const fig =
  (supported: boolean) =>
  (
    name: string,
    sources: Sources,
    shown: Say,
    from: string,
    cells: readonly Say[] = [],
    formula?: string,
  ): HandCase => ({
    name,
    sources,
    supported,
    figure: { shown, from, ...(cells.length > 0 ? { cells } : {}), ...(formula ? { formula } : {}) },
  });
const is = fig(true);
const not = fig(false);
const claim =
  (supported: boolean) =>
  (
    name: string,
    sources: Sources,
    text: string,
    evidence: readonly string[],
    beside: readonly object[] = [],
  ): HandCase => ({
    name,
    sources,
    supported,
    claim: { text, evidence, confidence: 'high' },
    beside,
  });
const says = claim(true);
const lies = claim(false);

const SALES = file(
  'sales.csv',
  'Region,Q1,Q2,Units\nNorth,"1,200.50",980,12\nSouth,"2,340.00",2100,31\nWest,-450.25,120,4\nEast,0,310,7\n',
);
const KASSE = file(
  'kasse.csv',
  '\uFEFFDatum;Beleg;Betrag;MwSt\n03.11.2026;R-2026-104;1.234,56 €;19 %\n04.11.2026;R-2026-105;99,90 €;7 %\n05.11.2026;R-2026-106;12.000,00 €;19 %\n',
);
const TABS = file(
  'stock.tsv',
  'sku\tname\tstock\tprice\nA-100\tBolt M8\t1500\t0.12\nA-101\tNut M8\t1380\t0.08\nA-102\tWasher\t15000\t0.02\n',
);
const QUOTED = file(
  'orders.csv',
  'id,customer,note,total\n1001,"Meyer, Anna","fragile;\nhandle with care",85.00\n1002,"O""Neil & Sons",,410.75\n1003,"Kaya, Deniz","call first",85.50\n',
);
const MD = file(
  'plan.md',
  '# Plan\n\nBudget 2026 below.\n\n| Item | Cost | Owner |\n|:-----|-----:|-------|\n| Roof | €4,800 | Maria |\n| Heating | €11,250 | Tim |\n| Paint | €640 | Maria |\n\nThe work starts on 3 November 2026.\n',
);
const HTML = file(
  'prices.html',
  '<h1>Prices</h1><table><tr><th>Plan</th><th>Monthly</th><th>Yearly</th></tr><tr><td>Basic</td><td>9.90</td><td>99.00</td></tr><tr><td>Pro</td><td>24.90</td><td>249.00</td></tr></table>',
);
const CONTRACT = attached(
  'att_7',
  'lease.txt',
  'LEASE\n\n§ 3 Rent. The monthly rent is EUR 1,850.00, due on the 3rd of each month.\n§ 7 Term. This lease runs until 31 December 2029. Either party\nmay give notice of three months to the end of a quarter.\n§ 9 Deposit: 3 monthly rents, EUR 5,550.00.\nIBAN DE89 3704 0044 0532 0130 00\nPhone +49 30 901820-14\nContract no. AB-2026/0417\n',
);
const LOG = file(
  'app.log',
  '2026-11-03T09:14:02Z INFO start build 4711\n2026-11-03T09:14:07Z ERROR disk full on /dev/sda1\n2026-11-03T09:15:40Z WARN retry 2 of 5\n2026-11-03T09:16:11Z ERROR timeout after 30.5 s\n2026-11-03T09:16:12Z ERROR timeout after 31 s\n2026-11-03T09:17:00Z INFO exit code 2\n',
);
const JSON_TOOL: Sources = {
  c1: {
    tool: 'crm_lookup',
    result: {
      name: 'crm',
      customer: { id: 'K-88123', name: 'Ritzel GmbH', balance: -320.4, active: true },
      invoices: [
        { no: 'INV-1', amount: 120, due: '2026-11-30', paid: true },
        { no: 'INV-2', amount: 440.4, due: '2026-12-15', paid: false },
        { no: 'INV-3', amount: 80, due: '2027-01-03', paid: false },
      ],
      open_count: 2,
    },
  },
};
const COSTS = file(
  'costs.csv',
  'month,parts,labour\nJuly,40100.00,9000\nAugust,37890.10,8800\nSeptember,52344.90,9100\n',
);
const SWISS = file('ch.csv', "Ort;Umsatz\nBern;12'450.80\nZug;8'000.00\n");
const FRENCH = file('fr.csv', 'Poste;Montant\nLoyer;1 850,00 €\nSalaires;12 345,67 €\nTaxes;38,15 %\n');
const JA = file('ja.csv', '日付,品目,金額\n2026年11月3日,ポンプ,"12,800円"\n2026年11月4日,ホース,980円\n');
const TWO: Sources = {
  ...file('north/report.csv', 'name,total\nAnna,120\nBen,300\n', 'c1'),
  ...file('south/report.csv', 'name,total\nAnna,450\nBen,90\n', 'c2'),
};
const CUT = file('long.csv', 'n,amount\n1,10\n2,20\n3,30\n', 'c1', false);
const LETTERS: Sources = {
  c1: {
    result: {
      path: 'dates.txt',
      text: 'en: 3 November 2026\nde: 3. November 2026\nfr: 3 novembre 2026\nes: 3 de noviembre de 2026\nit: 3 novembre 2026\nja: 2026年11月3日',
    },
  },
};
const day = (text: string): Sources => file('day.txt', text);
const SHARES = file('share.csv', 'team,votes,share\nRed,381,38.1 %\nBlue,619,61.9 %\n');

const cells: readonly HandCase[] = [
  is('comma cell by name', SALES, '1,200.50', 'sales.csv', ['North/Q1']),
  is('comma cell by sheet address', SALES, '1,200.50', 'sales.csv', ['B2']),
  is('comma cell with a currency that the cell has not', SALES, '$1,200.50', 'sales.csv', ['North/Q1']),
  is('comma cell in German', SALES, '1.200,50', 'sales.csv', ['North/Q1']),
  is('comma cell in French', SALES, '1 200,50', 'sales.csv', ['North/Q1']),
  is('comma cell in Swiss', SALES, "1'200.50", 'sales.csv', ['North/Q1']),
  is('comma cell bare', SALES, '1200.5', 'sales.csv', ['North/Q1']),
  is('a number given as a number', SALES, 1200.5, 'sales.csv', ['North/Q1']),
  is('negative', SALES, '-450.25', 'sales.csv', ['West/Q1']),
  is('negative with a typographic minus', SALES, '−450.25', 'sales.csv', ['West/Q1']),
  // What is less than nothing may have its sign in words: nothing is said of it.
  is('negative without its sign', SALES, '450.25', 'sales.csv', ['West/Q1']),
  not('positive with a sign', SALES, '-2,340.00', 'sales.csv', ['South/Q1']),
  is('zero', SALES, '0', 'sales.csv', ['East/Q1']),
  not('zero for another', SALES, '0', 'sales.csv', ['East/Q2']),
  not('wrong row', SALES, '980', 'sales.csv', ['South/Q2']),
  not('wrong column', SALES, '980', 'sales.csv', ['North/Q1']),
  not('a row that does not exist', SALES, '980', 'sales.csv', ['Centre/Q2']),
  not('a column that does not exist', SALES, '980', 'sales.csv', ['North/Q3']),
  not('part of a number', SALES, '200.50', 'sales.csv'),
  not('start of a number', SALES, '2,34', 'sales.csv'),
  not('ten times', SALES, '9800', 'sales.csv', ['North/Q2']),
  is('semicolon cell with euro', KASSE, '1.234,56 €', 'kasse.csv', ['C2']),
  is('euro before', KASSE, '€1,234.56', 'kasse.csv', ['C2']),
  is('EUR before', KASSE, 'EUR 1.234,56', 'kasse.csv', ['C2']),
  is('EUR after in English', KASSE, '1,234.56 EUR', 'kasse.csv', ['C2']),
  not('dollars for euros', KASSE, '$1,234.56', 'kasse.csv', ['C2']),
  is('first column of a file with a byte order mark', KASSE, '03.11.2026', 'kasse.csv', ['R-2026-104/Datum']),
  is('BOM column A', KASSE, '3 November 2026', 'kasse.csv', ['A2']),
  is('BOM header as a column', KASSE, '3', 'kasse.csv', [], 'count(Datum)'),
  is('percent cell', KASSE, '19%', 'kasse.csv', ['D2']),
  not('wrong percent cell', KASSE, '19%', 'kasse.csv', ['D3']),
  not('percent shown as euro', KASSE, '19 €', 'kasse.csv', ['D2']),
  is('thousands without cents', KASSE, '12 000 €', 'kasse.csv', ['C4']),
  not('twelve for twelve thousand', KASSE, '12,00 €', 'kasse.csv', ['C4']),
  is('invoice number', KASSE, 'R-2026-105', 'kasse.csv', ['B3']),
  not('invoice number of another row', KASSE, 'R-2026-106', 'kasse.csv', ['B3']),
  is('tab cell', TABS, '1,500', 'stock.tsv', ['A-100/stock']),
  is('tab cell by second column value', TABS, '1500', 'stock.tsv', ['C2']),
  not('tab part of number', TABS, '150', 'stock.tsv'),
  not('tab cell of the neighbour', TABS, '15,000', 'stock.tsv', ['A-100/stock']),
  is('tab text cell', TABS, 'Nut M8', 'stock.tsv', ['A-101/name']),
  not('tab text of another row', TABS, 'Nut M8', 'stock.tsv', ['A-100/name']),
  is('small price', TABS, '0.12', 'stock.tsv', ['A-100/price']),
  is('small price with comma', TABS, '0,12 €', 'stock.tsv', ['A-100/price']),
  not('price ten times', TABS, '1.2', 'stock.tsv', ['A-100/price']),
  is('quoted cell with a comma', QUOTED, 'Meyer, Anna', 'orders.csv', ['1001/customer']),
  is('cell behind a quoted line break', QUOTED, '85.00', 'orders.csv', ['1001/total']),
  is('row behind a quoted line break', QUOTED, '410.75', 'orders.csv', ['1002/total']),
  is('row behind a quoted line break, by sheet', QUOTED, '410.75', 'orders.csv', ['D3']),
  is('cell with doubled quotes', QUOTED, 'O"Neil & Sons', 'orders.csv', ['B3']),
  not('quoted, other row', QUOTED, '85.50', 'orders.csv', ['1001/total']),
  is('quoted sum', QUOTED, '581.25', 'orders.csv', [], 'sum(total)'),
  is('a cell of two lines', QUOTED, 'fragile; handle with care', 'orders.csv', ['1001/note']),
  is('markdown cell', MD, '€11,250', 'plan.md', ['Heating/Cost']),
  is('markdown cell in German', MD, '11.250 €', 'plan.md', ['Heating/Cost']),
  is('markdown sheet', MD, '€4,800', 'plan.md', ['B2']),
  not('markdown wrong row', MD, '€11,250', 'plan.md', ['Roof/Cost']),
  is('markdown text', MD, 'Tim', 'plan.md', ['Heating/Owner']),
  not('markdown text wrong', MD, 'Maria', 'plan.md', ['Heating/Owner']),
  is('html cell', HTML, '24.90', 'prices.html', ['Pro/Monthly']),
  is('html cell euro', HTML, '24,90 €', 'prices.html', ['Pro/Monthly']),
  not('html wrong column', HTML, '249.00', 'prices.html', ['Pro/Monthly']),
  not('html wrong row', HTML, '9.90', 'prices.html', ['Pro/Monthly']),
  is('Swiss cell', SWISS, "CHF 12'450.80", 'ch.csv', ['Bern/Umsatz']),
  is('Swiss cell in English', SWISS, '12,450.80', 'ch.csv', ['Bern/Umsatz']),
  not('Swiss part', SWISS, '450.80', 'ch.csv'),
  is('French cell', FRENCH, '12 345,67 €', 'fr.csv', ['Salaires/Montant']),
  is('French cell in English', FRENCH, '€12,345.67', 'fr.csv', ['Salaires/Montant']),
  is('French cell with thin spaces', FRENCH, '12\u202f345,67\u00a0€', 'fr.csv', ['Salaires/Montant']),
  not('French wrong', FRENCH, '12 345,76 €', 'fr.csv', ['Salaires/Montant']),
  is('French percent', FRENCH, '38,15 %', 'fr.csv', ['Taxes/Montant']),
  is('French percent rounded', FRENCH, '38 %', 'fr.csv', ['Taxes/Montant']),
  not('French percent rounded up', FRENCH, '39 %', 'fr.csv', ['Taxes/Montant']),
  is('Japanese cell', JA, '12,800円', 'ja.csv', ['C2']),
  is('Japanese yen sign', JA, '¥12,800', 'ja.csv', ['C2']),
  is('Japanese full width', JA, '１２，８００円', 'ja.csv', ['C2']),
  not('Japanese other row', JA, '980円', 'ja.csv', ['C2']),
  is('json path', JSON_TOOL, '440.40', 'c1', ['invoices.1.amount']),
  is('json path brackets', JSON_TOOL, '€440.40', 'crm_lookup', ['invoices[1].amount']),
  is('json row and column', JSON_TOOL, '440.4', 'crm', ['INV-2/amount']),
  not('json wrong row', JSON_TOOL, '440.4', 'crm', ['INV-3/amount']),
  is('json nested', JSON_TOOL, '-320.40', 'c1', ['customer.balance']),
  is('json id', JSON_TOOL, 'K-88123', 'c1', ['customer.id']),
  not('json id of digits only', JSON_TOOL, '8812', 'c1'),
  is('json date', JSON_TOOL, '15 December 2026', 'c1', ['INV-2/due']),
  is('json date in German', JSON_TOOL, '15.12.2026', 'c1', ['INV-2/due']),
  not('json date of another', JSON_TOOL, '30.11.2026', 'c1', ['INV-2/due']),
  is('same name, path says which', TWO, '450', 'south/report.csv', ['Anna/total']),
  not('same name, path says the other', TWO, '450', 'north/report.csv', ['Anna/total']),
  is('same name, call says which', TWO, '300', 'c1', ['Ben/total']),
  not('same name, call says the other', TWO, '300', 'c2', ['Ben/total']),
];

const formulas: readonly HandCase[] = [
  is('sum of a column', COSTS, '130,335.00', 'costs.csv', [], 'sum(parts)'),
  is('sum rounded', COSTS, '130,335', 'costs.csv', [], 'sum(parts)'),
  is('sum in thousands', COSTS, '130.3k', 'costs.csv', [], 'sum(parts)'),
  is('a rounded sum', COSTS, 'about 130,000', 'costs.csv', [], 'round(sum(parts), -3)'),
  not('sum wrong', COSTS, '130,435.00', 'costs.csv', [], 'sum(parts)'),
  not('sum of the other column', COSTS, '130,335.00', 'costs.csv', [], 'sum(labour)'),
  is('sum of a range', COSTS, '130335', 'costs.csv', ['B2:B4'], 'sum'),
  is('sum of listed cells', COSTS, '77,990.10', 'costs.csv', ['B2', 'B3'], 'sum'),
  not('sum of too few', COSTS, '130,335.00', 'costs.csv', ['B2:B3'], 'sum'),
  is('row sum', COSTS, '61,444.90', 'costs.csv', ['September/parts', 'September/labour'], 'sum'),
  is('difference by names', COSTS, '14,454.80', 'costs.csv', [], '"September/parts" - "August/parts"'),
  is('difference by sheet', COSTS, '14.454,80 €', 'costs.csv', [], 'B4-B3'),
  is('difference the other way', COSTS, '-14,454.80', 'costs.csv', [], 'B3 - B4'),
  not('difference with the wrong sign', COSTS, '-14,454.80', 'costs.csv', [], 'B4 - B3'),
  not('difference wrong', COSTS, '14,445.80', 'costs.csv', [], 'B4-B3'),
  is('percent change', COSTS, '38.1 %', 'costs.csv', [], '(B4-B3)/B3*100'),
  is('percent change as fraction', COSTS, '38.1%', 'costs.csv', [], '(B4-B3)/B3'),
  is('percent change two digits', COSTS, '38,15 %', 'costs.csv', [], '(B4-B3)/B3*100'),
  is('percent change about', COSTS, 'about 38 %', 'costs.csv', [], '(B4-B3)/B3*100'),
  is('percent change plus', COSTS, '+38 %', 'costs.csv', [], '(B4-B3)/B3*100'),
  not('percent change wrong', COSTS, '39 %', 'costs.csv', [], '(B4-B3)/B3*100'),
  not('percent change falsely exact', COSTS, '38.3 %', 'costs.csv', [], '(B4-B3)/B3*100'),
  not('percent fall', COSTS, '-38.1 %', 'costs.csv', [], '(B4-B3)/B3*100'),
  is('product', TABS, '180.00', 'stock.tsv', [], '"A-100/stock" * "A-100/price"'),
  is('product by sheet', TABS, '180', 'stock.tsv', [], 'C2*D2'),
  not('product wrong', TABS, '1,800', 'stock.tsv', [], 'C2*D2'),
  is('average', COSTS, '43,445.00', 'costs.csv', [], 'avg(parts)'),
  is('average by word', COSTS, '8,966.67', 'costs.csv', [], 'average(labour)'),
  not('average wrong', COSTS, '9,000', 'costs.csv', [], 'avg(labour)'),
  is('minimum', COSTS, '37,890.10', 'costs.csv', [], 'min(parts)'),
  not('minimum is not the maximum', COSTS, '52,344.90', 'costs.csv', [], 'min(parts)'),
  is('maximum', COSTS, '52.344,90', 'costs.csv', [], 'MAX(B2:B4)'),
  is('count', SALES, '4', 'sales.csv', [], 'count(Region)'),
  not('count wrong', SALES, '5', 'sales.csv', [], 'count(Region)'),
  is('count in words', SALES, 'four', 'sales.csv', [], 'count(Region)'),
  is('count in words with the thing', SALES, 'four regions', 'sales.csv', [], 'count(Region)'),
  not('count in wrong words', SALES, 'five', 'sales.csv', [], 'count(Region)'),
  is('sum over a negative', SALES, '3,090.25', 'sales.csv', [], 'sum(Q1)'),
  not('sum that forgets the sign', SALES, '3,990.75', 'sales.csv', [], 'sum(Q1)'),
  is('sum of German amounts', KASSE, '13.334,46 €', 'kasse.csv', [], 'sum(Betrag)'),
  not('sum of German amounts wrong', KASSE, '13.334,64 €', 'kasse.csv', [], 'sum(Betrag)'),
  is('sum of Swiss amounts', SWISS, "20'450.80", 'ch.csv', [], 'sum(Umsatz)'),
  is('sum of yen', JA, '13,780円', 'ja.csv', [], 'sum(金額)'),
  not('sum of yen wrong', JA, '13,870円', 'ja.csv', [], 'sum(金額)'),
  is('share of votes', SHARES, '38.1 %', 'share.csv', [], 'B2/sum(votes)'),
  is('share cell', SHARES, '38.1%', 'share.csv', ['Red/share']),
  is('share cell rounded', SHARES, 'about 38 %', 'share.csv', ['Red/share']),
  not('share of the other', SHARES, '61.9 %', 'share.csv', [], 'B2/sum(votes)'),
  is('sum of json', JSON_TOOL, '640.40', 'c1', [], 'sum(amount)'),
  is('count of json rows', JSON_TOOL, '3', 'c1', [], 'count(invoices)'),
  is('sum of listed json cells', JSON_TOOL, '520.40', 'c1', ['INV-2/amount', 'INV-3/amount'], 'sum'),
  not('sum of json wrong', JSON_TOOL, '560.40', 'c1', [], 'sum(amount)'),
  not('VAT by a rate of which the file says nothing', SALES, '1,166.20', 'sales.csv', [], '"North/Q2" * 1.19'),
  is('year of twelve months', CONTRACT, 'EUR 22,200', 'att_7', ['1,850.00'], '#1 * 12'),
  not('a formula without cells', COSTS, '42', 'costs.csv', [], '40 + 2'),
  not('a division by nothing', SALES, '5', 'sales.csv', [], '"North/Q2" / "East/Q1"'),
  not('a formula of code', COSTS, '130,335.00', 'costs.csv', [], 'eval("130335")'),
];
// A model that adds up two files names both.
const acrossFiles: readonly HandCase[] = [
  {
    name: 'sum over two files',
    sources: TWO,
    supported: true,
    figure: { shown: '960', from: ['c1', 'c2'], formula: 'sum(total)' },
  },
  {
    name: 'wrong sum over two files',
    sources: TWO,
    supported: false,
    figure: { shown: '970', from: ['c1', 'c2'], formula: 'sum(total)' },
  },
];

const NOV3 = [
  '3 November 2026',
  '3. November 2026',
  '3 novembre 2026',
  '3 de noviembre de 2026',
  '2026年11月3日',
  '2026-11-03',
  '3 Nov 2026',
  'November 3, 2026',
  'Nov 3rd, 2026',
  '03.11.2026',
];
const NOV4 = [
  '4 November 2026',
  '4. November 2026',
  '4 novembre 2026',
  '4 de noviembre de 2026',
  '2026年11月4日',
  '2026-11-04',
  '3 November 2025',
  '3. Oktober 2026',
  '3 octobre 2026',
  '13 novembre 2026',
];
const dates: readonly HandCase[] = [
  ...NOV3.flatMap((shown) => [
    is(`date ${shown} of ISO`, day('Delivery: 2026-11-03, 14:30'), shown, 'day.txt'),
    is(`date ${shown} of English`, day('Delivered on November 3, 2026 at 2:30 pm.'), shown, 'day.txt'),
    is(`date ${shown} of German`, day('Lieferung am 3. November 2026.'), shown, 'day.txt'),
  ]),
  ...NOV4.flatMap((shown) => [
    not(`date ${shown} is not that of ISO`, day('Delivery: 2026-11-03, 14:30'), shown, 'day.txt'),
    not(`date ${shown} is none of six`, LETTERS, shown, 'dates.txt'),
  ]),
  is('date without its year', day('Delivery: 2026-11-03'), '3 November', 'day.txt'),
  not('day and month swapped where they cannot be', day('Delivery: 2026-11-13'), '11 March 2026', 'day.txt'),
  is('slashes read as Europe does', day('Le 13/11/2026 à 9 h'), '13 novembre 2026', 'day.txt'),
  is('slashes read as America does', day('Due 11/13/2026'), 'November 13, 2026', 'day.txt'),
  is('slashes as they are', day('Due 11/03/2026'), '11/03/2026', 'day.txt'),
  not('slashes of another day', day('Due 11/03/2026'), '12/03/2026', 'day.txt'),
  is('time', day('Start 14:30, end 16:00'), '14:30', 'day.txt'),
  is('time in English', day('Start 14:30, end 16:00'), '2:30 pm', 'day.txt'),
  is('time in German', day('Start 14:30, end 16:00'), '14.30 Uhr', 'day.txt'),
  not('time of nothing', day('Start 14:30, end 16:00'), '15:30', 'day.txt'),
  not('time half a day off', day('Start 14:30, end 16:00'), '2:30 am', 'day.txt'),
];

const claims: readonly HandCase[] = [
  says('rent', CONTRACT, 'The monthly rent is EUR 1,850.00.', ['att_7']),
  says('rent in German', CONTRACT, 'Die Monatsmiete beträgt 1.850,00 €.', ['att_7']),
  says('rent by file name', CONTRACT, 'The rent is 1,850 euros a month.', ['lease.txt']),
  lies('rent wrong', CONTRACT, 'The monthly rent is EUR 1,580.00.', ['att_7']),
  lies('invented attachment', CONTRACT, 'The monthly rent is EUR 1,850.00.', ['att_9']),
  lies('invented call', CONTRACT, 'The monthly rent is EUR 1,850.00.', ['call_abc']),
  lies('one invented call of two', CONTRACT, 'The monthly rent is EUR 1,850.00.', ['c1', 'c9']),
  says('term', CONTRACT, 'The lease runs until 31 December 2029.', ['att_7']),
  says('term in French', CONTRACT, 'Le bail court jusqu’au 31 décembre 2029.', ['att_7']),
  says('term in Spanish', CONTRACT, 'El contrato dura hasta el 31 de diciembre de 2029.', ['att_7']),
  says('term in Japanese', CONTRACT, '契約は2029年12月31日までです。', ['att_7']),
  lies('term wrong', CONTRACT, 'The lease runs until 31 December 2030.', ['att_7']),
  lies('term wrong in French', CONTRACT, 'Le bail court jusqu’au 31 décembre 2030.', ['att_7']),
  says('notice in words', CONTRACT, 'The notice period is three months.', ['att_7']),
  says('notice in digits', CONTRACT, 'The notice period is 3 months.', ['att_7']),
  says('deposit', CONTRACT, 'The deposit is 3 monthly rents (EUR 5,550.00).', ['att_7']),
  says('IBAN', CONTRACT, 'Pay to DE89 3704 0044 0532 0130 00.', ['att_7']),
  says('IBAN without blanks', CONTRACT, 'Pay to DE89370400440532013000.', ['att_7']),
  lies('IBAN with two digits swapped', CONTRACT, 'Pay to DE89 3704 0044 0532 0310 00.', ['att_7']),
  says('phone in one', CONTRACT, 'Call +49309018 2014.', ['att_7']),
  lies('phone in one, wrong', CONTRACT, 'Call +493090182015.', ['att_7']),
  says('IBAN in small letters', CONTRACT, 'Pay to de89 3704 0044 0532 0130 00.', ['att_7']),
  lies('IBAN without blanks, wrong', CONTRACT, 'Pay to DE89370400440532013001.', ['att_7']),
  lies('IBAN without its end', CONTRACT, 'Pay to DE89 3704 0044 0532 0130.', ['att_7']),
  says('phone', CONTRACT, 'Their number is +49 30 901820-14.', ['att_7']),
  lies('phone wrong', CONTRACT, 'Their number is +49 30 901820-41.', ['att_7']),
  says('contract number', CONTRACT, 'It is contract AB-2026/0417.', ['att_7']),
  lies('contract number wrong', CONTRACT, 'It is contract AB-2026/0471.', ['att_7']),
  says('quote', CONTRACT, 'It says: "This lease runs until 31 December 2029."', ['att_7']),
  says(
    'quote over a line break',
    CONTRACT,
    'It says “Either party may give notice of three months to the end of a quarter”.',
    ['att_7'],
  ),
  says('quote with a small letter', CONTRACT, 'It says that "either party may give notice of three months".', [
    'att_7',
  ]),
  says('quote in German marks', CONTRACT, 'Dort steht: „Either party may give notice of three months“.', ['att_7']),
  says('quote in French marks', CONTRACT, 'Il est écrit « This lease runs until 31 December 2029 ».', ['att_7']),
  says('quote with a gap', CONTRACT, 'It says "Either party may give notice … to the end of a quarter".', ['att_7']),
  lies('quote changed', CONTRACT, 'It says: "Either party may give notice of six months".', ['att_7']),
  lies('quote with a not', CONTRACT, 'It says: "Either party may not give notice of three months".', ['att_7']),
  says('quote of one word', CONTRACT, 'Section 9 is called "Deposit".', ['att_7']),
  says('no figure at all', CONTRACT, 'The lease can be ended by either party.', ['att_7']),
  says('paragraph sign', CONTRACT, 'See § 7.', ['att_7']),
  lies('paragraph that is not there', CONTRACT, 'See § 12.', ['att_7']),
  says('log time', LOG, 'The disk was full at 09:14:07.', ['app.log']),
  says('log minute', LOG, 'The disk was full at 09:14.', ['app.log']),
  lies('log time wrong', LOG, 'The disk was full at 09:41:07.', ['app.log']),
  says('log day', LOG, 'On 3 November 2026 the disk was full.', ['app.log']),
  lies('log day wrong', LOG, 'On 4 November 2026 the disk was full.', ['app.log']),
  says('log exit code', LOG, 'The build ended with exit code 2.', ['app.log']),
  lies('log exit code wrong', LOG, 'The build ended with exit code 137.', ['app.log']),
  says('log build', LOG, 'Build 4711 was started.', ['app.log']),
  lies('log build part', LOG, 'Build 471 was started.', ['app.log']),
  says('log seconds', LOG, 'It timed out after 30.5 seconds.', ['app.log']),
  says('log seconds in German', LOG, 'Nach 30,5 s war Schluss.', ['app.log']),
  lies('log seconds wrong', LOG, 'It timed out after 35.0 seconds.', ['app.log']),
  says('log retry', LOG, 'It was at retry 2 of 5.', ['app.log']),
  lies('log retry wrong', LOG, 'It was at retry 4 of 7.', ['app.log']),
  says('a device name', LOG, 'The disk /dev/sda1 was full.', ['app.log']),
  lies('another device name', LOG, 'The disk /dev/sda2 was full.', ['app.log']),
  says(
    'a sum beside',
    COSTS,
    'Parts cost 130,335.00 in all.',
    ['costs.csv'],
    [{ shown: '130,335.00', from: 'costs.csv', formula: 'sum(parts)' }],
  ),
  lies(
    'a wrong sum beside',
    COSTS,
    'Parts cost 130,385.00 in all.',
    ['costs.csv'],
    [{ shown: '130,335.00', from: 'costs.csv', formula: 'sum(parts)' }],
  ),
  says(
    'a share beside',
    COSTS,
    'Parts rose by 38 % from August to September.',
    ['costs.csv'],
    [{ shown: '38 %', from: 'costs.csv', formula: '(B4-B3)/B3*100' }],
  ),
  lies('a share without a figure', COSTS, 'Parts rose by 38 % from August to September.', ['costs.csv']),
  says('json number', JSON_TOOL, 'INV-2 over 440.40 is due on 15 December 2026.', ['c1']),
  lies('json number wrong', JSON_TOOL, 'INV-2 over 444.00 is due on 15 December 2026.', ['c1']),
  says('json count that stands there', JSON_TOOL, '2 invoices are open.', ['crm_lookup']),
  lies('json id wrong', JSON_TOOL, 'Customer K-88132 has a balance.', ['c1']),
  says('json balance', JSON_TOOL, 'Ritzel GmbH has a balance of -320.40.', ['c1']),
  says('json small count in words', JSON_TOOL, 'two invoices are open.', ['c1']),
  says('kasse in Italian', KASSE, 'La fattura R-2026-104 è di 1.234,56 € (IVA 19 %).', ['kasse.csv']),
  lies('kasse in Italian wrong', KASSE, 'La fattura R-2026-104 è di 1.243,56 € (IVA 19 %).', ['kasse.csv']),
  lies('kasse invoice that is none', KASSE, 'Die Rechnung R-2026-107 ist offen.', ['kasse.csv']),
  lies('the value of another file', TWO, 'Anna has 450.', ['north/report.csv']),
  says('the value of this file', TWO, 'Anna has 450.', ['south/report.csv']),
  says('values of both', TWO, 'Anna has 120 in the north and 450 in the south.', ['c1', 'c2']),
  lies('a value of neither', TWO, 'Anna has 570.', ['c1', 'c2']),
  lies('a page of a cut file, as if it were the whole', CUT, 'The first amount is 10.', ['long.csv']),
];

const conditions: readonly HandCase[] = [
  { ...is('a drifted cell', COSTS, '40,100.00', 'costs.csv', ['July/parts']), drifted: ['c1'], supported: false },
  { ...says('a drifted claim', CONTRACT, 'The rent is EUR 1,850.00.', ['att_7']), drifted: ['c1'], supported: false },
  not('a count over a cut file', CUT, '3', 'long.csv', [], 'count(n)'),
  not('a sum over a cut file', CUT, '60', 'long.csv', [], 'sum(amount)'),
  not('a maximum over a cut file', CUT, '30', 'long.csv', [], 'max(amount)'),
  is('a cell of a cut file', CUT, '20', 'long.csv', ['B3']),
];

const BILL = attached(
  'att_12',
  'bill.md',
  '**Invoice 2026-0881** of 14.10.2026\n\n|Pos|Artikel|Menge|Einzel|Gesamt|\n|-|-|-:|-:|-:|\n|1|Rahmen HB200|3|1.390,00|4.170,00|\n|2|Sattel, grau|12|39,90|478,80|\n|3|Versand|||25,00|\n\nNetto 4.673,80 €, MwSt 19 % = 888,02 €, Brutto 5.561,82 €.\nZahlbar bis 28.10.2026 auf AT61 1904 3002 3457 3201.\n',
);
const MEETING = file(
  'minutes.txt',
  'Minutes, 2 de marzo de 2026\nPresent: Ana, Luis (until 11:15), Zoë\nThe budget is 2,5 millones de euros; 350 mil were spent.\nTemperature -4 °C, 65 % humidity, 1 013 hPa.\nVersion 2.10.3 of the app, ticket #4711, room B-204.\n',
);
const SPREAD = file(
  'q.csv',
  '"Quarter";"Net sales (k€)";"Change %"\n"Q1/2026";"1.204,5";"-3,2"\n"Q2/2026";"1.310,0";"8,8"\n"Total";"2.514,5";""\n',
);
const later: readonly HandCase[] = [
  is('German cell of Markdown without spaces', BILL, '4.170,00 €', 'att_12', ['Rahmen HB200/Gesamt']),
  is('by position', BILL, '478,80', 'att_12', ['2/Gesamt']),
  not('by position, other', BILL, '478,80', 'att_12', ['1/Gesamt']),
  is('pieces', BILL, '12', 'att_12', ['Sattel, grau/Menge']),
  is('pieces in words', BILL, 'zwölf', 'att_12', ['Sattel, grau/Menge'], 'sum'),
  not('pieces in wrong words', BILL, 'elf', 'att_12', ['Sattel, grau/Menge'], 'sum'),
  is('product of a line', BILL, '4.170,00', 'att_12', [], '"1/Menge" * "1/Einzel"'),
  is('sum with empty cells beside', BILL, '4.673,80 €', 'att_12', [], 'sum(Gesamt)'),
  not('sum with VAT', BILL, '5.561,82 €', 'att_12', [], 'sum(Gesamt)'),
  not('an empty cell', BILL, '39,90', 'att_12', ['Versand/Einzel']),
  says('VAT of the text', BILL, 'Die Mehrwertsteuer (19 %) beträgt 888,02 €.', ['att_12']),
  lies('VAT wrong', BILL, 'Die Mehrwertsteuer (19 %) beträgt 880,02 €.', ['att_12']),
  says('due', BILL, 'It is due on 28 October 2026.', ['bill.md']),
  lies('due wrong', BILL, 'It is due on 27 October 2026.', ['bill.md']),
  says('Austrian account', BILL, 'Konto AT611904300234573201.', ['att_12']),
  lies('Austrian account wrong', BILL, 'Konto AT611904300234573210.', ['att_12']),
  says('invoice number', BILL, 'Invoice 2026-0881 is open.', ['att_12']),
  lies('invoice number wrong', BILL, 'Invoice 2026-0818 is open.', ['att_12']),
  says('millions in English', MEETING, 'The budget is 2.5 million euros.', ['minutes.txt']),
  lies('millions wrong', MEETING, 'The budget is 2.5 billion euros.', ['minutes.txt']),
  says('thousands', MEETING, 'Se gastaron 350.000.', ['minutes.txt']),
  says('day in English', MEETING, 'They met on March 2, 2026.', ['minutes.txt']),
  lies('day swapped', MEETING, 'They met on 3 February 2026.', ['minutes.txt']),
  says('cold', MEETING, 'It was -4 °C at 65 % humidity.', ['minutes.txt']),
  lies('warm', MEETING, 'It was 4 °C.', ['minutes.txt']),
  says('version', MEETING, 'Version 2.10.3 is out.', ['minutes.txt']),
  lies('version wrong', MEETING, 'Version 2.1.3 is out.', ['minutes.txt']),
  says('ticket', MEETING, 'See ticket #4711.', ['minutes.txt']),
  lies('ticket part', MEETING, 'See ticket #471.', ['minutes.txt']),
  says('room', MEETING, 'Room B-204.', ['minutes.txt']),
  lies('room wrong', MEETING, 'Room B-240.', ['minutes.txt']),
  says('time in French', MEETING, 'Luis est parti à 11 h 15.', ['minutes.txt']),
  is('quarter cell', SPREAD, '1.310,0', 'q.csv', ['Q2/2026/Net sales (k€)']),
  is('quarter cell by part of its name', SPREAD, '1.310', 'q.csv', ['Q2/2026 | Net sales']),
  not('quarter cell of the other', SPREAD, '1.310,0', 'q.csv', ['Q1/2026 | Net sales (k€)']),
  is('change', SPREAD, '8,8 %', 'q.csv', ['C3']),
  is('change worked out', SPREAD, '8.8 %', 'q.csv', [], '(B3-B2)/B2*100'),
  is('change without its sign', SPREAD, '3,2 %', 'q.csv', ['C2']),
  is('sum without the total row', SPREAD, '2,514.5', 'q.csv', [], 'sum(B2:B3)'),
  is('the total row', SPREAD, '2.514,5', 'q.csv', ['Total/Net sales (k€)']),
];

export const handCases: readonly HandCase[] = [
  ...cells,
  ...formulas,
  ...acrossFiles,
  ...dates,
  ...claims,
  ...conditions,
  ...later,
];
