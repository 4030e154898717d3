import { type Fault, fault, placeOf, type ServerAnswer, type Side } from './fault.ts';
import { unknownFault } from './login-faults.ts';

const has = (text: string, ...words: readonly string[]): boolean => words.some((word) => text.includes(word));

/** Pure. Why a folder could not be selected. */
export function folderFault(side: Side, folder: string, { code, text }: ServerAnswer): Fault {
  const words = text.toLowerCase();
  const response = code?.toUpperCase() ?? '';
  if (
    response === 'NONEXISTENT' ||
    response === 'TRYCREATE' ||
    has(words, "doesn't exist", 'does not exist', 'nonexistent', 'unknown mailbox', 'not found')
  ) {
    return fault(
      'folder_missing',
      `there is no folder ${folder}`,
      'correct imap.folder in configs/gateway.json; it is INBOX nearly everywhere',
    );
  }
  if (response === 'NOPERM' || has(words, 'permission')) {
    return fault(
      'folder_forbidden',
      `the login may not open the folder ${folder}`,
      'give it the right to read and mark mail there, or log in as its owner',
    );
  }
  if (response === 'OVERQUOTA' || has(words, 'quota')) return quotaFault(side);
  return fault(
    'folder_refused',
    `the folder ${folder} cannot be opened: ${text}`,
    'open it in a mail program; if that fails too, ask your provider',
  );
}

export const quotaFault = (side: Side): Fault =>
  fault(
    'quota_full',
    `the mailbox of ${side.user} is full`,
    'delete mail there, or get more room: until then it takes no new mail',
  );

export const quotaNearFault = (side: Side, used: number): Fault =>
  fault(
    'quota_near',
    `the mailbox of ${side.user} is ${Math.floor(used * 100)} % full`,
    'delete mail there, or get more room: once it is full it takes no new mail',
  );

export const moveTargetFault = (folder: string): Fault =>
  fault(
    'move_target_missing',
    `there is no folder ${folder}, and answered mail is to be moved there`,
    'make it, or change imap.processed in configs/gateway.json',
  );

export const draftsFault = (): Fault =>
  fault(
    'no_drafts',
    'there is no folder for drafts, and answers are to be put there',
    'make a folder named Drafts there, or let the persona send: "reply": { "mode": "send" }',
  );

export const sentFault = (): Fault =>
  fault(
    'no_sent',
    'there is no folder for sent mail, so no copies are filed',
    'make a folder named Sent, or set "save_sent": false in configs/gateway.json',
  );

export const idleFault = (): Fault =>
  fault('no_idle', 'no IDLE, so it is polled', 'nothing has to be done; new mail is seen some seconds later');

/** Pure. Why a mail was not taken, by the server's reply to it. */
export function sendFault(side: Side, { text }: ServerAnswer): Fault {
  const words = text.toLowerCase();
  const place = placeOf(side);
  if (
    has(
      words,
      'not owned by',
      'sender address rejected',
      'sendasdenied',
      'send as',
      'not allowed to send from',
      'sender mismatch',
      '5.7.60',
    )
  ) {
    return fault(
      'sender_refused',
      `${place} does not let ${side.user} send from this address: ${text}`,
      'give the persona an address that this login owns, or let your provider add it as an alias',
    );
  }
  if (has(words, 'relay'))
    return fault(
      'relay_refused',
      `${place} passes no mail on for us: ${text}`,
      'set smtp.auth to "password"; without a login a server takes mail only for itself',
    );
  if (has(words, '5.4.5', 'daily', 'sending limit', 'limit exceeded', 'too many messages')) {
    return fault(
      'sending_limit',
      `${place} takes no more mail today: ${text}`,
      'wait until tomorrow, or raise the limit at your provider',
    );
  }
  if (has(words, '4.2.2', '5.2.2', 'quota', 'mailbox full', 'insufficient system storage')) return quotaFault(side);
  if (has(words, '552', '5.3.4', 'too large', 'size'))
    return fault('mail_too_large', `${place} does not take a mail of this size`, 'send less at once');
  if (has(words, '5.7.1', '554', '550', 'spam', 'policy', 'blocked'))
    return fault(
      'mail_rejected',
      `${place} rejects the mail: ${text}`,
      'ask your provider why; its words say what it objects to',
    );
  return unknownFault(side, text);
}
