import { lowerAscii } from '../../mail/mime/address.ts';
import type { ParsedMail } from '../../mail/mime/types.ts';

type Named = Pick<ParsedMail, 'messageId' | 'inReplyTo' | 'references'>;

const MAX_ID = 255;
const NEAREST = 9;

/** What a mail names that others of its conversation name as well: its beginning, and what it answers. Pure. */
export function namesOf({ messageId, inReplyTo, references }: Named): string[] {
  const [root, ...rest] = references;
  const nearest = [...inReplyTo, ...rest.toReversed()].slice(0, NEAREST);
  const ids = new Set([...nearest, ...(root === undefined ? [] : [root])]);
  return [...ids].filter((id) => id !== messageId && id.length <= MAX_ID);
}

/** By what its conversation may be known: itself as well, since a mail may come after those that answer it. Pure. */
export const ancestorsOf = (mail: Named): string[] => [
  ...new Set([...namesOf(mail), mail.messageId].map(lowerAscii).filter((id) => id.length <= MAX_ID)),
];
