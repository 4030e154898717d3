import type { Approval } from '../storage/types/approvals.ts';
import type { StoredMessage } from '../storage/types/mail.ts';

/** By which a model names a question of its persona's that waits for an owner's words: short, and no id of a mail. */
export const questionName = ({ id }: Pick<Approval, 'id'>): string => `q${id.slice(-8)}`;

const LEFT = 'This mail answers a question of yours, and the run that asked it does what belongs to that.';

/** What a run is told that begins with what another has left of an owner's answer. */
export const leftOfAnswer = (words: string): string =>
  `${LEFT} What it has left, and you are to do: "${words.replaceAll(/\s+/g, ' ')}". Do nothing else of this mail.`;

/** Whether a run begins so: it is to know an owner's words alone. */
export const isLeftOfAnswer = ({ limitations }: Pick<StoredMessage, 'limitations'>): boolean =>
  limitations.some((line) => line.startsWith(LEFT));

/** Answers that earlier builds took in hold lines of the question that stood above them. */
export const withoutAsked = (words: string): string => words.replace(/^[ \t]*>.*$/gm, '');
