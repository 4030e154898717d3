import { type CorpusCase, corpusCase, html, multipart, part } from './build.ts';

const mail = (head: string, body: string) =>
  html(`<html><head>${head}</head><body><p>Visible words</p>${body}</body></html>`);

/** What the styles of a sheet or of an element hide from everybody who reads the mail on an ordinary screen. */
const hides = (name: string, css: string, body: string): CorpusCase =>
  corpusCase(`L3-hides-${name}`, mail(`<style>${css}</style>`, body), {
    outcome: 'ok',
    newText: 'Visible words',
    hides: ['SECRET'],
  });
const hidesInline = (name: string, style: string): CorpusCase =>
  corpusCase(`L3-hides-${name}`, mail('', `<div style="${style}">SECRET</div>`), {
    outcome: 'ok',
    newText: 'Visible words',
    hides: ['SECRET'],
  });
const shows = (name: string, css: string, body: string, newText: string, limitation?: RegExp): CorpusCase =>
  corpusCase(`L3-shows-${name}`, mail(`<style>${css}</style>`, body), {
    outcome: 'ok',
    newText: `Visible words\n\n${newText}`,
    ...(limitation ? { limitation } : {}),
  });

const NONE = '{display:none}';
const DOUBT = '[may be hidden: Shown]';

export const styledCases: readonly CorpusCase[] = [
  hides('by-descendant', `.a .b${NONE}`, '<div class=a><p><b class=b>SECRET</b></p></div>'),
  hides('by-descendant-of-id', `#x td p${NONE}`, '<div id=x><table><tr><td><p>SECRET</table></div>'),
  hides('by-child', `div > .b${NONE}`, '<div><p class=b>SECRET</p></div>'),
  hides('by-two-classes', `.a.b${NONE}`, '<p class="b c a">SECRET</p>'),
  hides('by-tag-and-two-classes', `p.a.b${NONE}`, '<p class="a b">SECRET</p>'),
  hides('by-attribute', `[data-x]${NONE}`, '<p data-x>SECRET</p>'),
  hides('by-attribute-value', `p[title="y z"]${NONE}`, '<p title="y z">SECRET</p>'),
  hides('by-attribute-beginning', `[class^="hid"]${NONE}`, '<p class="hide-me">SECRET</p>'),
  hides('by-attribute-part', `[class*=idd]${NONE}`, '<p class="hidden-me">SECRET</p>'),
  hides('by-id-and-class', `#x.y${NONE}`, '<p id=x class=y>SECRET</p>'),
  hides('by-list', `h1,\n.a > p, .z${NONE}`, '<div class=a><p>SECRET</p></div>'),
  hides('by-escaped-class', `.\\62 ${NONE}`, '<p class=b>SECRET</p>'),
  hides('by-inner-rule', `.a{color:red;.b{display:none}}`, '<div class=a><p class=b>SECRET</p></div>'),
  hides('by-inner-rule-of-itself', `.a{&.b{display:none}}`, '<p class="a b">SECRET</p>'),
  hides(
    'the-26th-class',
    `.z${NONE}`,
    `<p class="${Array.from({ length: 40 }, (_, n) => `c${n}`).join(' ')} z">SECRET</p>`,
  ),
  hides(
    'behind-200-attributes',
    `.z${NONE}`,
    `<p ${Array.from({ length: 200 }, (_, n) => `a${n}`).join(' ')} class=z>SECRET</p>`,
  ),
  hides('the-stronger-selector', `#x{display:none}p{display:block}`, '<p id=x>SECRET</p>'),
  hides('min-width', `@media (min-width: 400px){.a${NONE}}`, '<p class=a>SECRET</p>'),
  hides(
    'min-width-screen',
    `@media only screen and (min-width:1px) and (max-width:9999px){.a${NONE}}`,
    '<p class=a>SECRET</p>',
  ),
  hides('width-range', `@media (width >= 600px){.a${NONE}}`, '<p class=a>SECRET</p>'),
  hides('not-print', `@media not print{.a${NONE}}`, '<p class=a>SECRET</p>'),
  hides('media-list', `@media print, screen{.a${NONE}}`, '<p class=a>SECRET</p>'),
  hides('supports', `@supports (display:grid){.a${NONE}}`, '<p class=a>SECRET</p>'),
  hides('layer', `@layer x{.a${NONE}}`, '<p class=a>SECRET</p>'),
  hides('after-import', `@import url(x);@font-face{a:b}.a${NONE}`, '<p class=a>SECRET</p>'),
  hides('behind-a-string', `.q{content:"}.a{display:block}"}.a${NONE}`, '<p class=a>SECRET</p>'),
  hidesInline('then-nonsense', 'display:none;display:nonsense'),
  hidesInline('then-a-string', "display:none;content:';display:block;'"),
  hidesInline('then-brackets', 'display:none;x{;display:block}'),
  hidesInline('important-far-away', `display:none !${' '.repeat(300)}important`),
  hidesInline('moved-by-translate-x', 'transform:translateX(-9999px)'),
  hidesInline('moved-by-translate', '-webkit-transform: translate( -5000px , 0 )'),
  hidesInline('moved-by-its-width', 'transform:translateX(-100%)'),
  hidesInline('moved-by-matrix', 'transform:matrix(1,0,0,1,-9999,0)'),
  hidesInline('moved-by-property', 'translate:-9999px 0'),
  hidesInline('scaled-away', 'transform:rotate(1deg) scale( 0 , 0 )'),
  hidesInline('scaled-by-a-percent', 'transform:scaleX(1%)'),
  hidesInline('turned-on-edge', 'transform:rotateX(90deg)'),
  hidesInline('positioned-by-inset', 'position:absolute;inset:-9999px auto auto 0'),
  hidesInline('positioned-by-logical-name', 'position:fixed;inset-inline-start:-9999px'),
  hidesInline('positioned-right', 'position:absolute;right:9999px'),
  hidesInline('margin-of-four', 'margin:0 0 0 -9999px'),
  hidesInline('clip-path', 'clip-path:inset(50% 0)'),
  hidesInline('clip-path-polygon', 'clip-path:polygon(0 0,0 0,0 0)'),
  hidesInline('clip-rect-pixels', 'position:absolute;clip:rect(1px, 1px, 1px, 1px)'),
  hidesInline('max-height-em', 'max-height:0em;overflow:hidden'),
  hidesInline('height-scrolling', 'height:1px;overflow:auto'),
  hidesInline('filter', 'filter:opacity(0%)'),
  hidesInline('opacity-exponent', 'opacity:1e-9'),
  hidesInline('zoom', 'zoom:0.01'),
  hidesInline('content-visibility', 'content-visibility:hidden'),
  hidesInline('font-size-strange-unit', 'font-size:0vmin'),
  hidesInline('hsl-white', 'color:hsl(0, 0%, 100%)'),
  hidesInline('named-colour', 'background:gold;color:gold'),
  hidesInline('unknown-colour-after', 'color:white;color:nosuchcolour'),
  hidesInline('alpha', 'color:rgb(0 0 0 / 0%)'),
  shows('on-paper-hidden', `@media print{.a${NONE}}`, '<p class=a>Shown</p>', 'Shown'),
  shows('on-phones-hidden', `@media (max-width:600px){.a${NONE}}`, '<p class=a>Shown</p>', 'Shown'),
  shows('on-hover-hidden', `.a:hover${NONE}`, '<p class=a>Shown</p>', 'Shown'),
  shows('outside-the-parent', `.x .a${NONE}.x > .a${NONE}`, '<div class=x></div><p class=a>Shown</p>', 'Shown'),
  shows('grandchild', `.x > .a${NONE}`, '<div class=x><div><p class=a>Shown</p></div></div>', 'Shown'),
  shows(
    'white-on-placed-background',
    '.a .b{background:#000}',
    '<div class=a><div class=b style="color:#fff">Shown</div></div>',
    'Shown',
  ),
  shows('shown-again-later', `.a${NONE}.a{display:block}`, '<p class=a>Shown</p>', 'Shown'),
  shows('maybe-by-brother', `h1 + .a${NONE}`, '<p class=a>Shown</p>', DOUBT, /not seen in every mail program/),
  shows('maybe-by-place', `h2:nth-child(2)${NONE}`, '<h2>Shown</h2>', DOUBT),
  shows('maybe-by-has', `div:has(> p)${NONE}`, '<div>Shown</div>', DOUBT),
  shows('maybe-by-capitals', `.A${NONE}`, '<p class=a>Shown</p>', DOUBT),
  shows('maybe-by-unknown-screen', `@media (min-resolution:2dppx){.a${NONE}}`, '<p class=a>Shown</p>', DOUBT),
  shows('maybe-by-animation', '.a{animation:x 0s forwards}', '<p class=a>Shown</p>', DOUBT),
  shows('maybe-by-calculation', '.a{font-size:calc(1px * 0)}', '<p class=a>Shown</p>', DOUBT),
  shows('maybe-by-variable', ':root{--d:none}.a{display:var(--d)}', '<p class=a>Shown</p>', DOUBT),
  shows('nothing-maybe', 'h1 + .a{color:red}p:first-child{margin:0}', '<p class=a>Shown</p>', 'Shown'),
  ...['s', 'strike', 'del'].map((tag) =>
    shows(
      `struck-by-${tag}`,
      '',
      `<p>Send <${tag}>five <b>or</b> six</${tag}> seven</p>`,
      'Send ~~five or six~~ seven',
      /struck out/,
    ),
  ),
  shows('struck-by-style', '.a{text-decoration: underline line-through}', '<p class=a>Shown</p>', '~~Shown~~'),
  shows(
    'struck-for-good',
    '',
    '<p style="text-decoration-line:line-through"><b style="text-decoration:none">Shown</b></p>',
    '~~Shown~~',
  ),
  corpusCase(
    'L3-alternatives-struck-in-html',
    multipart('alternative', 'b', part('text/plain', 'approve this'), part('text/html', '<p><s>approve</s> this</p>')),
    { outcome: 'ok', newText: '~~approve~~ this', limitation: /struck out/ },
  ),
  corpusCase(
    'L3-sheet-too-long',
    mail(`<style>${'.q{color:red}'.repeat(5000)}.a${NONE}</style>`, '<p class=a>Shown</p>'),
    { outcome: 'ok', newText: `[may be hidden: Visible words]\n\n${DOUBT}` },
  ),
];
