import { fullAllowance } from '../../mail/html/allowance.ts';
import { htmlToReadable } from '../../mail/html/to-text.ts';
import { withoutMarks } from '../../mail/reading/body.ts';
import type { Content, Reading } from '../reading.ts';

/** What a person would read of HTML; its tables of data are Markdown tables. */
export function readHtml(text: string, reading: Reading): Content {
  const title = titleIn(text.slice(0, 20_000));
  const { text: readable, cut } = htmlToReadable(text, fullAllowance());
  if (cut) reading.note('Only its beginning was read: there was more HTML than is read.');
  return { kind: 'html', ...(title ? { title } : {}), text: withoutMarks(readable) };
}

function titleIn(html: string): string | undefined {
  // A tag that never ends is taken as a whole, so that nothing is looked for in it again.
  for (const [, title] of html.matchAll(/<title[^>]*(?:>([^<]{1,500})?|$)/gi)) if (title) return title.trim();
  return undefined;
}
