import { describe, expect, it } from 'vitest';
import { htmlToReadable } from '../../../engine/mail/html/to-text.ts';
import { computedMs } from '../../computed.ts';

const read = (html: string) => htmlToReadable(html).text;
const row = (...cells: readonly string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const LAID_OUT = `<table>${row('Hi', 'there')}${row('a', 'b')}</table>`;

describe('a table of data in a mail', () => {
  it('keeps its columns, also where cells are empty', () => {
    const rows = [row('Model', '2025', '2026'), row('Mini', '', '2790'), row('Lasta', '3290', '')];
    const shown = '| Model | 2025 | 2026 |\n| --- | --- | --- |\n| Mini |  | 2790 |\n| Lasta | 3290 |  |';
    expect(read(`<p>Prices</p><table border=1>${rows.join('')}</table>Bye`)).toBe(`Prices\n\n${shown}\n\nBye`);
    const lined = '<td style="padding:0;border:1px solid #ccc">';
    expect(read(`<table>${rows.join('').replaceAll('<td>', lined)}</table>`)).toBe(shown);
    expect(read(`<table>${rows.join('').replace('<td>Model', '<th>Model')}</table>`)).toBe(shown);
  });

  it('has each figure in its column where cells span others, and one line for each row', () => {
    const html = `<table><tr><th colspan=2>a|b</th><th>c</th></tr>
      <tr><td rowspan=2>1<br>2</td><td>3</td><td>4</td></tr><tr><td>5</td><td>6</td></tr></table>`;
    expect(read(html)).toBe('| a\\|b |  | c |\n| --- | --- | --- |\n| 1 2 | 3 | 4 |\n|  | 5 | 6 |');
  });

  it('is one without lines and head cells, too, where a column of figures stands below its first row', () => {
    const rows = [
      row('Model', '2025', '2026'),
      row('Mini', '&nbsp;', '<p>2790</p>'),
      row('<b>Lasta</b>', '3.290,00 €', ''),
    ];
    expect(read(`<table>${rows.join('')}</table>`)).toBe(
      '| Model | 2025 | 2026 |\n| --- | --- | --- |\n| Mini |  | 2790 |\n| Lasta | 3.290,00 € |  |',
    );
  });

  it.each([
    [
      'holds telephone numbers',
      `<table>${row('Tel', '+49 30 1234567')}${row('Fax', '+49 30 12 34')}${row('a', 'b 4')}</table>`,
    ],
    ['holds sentences', `<table>${row('a', 'x'.repeat(70))}${row('b', '1')}${row('c', '2')}</table>`],
    ['has rows of several lengths', `<table>${row('a', 'b')}${row('1')}${row('c', '2')}</table>`],
    ['is two by two', `<table>${row('a', 'b')}${row('1', '2')}</table>`],
    ['only lays out', LAID_OUT],
    ['holds another', `<table border=1>${row(LAID_OUT, 'x')}${row('1', '2')}</table>`],
    ['has one column', `<table border=1>${row('a')}${row('b')}</table>`],
    ['has one row', `<table border=1>${row('a', 'b')}</table>`],
    ['holds a quote', `<table border=1>${row('<blockquote>approve</blockquote>', 'x')}${row('1', '2')}</table>`],
    ['has no line', `<table border=0 style="border:none">${row('a', 'b')}${row('c', 'd')}</table>`],
  ])('is not one that %s', (_what, html) => {
    expect(read(html)).not.toContain('---');
  });

  it('is read in time that grows with it, whatever it spans', () => {
    const began = computedMs();
    const wide = `<table border=1>${row('a', 'b')}<tr>${'<td colspan=99999 rowspan=99999>x'.repeat(20_000)}</tr></table>`;
    expect(read(wide).length).toBeLessThan(100_000);
    expect(read(`${'<table border=1><tr><td>a<td>b<tr><td>c<td>'.repeat(2000)}`).length).toBeLessThan(100_000);
    expect(computedMs() - began).toBeLessThan(10_000);
  });
});

describe('a picture in a mail', () => {
  it('is named, but not one of a pixel', () => {
    expect(read('a<img alt="Tracking" width=1 height=1> b <img alt="Logo" width=100>')).toBe('a b [image: Logo]');
    expect(read('a<img alt="Spacer" style="width: 1px; height: 20px">')).toBe('a');
    expect(read('a<img alt="Zero" height="0">')).toBe('a');
  });
});
