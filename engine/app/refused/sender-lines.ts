import { inLine } from '../../delivery/questions/approval-text.ts';
import type { Block } from '../../mail/compose/compose.ts';
import type { SenderQuestion } from '../../storage/types/gateway.ts';

/**
 * An address as owners are shown it: letters that look like others, blanks and quotes as their numbers, so that it is
 * neither taken for another one nor for words. Pure.
 */
export const addressShown = (address: string): string =>
  inLine(
    address.replace(
      /[^!#-~]/gu,
      (letter) => `<U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`,
    ),
    300,
  );

/** One sender of a digest, by its number, and the subject of their newest mail. Pure. */
export const linesOf = ({ number, sender, persona_id: persona, mails, subject }: SenderQuestion): readonly Block[] => [
  { kind: 'heading', text: `${number}. ${addressShown(sender)} → ${persona}${mails > 1 ? ` (${mails})` : ''}` },
  // So short that no program breaks the line in an answer: what came behind would stand there without its mark.
  { kind: 'said', text: inLine(subject, 60) },
];
