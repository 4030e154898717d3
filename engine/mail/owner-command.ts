import type { ParsedMail } from './types.ts';

export type OwnerCommand = 'stop' | 'resume';

/**
 * STOP or RESUME as the first word of the subject or of the new text's first line. In capitals it may be followed
 * by anything; otherwise it must stand alone: "Stop by on Friday" is an invitation.
 */
export function readOwnerCommand({ subject, newText }: Pick<ParsedMail, 'subject' | 'newText'>): OwnerCommand | null {
  const firstLine = newText.trimStart().split('\n', 1)[0] ?? '';
  return commandIn(subject.replace(/^((re|aw|sv|fwd?)\s*:\s*)+/i, '')) ?? commandIn(firstLine);
}

function commandIn(line: string): OwnerCommand | null {
  const text = line.trim();
  const loud = /^(STOP|RESUME)(?![\p{L}\p{N}])/u.exec(text)?.[1];
  const alone = /^(stop|resume)[\s.!]*$/i.exec(text)?.[1];
  const word = (loud ?? alone)?.toLowerCase();
  return word === 'stop' || word === 'resume' ? word : null;
}
