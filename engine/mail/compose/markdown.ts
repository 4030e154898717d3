import { createRequire } from 'node:module';
import type MarkdownIt from 'markdown-it';
import { atFirstUse } from '../../lib/kept-value.ts';

const require = createRequire(import.meta.url);

const MAX_MARKDOWN = 200_000;
const STYLES: Readonly<Record<string, string>> = {
  th_open: 'border:1px solid #999;padding:4px 8px',
  td_open: 'border:1px solid #999;padding:4px 8px',
  blockquote_open: 'margin:0 0 0 8px;padding-left:8px;border-left:2px solid #999',
};
/** The background lets what is below it through, so that it fits a light and a dark page. */
const CODE = 'font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px;background:rgba(128,128,128,.15)';

/**
 * Markdown to HTML for mail. No HTML of its own, no address but http, https and mailto, and never a picture: loading
 * one would tell somebody what the text around it says (a model can be talked into building such an address).
 */
function createRenderer() {
  // Its own search for bare addresses is slow on hostile text; `linkBareAddresses` has an expression that is not.
  const Markdown: typeof MarkdownIt = require('markdown-it');
  const markdown = new Markdown({ html: false, linkify: false, breaks: true });
  markdown.validateLink = (url) => /^(https?:|mailto:)/i.test(url.trim());
  const asText = (text: string | number) => markdown.utils.escapeHtml(String(text));
  const block = (content: string) =>
    `<pre style="${CODE};padding:8px 10px;border-radius:6px;white-space:pre-wrap">${asText(content)}</pre>\n`;
  linkBareAddresses(markdown);
  const rules: typeof markdown.renderer.rules = {
    [BARE]: (tokens, index) => linked(tokens[index]?.content ?? '', asText),
    // A wide table scrolls by itself instead of making the whole mail wide.
    table_open: () => '<div style="overflow-x:auto"><table style="border-collapse:collapse">\n',
    table_close: () => '</table></div>\n',
    image: (tokens, index) => {
      const source = tokens[index]?.attrGet('src') ?? '';
      return `<a href="${asText(source)}">${asText(tokens[index]?.content || source)}</a>`;
    },
    code_inline: (tokens, index) => `<code style="${CODE}">${asText(tokens[index]?.content ?? '')}</code>`,
    fence: (tokens, index) => block(tokens[index]?.content ?? ''),
    code_block: (tokens, index) => block(tokens[index]?.content ?? ''),
  };
  for (const [rule, style] of Object.entries(STYLES)) {
    rules[rule] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      // A column may say how it is aligned.
      const own = token?.attrGet('style');
      token?.attrSet('style', own ? `${style};${own}` : style);
      return self.renderToken(tokens, index, options);
    };
  }
  Object.assign(markdown.renderer.rules, rules);
  return markdown;
}

const BARE = 'text_with_addresses';
const ADDRESS = /https?:\/\/[^\s<>"'`\u3000-\u303f\uff00-\uff0f]{1,2000}/g;

/** Text outside of links may hold web addresses; inside of one it is what the link is called. */
function linkBareAddresses(markdown: InstanceType<typeof MarkdownIt>): void {
  markdown.core.ruler.push('bare_addresses', (state) => {
    for (const { children } of state.tokens) markBareText(children ?? []);
  });
}

function markBareText(children: { type: string; readonly nesting: number }[]): void {
  let depth = 0;
  for (const token of children) {
    if (/^link_/.test(token.type)) depth += token.nesting;
    else if (token.type === 'text' && depth === 0) token.type = BARE;
  }
}

function linked(text: string, asText: (text: string) => string): string {
  let [html, end] = ['', 0];
  for (const { index, 0: found } of text.matchAll(ADDRESS)) {
    // What ends a sentence ends the address before it; a bracket does unless it was opened inside.
    const address = found.replace(found.includes('(') ? /[.,;:!?*_~]{1,20}$/ : /[.,;:!?)\]}*_~]{1,20}$/, '');
    html += `${asText(text.slice(end, index))}<a href="${asText(address)}">${asText(address)}</a>`;
    end = index + address.length;
  }
  return html + asText(text.slice(end));
}

const renderer = atFirstUse(createRenderer);

export const escapeHtml = (text: string): string => renderer().utils.escapeHtml(text);

export function markdownToHtml(text: string): string {
  if (text.length > MAX_MARKDOWN) return `<pre style="white-space:pre-wrap">${escapeHtml(text)}</pre>`;
  return renderer().render(text);
}

// The frame around the HTML part of each mail. Colours are set only where they read well on white and on black, and no
// style is needed to read the mail: some programs take all of them away. Nothing is loaded from anywhere.
