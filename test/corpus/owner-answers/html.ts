const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ', amp: '&' };

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const plain = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|nbsp|amp);/g, (whole, name: string) => ENTITIES[name] ?? whole);

/** What stands between the tags of the body. */
export const bodyOf = (html: string): string => /<body[^>]*>([\s\S]*)<\/body>/.exec(html)?.[1]?.trim() ?? html;

/** A mail program that rewrites what it quotes, as Word does. */
export const wordLike = (html: string): string =>
  html
    .replace(/<p [^>]*>/g, '<p class="MsoNormal">')
    .replaceAll('</p>', '<o:p></o:p></p>')
    .replace(/ (?:dir|role)="[^"]*"/g, '');

/** How a program makes text of the HTML that it quotes. */
export interface TextStyle {
  readonly cells: '\n' | '\t' | ' ';
  readonly link: (label: string, href: string) => string;
}

/** The text of a mail, as a program makes it of its HTML: what the sender's own text part says is not looked at. */
export function textOfHtml(html: string, { cells, link }: TextStyle): string[] {
  const text = bodyOf(html)
    .replace(/(?<=white-space:pre-wrap[^>]*>)[^<]*/g, (kept) => kept.replaceAll('\n', '\u0001'))
    .replaceAll('\n', ' ')
    .replace(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/g, (_whole, href: string, label: string) =>
      link(label, href).replaceAll('<', '\u0002'),
    )
    .replace(/<blockquote[^>]*>([^<]*)<\/blockquote>/g, '\u0001> $1\u0001\u0001')
    .replace(/<\/td>\s*<td[^>]*>/g, cells)
    .replace(/<br>|<\/tr>|<\/table>|<\/div>/g, '\u0001')
    .replaceAll('</p>', '\u0001\u0001')
    .replace(/<[^>]*>/g, '')
    .replaceAll('\u0001', '\n')
    .replaceAll('\u0002', '<');
  return plain(text)
    .replace(/^[ \t]+/gm, '')
    .replace(/(?<!^--)[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .split('\n');
}

/** Splits what is quoted after its n-th paragraph; the outermost element is closed before the cut and opened after it. */
export function splitHtml(html: string, after: number): { before: string; behind: string } {
  const outer = /^<div[^>]*>/.exec(html)?.[0] ?? '';
  const ends = [...html.matchAll(/<\/p>/g)].map(({ index }) => index + '</p>'.length);
  const cut = ends[Math.min(after, ends.length - 1)] ?? html.length;
  const isWhole = outer !== '' && html.endsWith('</div>');
  return {
    before: `${html.slice(0, cut)}${isWhole ? '</div>' : ''}`,
    behind: `${isWhole ? outer : ''}${html.slice(cut)}`,
  };
}

/** Breaks lines as programs do that keep them below a width. */
export const wrapped = (lines: readonly string[], width: number): string[] =>
  lines.flatMap((line) => {
    const rows = [''];
    for (const word of line.split(' ')) {
      const last = rows.at(-1) ?? '';
      if (last !== '' && last.length + 1 + word.length > width) rows.push(word);
      else rows[rows.length - 1] = last === '' && rows.length === 1 ? word : `${last} ${word}`;
    }
    return line === '' || line.startsWith(' ') ? [line] : rows;
  });
