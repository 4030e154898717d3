import { describe, expect, it } from 'vitest';
import { shownSafely } from '../../../../engine/mail/html/shown-safely.ts';
import { readTokens } from '../../../../engine/mail/html/tokens.ts';
import { shownMail } from '../../../../engine/mail/reading/shown-mail.ts';
import { cases } from '../../../corpus/cases.ts';

const shown = (html: string, pictures = new Map<string, string>()) => shownSafely(html, pictures).html;

/** What a browser would find in it, by the reader of ours that goes by the standard. */
function foundIn(html: string): { readonly elements: string[]; readonly attributes: string[] } {
  const elements: string[] = [];
  const attributes: string[] = [];
  readTokens(
    html,
    (token) => {
      if (token.kind === 'start') {
        elements.push(token.name);
        attributes.push(...token.attributes.keys());
      }
      return true;
    },
    () => false,
  );
  return { elements, attributes };
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '<scr<script>ipt>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<img src="data:text/html,<script>alert(1)</script>">',
  '<svg onload=alert(1)><script>alert(1)</script><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<iframe src="https://spy.test"></iframe><iframe srcdoc="<script>alert(1)</script>">',
  '<object data="https://spy.test"><embed src="https://spy.test"></object>',
  '<meta http-equiv="refresh" content="0;url=https://spy.test">',
  '<link rel="dns-prefetch" href="//spy.test"><link rel="stylesheet" href="https://spy.test/a.css">',
  '<base href="https://spy.test/">',
  '<form action="https://spy.test"><input name=password><button formaction="https://spy.test">Go</button></form>',
  '<a href="javascript:alert(1)" onclick="alert(1)" target="_top" ping="https://spy.test">x</a>',
  '<p id="said" name="keys">clobbers</p>',
  '<style>a{}</style><style>p{}<img src=x onerror=alert(1)></style>',
  '<video poster="https://spy.test/1.jpg"><source src="https://spy.test/1.mp4"></video>',
  '<table background="https://spy.test/1.gif"><tr><td background="https://spy.test/2.gif">x</td></tr></table>',
  "<p title='\"><script>alert(1)</script>'>x</p>",
  '<!--[if mso]><script>alert(1)</script><![endif]--><![CDATA[<script>alert(1)</script>]]>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><script>alert(1)</script></textarea><xmp><script>alert(1)</script></xmp><plaintext><script>',
  '<p style="background:url(https://spy.test/3.gif)">x</p>',
  '<div><p>open <b>for <a href="https://x.test">ever',
  '<dialog open><select><option>x</option></select></dialog>',
  '<template><script>alert(1)</script></template><portal src="https://spy.test"></portal>',
];
/** Of the corpus, what says that it has HTML and shows a browser none: an empty one, one that never ends, one that is a text as well. */
const SHOWS_NONE = ['two-content-types', 'html-unclosed-attributes', 'html-empty'];
const withHtml = cases.filter(({ raw }) => /^content-type:\s*text\/html/im.test(Buffer.from(raw).toString('latin1')));
const shownHtml = (raw: Uint8Array): string =>
  shownMail(raw, { max_mime_depth: 20, max_mime_parts: 1000 })?.html?.html ?? '';

const ACTS = new Set(
  'script iframe object embed meta link base form input button video audio source svg math noscript textarea xmp plaintext template portal select dialog frame frameset applet'.split(
    ' ',
  ),
);
const MAY_STAND = new Set(
  'style class align valign width height colspan rowspan span border cellpadding cellspacing bgcolor color face size alt title dir lang start type src'.split(
    ' ',
  ),
);

describe('HTML of a mail for a browser', () => {
  it.each(HOSTILE)('has nothing that acts: %s', (html) => {
    const { elements, attributes } = foundIn(shown(html));
    expect(elements.filter((name) => ACTS.has(name))).toEqual([]);
    expect(attributes.filter((name) => !MAY_STAND.has(name))).toEqual([]);
    expect(shown(html)).not.toMatch(/ src="(?!data:image\/(?:png|jpeg|gif|webp);base64,)/);
    // Once more it is the same: nothing comes into being by being left out.
    expect(shown(shown(html))).toBe(shown(html));
  });

  it.each(cases.map(({ name, raw }) => [name, raw] as const))('of the corpus has nothing that acts: %s', (_, raw) => {
    const { elements, attributes } = foundIn(shownHtml(raw));
    expect(elements.filter((name) => ACTS.has(name))).toEqual([]);
    expect(attributes.filter((name) => !MAY_STAND.has(name))).toEqual([]);
  });

  it('of the corpus is there wherever a mail has any', () => {
    expect(withHtml.length).toBeGreaterThanOrEqual(153);
    const none = withHtml.filter(({ raw }) => shownHtml(raw) === '').map(({ name }) => name);
    expect(none.toSorted()).toEqual(SHOWS_NONE.toSorted());
  });

  it('keeps how it looks, and says where a link leads', () => {
    expect(shown('<TABLE bgcolor=red><tr><td style="color: blue">1 &lt; 2 &amp; 3</td></tr></TABLE>')).toBe(
      '<table bgcolor="red"><tr><td style="color: blue">1 &lt; 2 &amp; 3</td></tr></table>',
    );
    expect(shown('<a href="https://x.test/?a=1&amp;b=%22">go</a>')).toBe(
      '<a title="https://x.test/?a=1&amp;b=%22">go</a>',
    );
    expect(
      shown('<html><head><title>No</title><style>p { color: red }</style></head><body bgcolor="#eee">Hi</body></html>'),
    ).toBe('<style>p { color: red }</style><div bgcolor="#eee">Hi</div>');
  });

  it.each([
    ['p{background:url(https://spy.test/a)}', 'p{background:none()}'],
    ['p{background:URL( "https://spy.test/a" )}', 'p{background:none( "https://spy.test/a" )}'],
    ['p{background:u\\72 l("https://spy.test/a")}', 'p{background:none("https://spy.test/a")}'],
    ['p{background:image-set("https://spy.test/a" 1x)}', 'p{background:none("https://spy.test/a" 1x)}'],
    ['@import "https://spy.test/a";p{}', '@none "https://spy.test/a";p{}'],
    ['@\\69mport url(//spy.test);', '@none none();'],
    ['p{background:url(https://spy.test/a b)}', 'p{background:none()}'],
    [
      'p{color:rgb(1,2,3);width:calc(1px + 2px);content:"url(x)"}',
      'p{color:rgb(1,2,3);width:calc(1px + 2px);content:"url(x)"}',
    ],
  ])('has styles that fetch nothing: %s', (css, left) => {
    expect(shown(`<style>${css}</style>`)).toBe(`<style>${left}</style>`);
    const escaped = left.replaceAll('"', '&quot;');
    expect(shown(`<p style='${css}'>`)).toBe(`<p style="${escaped}">`);
  });

  it('shows the pictures that it brings, and counts those that would be fetched', () => {
    const pictures = new Map([['logo@x', 'data:image/png;base64,AA==']]);
    const html = '<img src="cid:LOGO@x" width=3><img src="https://spy.test/1.gif" alt="Our logo"><img src="cid:other">';
    expect(shownSafely(html, pictures)).toEqual({
      html: '<img width="3" src="data:image/png;base64,AA=="><span class="picture-left-out">Our logo</span><span class="picture-left-out"></span>',
      remotePictures: 2,
      isCut: false,
    });
  });

  it('ends where it would be too long, and takes time in proportion to it', () => {
    const long = '<b>'.repeat(400_000);
    const start = performance.now();
    expect(shownSafely(long, new Map()).isCut).toBe(true);
    shownSafely('<svg>'.repeat(200_000), new Map());
    shownSafely(`<svg>${'</math>'.repeat(150_000)}`, new Map());
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
