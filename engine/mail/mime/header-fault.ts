import type { HeaderBlock } from './headers.ts';

/** RFC 5322 section 3.6 and RFC 2045 allow each of these once. A signature covers the last one, people see the first. */
const SINGLE = new Set([
  'from',
  'sender',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
]);

/** More are not kept; what proves a mail must be among those that are. */
export const MAX_HEADERS = 500;

/** Why the header of a mail proves nobody, whatever signatures it carries, in words; null when it may. */
export function headerFault(block: HeaderBlock): string | null {
  if (block.malformed !== null) return block.malformed;
  if (block.lines.length > MAX_HEADERS) return `the header has more than ${MAX_HEADERS} fields`;
  const seen = new Set<string>();
  for (const { name } of block.lines) {
    if (SINGLE.has(name) && seen.has(name)) return `${name} stands in the header twice`;
    seen.add(name);
  }
  return null;
}
