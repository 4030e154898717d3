import type { Random } from './random.ts';

export const PERSONAS = ['ada', 'ben', 'cem', 'dora', 'eli', 'fay'] as const;

export interface Letter {
  readonly messageId: string;
  readonly from: string;
  /** Ids of the personas it is for; each owes it one answer. */
  readonly personas: readonly string[];
  readonly raw: Buffer;
  /** How often the sender hangs up after the final dot, before the answer can reach it. */
  readonly hangUps: number;
  /** Sent once more although it was acknowledged, as a relay with a bad memory does. */
  readonly again: boolean;
}

/** Mails of one thread, in order; the next one leaves when the one before it was acknowledged. */
export type Conversation = readonly Letter[];

export const addressOf = (persona: string): string => `${persona}@agents.localhost`;

/** `mails` letters in threads of one to eight. The same for the same random numbers. */
export function writeConversations(mails: number, random: Random): Conversation[] {
  const conversations: Conversation[] = [];
  for (let written = 0; written < mails; ) {
    const length = Math.min(mails - written, random.pick([1, 1, 1, 2, 3, 5, 8]));
    conversations.push(writeConversation(written, length, random));
    written += length;
  }
  return conversations;
}

/** A mail to one persona, by a sender who does everything right. */
export function oneLetter(body: string, number = 1, persona: string = PERSONAS[0]): Letter {
  const mail = {
    messageId: `<soak-one-${number}@member.example>`,
    from: `mia${number}@member.example`,
    personas: [persona],
  };
  return { ...mail, raw: rawMail({ ...mail, before: [], number, body }), hangUps: 0, again: false };
}

function writeConversation(first: number, length: number, random: Random): Conversation {
  const from = `member${first}@member.example`;
  const one = random.pick(PERSONAS);
  const other = random.pick(PERSONAS);
  // A mail to two personas can be half accepted when the process dies.
  const personas = random.chance(0.15) && other !== one ? [one, other] : [one];
  const letters: Letter[] = [];
  for (let at = 0; at < length; at += 1) {
    const number = first + at;
    const before = letters.map(({ messageId }) => messageId);
    const messageId = `<soak-${number}@member.example>`;
    letters.push({
      messageId,
      from,
      personas,
      raw: rawMail({ messageId, from, personas, before, number, body: bodyOf(number, random) }),
      hangUps: random.chance(0.1) ? random.between(1, 2) : 0,
      again: random.chance(0.05),
    });
  }
  return letters;
}

function bodyOf(number: number, random: Random): string {
  const read = '/list_files {}';
  const write = `/write_file {"path": "notes/${number}.txt", "content": "note ${number}"}`;
  const edit = `/edit_file {"path": "notes/${number}.txt", "old_text": "note", "new_text": "word"}`;
  const calls = random.pick([[], [], [read], [read], [write], [write, read], [write, edit], [read, read, read]]);
  // Long enough now and then to be cut in the middle of DATA.
  const filler = random.chance(0.05) ? 'A line among many others, to make this mail a long one.\r\n'.repeat(4000) : '';
  return [`Question ${number}: what do you say?`, ...calls, filler].join('\r\n');
}

function rawMail(mail: {
  messageId: string;
  from: string;
  personas: readonly string[];
  before: readonly string[];
  number: number;
  body: string;
}): Buffer {
  const last = mail.before.at(-1);
  const date = new Date(Date.UTC(2026, 0, 1) + mail.number * 60_000).toUTCString().replace('GMT', '+0000');
  const lines = [
    `From: Member <${mail.from}>`,
    `To: ${mail.personas.map(addressOf).join(', ')}`,
    `Subject: Question ${mail.number}`,
    `Message-ID: ${mail.messageId}`,
    `Date: ${date}`,
    ...(last ? [`In-Reply-To: ${last}`, `References: ${mail.before.join('\r\n ')}`] : []),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    mail.body,
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}
