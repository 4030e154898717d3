import { readFrom } from './mime/address.ts';
import { firstHeader, readHeaders } from './mime/headers.ts';
import { namesAnotherMail } from './mime/message-ids.ts';
import { headerText } from './mime/words.ts';
import { isReplySubject } from './text/subject.ts';

/** What the header of a mail says of it, which anybody can write there. */
export interface SaidOfItself {
  /** By which its sender calls themselves; empty where there is none. */
  readonly name: string;
  /** It is written as the answer to another mail. */
  readonly isAnswer: boolean;
}

/** Pure. */
export function saidOfItself(bytes: Uint8Array): SaidOfItself {
  const block = readHeaders(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const from = readFrom(block);
  const subject = headerText(firstHeader(block.lines, 'subject') ?? '');
  return {
    name: from.kind === 'one' ? from.mailbox.name : '',
    isAnswer: namesAnotherMail(block.lines) || isReplySubject(subject),
  };
}
