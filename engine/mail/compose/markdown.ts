import MarkdownIt from 'markdown-it';

const MAX_MARKDOWN = 200_000;
const STYLES: Readonly<Record<string, string>> = {
  table_open: 'border-collapse:collapse',
  th_open: 'border:1px solid #ccc;padding:4px 8px;text-align:left',
  td_open: 'border:1px solid #ccc;padding:4px 8px',
  blockquote_open: 'margin:0 0 0 8px;padding-left:8px;border-left:2px solid #ccc',
};
const CODE = 'font-family:monospace;background:#f4f4f4';

/**
 * Markdown to HTML for mail. No HTML of its own, no address but http, https and mailto, and never a picture: loading
 * one would tell somebody what the text around it says (a model can be talked into building such an address).
 */
function createRenderer() {
  // Bare addresses stay text: mail programs link them themselves, and finding them is slow on hostile text.
  const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true });
  markdown.validateLink = (url) => /^(https?:|mailto:)/i.test(url.trim());
  const asText = (text: string | number) => markdown.utils.escapeHtml(String(text));
  const block = (content: string) => `<pre style="${CODE};padding:8px;white-space:pre-wrap">${asText(content)}</pre>\n`;
  const rules: typeof markdown.renderer.rules = {
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
      tokens[index]?.attrSet('style', style);
      return self.renderToken(tokens, index, options);
    };
  }
  Object.assign(markdown.renderer.rules, rules);
  return markdown;
}

const renderer = createRenderer();

export const escapeHtml = (text: string): string => renderer.utils.escapeHtml(text);

export function markdownToHtml(text: string): string {
  if (text.length > MAX_MARKDOWN) return `<pre style="white-space:pre-wrap">${escapeHtml(text)}</pre>`;
  return renderer.render(text);
}
