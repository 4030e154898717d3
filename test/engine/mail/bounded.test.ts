import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../engine/mail/approval/approval-answer.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { html, joined, mime, part, rawMail } from '../../corpus/build.ts';
import { LIMITS } from './limits.ts';

const SIZE = 2_000_000;
const fill = (text: string, size = SIZE): string => text.repeat(Math.ceil(size / text.length));
const count = (length: number, each: (index: number) => string): string =>
  Array.from({ length }, (_, n) => each(n)).join('');
const sheet = (css: string, body: string): string => `<style>${css}</style>${body}`;
const classes = (many: number): string => count(many, (n) => `c${n} `);

/** What cost more than a second, or would, if each element looked for its styles by itself. */
const markup: Readonly<Record<string, string>> = {
  '5000 declarations for each of 12,500 elements': sheet(`*{${count(5000, (n) => `a${n}:b;`)}}`, fill('<b>', 40_000)),
  '4000 colours for each of 600,000 elements': sheet(`*{${fill('color:red;', 40_000)}}`, fill('<b>')),
  '1000 rules and 200 classes': sheet(
    count(1000, (n) => `.c${n}{color:red}`),
    fill(`<b class="${classes(200)}">x`),
  ),
  'other classes for each element': sheet(
    count(900, (n) => `.c${n} b{left:1px}`),
    count(60_000, (n) => `<b class="c${n} c${n + 1}">x`),
  ),
  'selectors that hold everywhere': sheet(
    count(900, (n) => `* * * *{left:${n}px}`),
    fill('<b>x'),
  ),
  'attributes to compare': sheet(
    count(900, (n) => `[title*=x${n}y]{left:1px}`),
    fill(`<b title="${'x'.repeat(900)}">x`),
  ),
  'rules inside rules': sheet(`${fill('a,b,c,d,e,f,g,h,i,j{', 160)}display:none`, fill('<b>x')),
  'a selector of 25,000 parts': sheet(`${fill('a,', 49_000)}{display:none}`, fill('<b>x')),
  'nested elements': fill('<div>'),
  'nested tables': fill('<table><tr><td>x'),
  'ends of what is not open': `<p>${'<b>'.repeat(500)}${fill('</i>')}`,
  'blocks that look for a paragraph': `<p><table>${'<b>'.repeat(505)}${fill('<div>')}`,
  'a style for each element': count(100_000, (n) => `<b style="left:${n}px">x`),
  'one long style': `<b style="${fill('a:b;')}">x`,
  'one long transformation': `<b style="transform:${fill('scale( ')}">x`,
  'scale and blanks': `<b style="transform:scale(${fill(' ')}">x`,
  'attributes of one element': `<b ${count(200_000, (n) => `a${n} `)}>x`,
  'attributes of many elements': fill(`<b ${count(90, (n) => `a${n}=1 `)}>x`),
  entities: fill('&#1234567890;'),
  'signs of entities': fill('&'),
  'unclosed tags': fill('<a b="'),
  'signs of tags inside end tags': fill('</b x=">">'),
  'quotes inside of one end tag': `</b ${fill('x="" ')}>`,
  'selectors that are none': sheet(fill('p!x,', 49_000), fill('<b>x', 100_000)),
  'unclosed comments': fill('<!--'),
  comments: fill('<!-- x -->'),
  'signs of tags': fill('<'),
  links: fill('<a href="https://x.example/">z</a>'),
  'struck-out words': fill('<s>x</s> '),
  'words that may be hidden': sheet('p+b{display:none}', fill('<b>x</b> ')),
};

/** Time of the processor: how busy the machine is with other things says nothing of the reader. */
async function measured(raw: Buffer) {
  const before = process.cpuUsage();
  const outcome = await readMail(raw, LIMITS);
  const { user, system } = process.cpuUsage(before);
  return { outcome, ms: (user + system) / 1000 };
}

describe('M1: HTML of a stranger', () => {
  it.each(Object.entries(markup))('is read in a moment: %s', async (name, body) => {
    const { outcome, ms } = await measured(rawMail('bounded', html(body)));
    expect([name, outcome.ok]).toEqual([name, true]);
    // Below one second where nothing else runs; what made each element look for its styles took ten and more.
    expect([name, ms < 3000]).toEqual([name, true]);
  });

  it('is paid for once, however many parts and attachments it is divided into', async () => {
    const page = fill('<p>x', 1_000_000);
    const body = joined('b', [
      ...Array.from({ length: 12 }, () => part('text/html', page)),
      ...Array.from({ length: 12 }, (_, n) =>
        part('text/html', page, `Content-Disposition: attachment; filename=${n}.html`),
      ),
    ]);
    const raw = rawMail('bounded-parts', { headers: mime('multipart/mixed; boundary="b"'), body });
    const { outcome, ms } = await measured(raw);
    expect(ms).toBeLessThan(6000);
    expect(outcome.ok && outcome.mail.limitations.join(' ')).toMatch(/more HTML/);
  });

  it.each([
    ['tags', fill('<p>x', 600_000)],
    ['characters', `<p>${fill('word ', 2_500_000)}`],
    [
      'comparisons',
      sheet(
        count(900, (n) => `* * b{left:${n}px}`),
        count(3000, (n) => `<b id=i${n}>x</b> `),
      ),
    ],
  ])('is read as far as its %s allow, and that is said', async (_name, body) => {
    const outcome = await readMail(rawMail('bounded-cut', html(body)), LIMITS);
    expect(outcome.ok && outcome.mail.limitations.join(' ')).toMatch(/only its beginning was read.*more HTML/);
  });

  it('whose elements are alike is read whole, however many rules there are for them', async () => {
    const body = sheet(
      count(900, (n) => `b{left:${n}px}`),
      fill('<b>x</b> ', 180_000),
    );
    const outcome = await readMail(rawMail('bounded-alike', html(body)), LIMITS);
    expect(outcome.ok && outcome.mail.text.length).toBe(39_999);
    expect(outcome.ok && outcome.mail.limitations).toEqual([]);
  });

  it('that brought the full reader down is read without its styles, and none of it counts as an answer', async () => {
    const body = '<style>.a{display:none}</style><p>Hello</p><p class=a>approve</p>';
    const outcome = await readMail(rawMail('bounded-plain', html(body)), LIMITS, { plain: true });
    expect(outcome.ok && outcome.mail.newText).toBe('[may be hidden: Hello]\n\n[may be hidden: approve]');
    expect(outcome.ok && readAnswer(outcome.mail.newText, [1]).kind).toBe('ambiguous');
  });

  it('is hidden by the last of very many classes, attributes and declarations all the same', async () => {
    const body = sheet(
      '.z{display:none}',
      `<p class="${classes(3000)} z">SECRET</p><p ${count(500, (n) => `a${n} `)} style="${fill('left:1px;', 20_000)}display:none">SECRET</p>Seen`,
    );
    const outcome = await readMail(rawMail('bounded-hidden', html(body)), LIMITS);
    expect(outcome.ok && outcome.mail.text).toBe('Seen');
  });
});

describe('M1: the name of an attachment', () => {
  it.each([
    ['dots and blanks', `a${' .'.repeat(100_000)}b.txt`],
    ['dots', `x${'.'.repeat(200_000)}x`],
    ['blanks', `${' '.repeat(200_000)}end.pdf`],
  ])('is trimmed before anything is made of it: %s', async (_name, name) => {
    const file = part('text/plain', 'x', `Content-Disposition: attachment; filename="${name}"`);
    const raw = rawMail('bounded-name', { headers: mime('multipart/mixed; boundary="b"'), body: joined('b', [file]) });
    const { outcome, ms } = await measured(raw);
    expect(ms).toBeLessThan(2000);
    expect(outcome.ok && outcome.mail.attachments.every((each) => each.name.length <= 200)).toBe(true);
  });
});
