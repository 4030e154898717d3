import { fullAllowance } from '../../mail/html/allowance.ts';
import { htmlToReadable } from '../../mail/html/to-text.ts';
import { withoutMarks } from '../../mail/reading/new-text.ts';
import type { Content, Reading } from '../reading.ts';

/** What a person would read of HTML; its tables of data are Markdown tables. */
export function readHtml(text: string, reading: Reading): Content {
  const title = /<title[^>]*>([^<]{1,500})/i.exec(text.slice(0, 20_000))?.[1]?.trim();
  const { text: readable, cut } = htmlToReadable(text, fullAllowance());
  if (cut) reading.note('Only its beginning was read: there was more HTML than is read.');
  return { kind: 'html', ...(title ? { title } : {}), text: withoutMarks(readable) };
}
