import { count, fill, html, inBody, type Shapes } from './shape.ts';

const styled = (style: (bytes: number) => string, body: (bytes: number) => string) =>
  inBody(
    ['Content-Type: text/html; charset=utf-8'],
    (bytes) => `<html><head><style>${style(bytes / 2)}</style></head><body>${body(bytes / 2)}</body></html>`,
  );

/** What a renderer would choke on. */
export const HTML_SHAPES: Shapes = {
  'html-nested': html((bytes) => fill('<div>', bytes)),
  'html-nested-inline': html((bytes) => fill('<b><i>', bytes)),
  'html-attributes': html((bytes) => `<a ${count((n) => `a${n}=b `, bytes)}>x</a>`),
  'html-attribute-long': html((bytes) => `<a href="${'a'.repeat(bytes)}">x</a>`),
  'html-open-attribute': html((bytes) => fill('<a href="', bytes)),
  'html-open-tags': html((bytes) => '<'.repeat(bytes)),
  'html-open-comments': html((bytes) => fill('<!--', bytes)),
  'html-bang': html((bytes) => fill('<!', bytes)),
  'html-cdata': html((bytes) => fill('<![CDATA[', bytes)),
  'html-entities': html((bytes) => fill('&amp;', bytes)),
  'html-ampersands': html((bytes) => '&'.repeat(bytes)),
  'html-numbers': html((bytes) => fill('&#x', bytes)),
  'html-tables': html((bytes) => fill('<table><tr><td>', bytes)),
  'html-cells': html((bytes) => `<table><tr>${fill('<td>a</td>', bytes)}</tr></table>`),
  'html-spans': html((bytes) => `<table>${fill('<tr><td rowspan=999 colspan=999>a', bytes)}</table>`),
  'html-lists': html((bytes) => fill('<ul><li>a', bytes)),
  'html-quotes': html((bytes) => fill('<blockquote>a', bytes)),
  'html-links': html((bytes) => fill('<a href="http://a.test/">b</a> ', bytes)),
  'html-breaks': html((bytes) => fill('<br>', bytes)),
  'html-styles-inline': html((bytes) => `<p style="${fill('color:red;', bytes)}">a</p>`),
  'html-styles-each': html((bytes) => fill('<p style="color:red;display:block;font-size:9px">a</p>', bytes)),
  'html-scripts': html((bytes) => fill('<script>', bytes)),
  'html-templates': html((bytes) => fill('<template><select><option>', bytes)),
  'html-hidden': html((bytes) => fill('<span style="display:none">a</span>b', bytes)),
  'html-close-tags': html((bytes) => fill('</p></div>', bytes)),
  'css-declarations': styled(
    (bytes) => `*{${fill('color:red;', bytes)}}`,
    (bytes) => fill('<b>a</b>', bytes),
  ),
  'css-rules-and-classes': styled(
    (bytes) => count((n) => `.c${n}{color:red}`, bytes),
    (bytes) => count((n) => `<b class="c${n} c${n + 1} c${n + 2}">a</b>`, bytes),
  ),
  'css-class-list': styled(
    (bytes) => count((n) => `.c${n}{color:red}`, bytes),
    (bytes) => `<b class="${count((n) => `c${n} `, bytes)}">a</b>`,
  ),
  'css-selector-long': styled(
    (bytes) => `${fill('a b>c~d+e ', bytes)}{color:red}`,
    (bytes) => fill('<b>a</b>', bytes),
  ),
  'css-selector-list': styled(
    (bytes) => `${fill('a,', bytes)}b{color:red}`,
    (bytes) => fill('<b>a</b>', bytes),
  ),
  'css-comments': styled(
    (bytes) => fill('/*', bytes),
    () => 'a',
  ),
  'css-braces': styled(
    (bytes) => '{'.repeat(bytes),
    () => 'a',
  ),
  'css-media': styled(
    (bytes) => fill('@media a{', bytes),
    () => 'a',
  ),
  'css-strings': styled(
    (bytes) => `a{content:"${fill('\\"', bytes)}`,
    () => 'a',
  ),
  'css-transform': html((bytes) => `<p style="transform:scale(${' '.repeat(bytes)}">a</p>`),
  'css-clip': html((bytes) => `<p style="clip:rect(${fill('0 ', bytes)}">a</p>`),
  'css-escapes': styled(
    (bytes) => fill('\\61 ', bytes),
    () => 'a',
  ),
};
