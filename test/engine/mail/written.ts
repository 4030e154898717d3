import { splitText } from '../../../engine/mail/reading/body.ts';

/** What the sender of an answer with this text wrote. */
export const writtenOf = (text: string): string => splitText(text, { isReply: true, isForward: false }).newText;
