import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { listOutbox, type OutboxPage } from '../../../queries/mail/outbox.ts';
import { listReceived, type ReceivedShape } from '../../../queries/mail/received.ts';
import type { Workspace } from '../../../workspace.ts';

const POLL_MS = 500;
/** Letters and digits that nobody takes for another. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const CODE_LETTERS = 4;

/** By which a person's own first mail is told from what others send meanwhile. */
export const mailCode = (): string =>
  Array.from({ length: CODE_LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** What has become of the first mail. */
export type Became = 'none' | 'arrived' | 'refused' | 'unsent' | 'answered';

const ORDER: readonly Became[] = ['none', 'refused', 'arrived', 'unsent', 'answered'];

/** Pure. What strangers send meanwhile takes nothing back of how far the person's own mail has come. */
export const furthest = (before: Became, now: Became): Became =>
  ORDER.indexOf(now) > ORDER.indexOf(before) ? now : before;

export interface Watched {
  readonly owner: string;
  readonly code: string;
}

interface Telling {
  readonly became: Became;
  /** By which the same is not told twice. */
  readonly key: string;
  readonly line: string;
}

/**
 * What there is to say of the mails that came, in their order. Those of others are not shown: one with the code is the
 * person's own, one under the owner's address claims to be, and what is advised is never taken from that one. Pure.
 */
export function tellingsOf(
  received: readonly ReceivedShape[],
  outbox: OutboxPage['outbox'],
  watched: Watched,
): readonly Telling[] {
  return received.filter((mail) => isMeant(mail, watched)).flatMap((mail) => tellingsOfMail(mail, outbox, watched));
}

const hasCode = ({ subject }: ReceivedShape, { code }: Watched): boolean => subject.toUpperCase().includes(code);

/** What lay in the mailbox before is recorded as well. */
const isMeant = (mail: ReceivedShape, watched: Watched): boolean =>
  mail.code !== 'before_first_connect' &&
  (hasCode(mail, watched) || mail.from?.toLowerCase() === watched.owner.toLowerCase());

function tellingsOfMail(mail: ReceivedShape, outbox: OutboxPage['outbox'], watched: Watched): Telling[] {
  const { id, decision, code, detail, cure } = mail;
  const name = `The mail "${mail.subject}" of ${mail.from ?? 'nobody'}`;
  const key = `${id} ${decision} ${code}`;
  if (decision === 'refused' && !hasCode(mail, watched)) {
    const line = `A mail "${mail.subject}" that says it is from ${mail.from ?? 'nobody'} came and was not taken: it has no ${watched.code} in its subject.`;
    return [{ became: 'refused', key, line }];
  }
  const after = cure === null || isUnproven(mail, watched) ? '' : `\n${sentence(cure)}`;
  if (decision !== 'accepted' && decision !== 'duplicate') {
    const what = decision === 'deferred' ? 'came and waits' : 'came and was not taken';
    const why = detail ?? code ?? decision;
    return [{ became: decision === 'deferred' ? 'arrived' : 'refused', key, line: `${name} ${what}: ${why}.${after}` }];
  }
  const came: Telling = { became: 'arrived', key, line: `${name} has come and is being answered.` };
  const answers = outbox.filter(({ kind, in_reply_to }) => kind === 'reply' && in_reply_to === mail.message_id);
  return [came, ...answers.flatMap((answer) => tellingOfAnswer(answer, key))];
}

function tellingOfAnswer({ state, to }: OutboxPage['outbox'][number], key: string): Telling[] {
  if (state === 'sent') return [{ became: 'answered', key: `${key} sent`, line: 'It was answered.' }];
  if (state !== 'failed') return [];
  const said = to.map(({ smtp }) => smtp).find((one) => one !== null);
  const line = `Its answer could not be sent${said ? `: ${said}` : ''}. \`epistle doctor\` says what is wrong.`;
  return [{ became: 'unsent', key: `${key} failed`, line }];
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/**
 * Says what becomes of the first mail as soon as the gateway has recorded it, until it was answered or `ms` are over.
 * What came before `newest` says nothing about this setup; by its place on record, as servers have clocks of their own.
 */
export async function watchFirstMail(
  workspace: Workspace,
  { newest, ms, say, onUnproven, ...watched }: Watching,
): Promise<Became> {
  const told = new Set<string>();
  let became: Became = 'none';
  for (let until = Date.now() + ms; Date.now() < until && became !== 'answered'; await wait(POLL_MS)) {
    const { mails } = await listReceived(workspace, { limit: 100 });
    const since = mails.filter(({ id }) => Number(id) > newest).toReversed();
    const { outbox } = await listOutbox(workspace, { limit: 50 });
    for (const telling of tellingsOf(since, outbox, watched)) {
      if (told.has(telling.key)) continue;
      told.add(telling.key);
      became = furthest(became, telling.became);
      say(telling.line);
    }
    const unproven = since.filter((mail) => isUnproven(mail, watched) && !told.has(`${mail.id} offered`));
    for (const mail of unproven) {
      told.add(`${mail.id} offered`);
      const asked = Date.now();
      // What somebody could write into files is told where no question does the same.
      if (!(await onUnproven(mail)) && mail.cure !== null && !told.has(mail.cure)) {
        told.add(mail.cure);
        say(sentence(mail.cure));
      }
      // Nobody loses time over a question.
      until += Date.now() - asked;
    }
  }
  return became;
}

interface Watching extends Watched {
  readonly newest: number;
  readonly ms: number;
  say(line: string): void;
  /** A mail with the code was refused since nothing proves who wrote it; whether a cure was offered. */
  onUnproven(mail: ReceivedShape): Promise<boolean>;
}

/** The person's own: it has the code, and says that it is of them. */
const isUnproven = (mail: ReceivedShape, watched: Watched): boolean =>
  mail.decision === 'refused' &&
  mail.code === 'auth_failed' &&
  hasCode(mail, watched) &&
  mail.from?.toLowerCase() === watched.owner.toLowerCase();

/** The place on record of the mail that came last; 0 where none has. */
export const newestReceived = async (workspace: Workspace): Promise<number> =>
  Number((await listReceived(workspace, { limit: 1 })).mails[0]?.id ?? 0);

/** How it ended: what happened, never what is hoped. */
export const ENDINGS: Readonly<Record<Became, string>> = {
  none: 'No mail of yours has come. The gateway runs on, and `epistle status` shows what comes.',
  arrived: 'Your mail has come, and its answer has not left yet. `epistle why last` says where it is.',
  refused: 'A mail came and was not taken, as said above. Mend that, and write once more.',
  unsent: 'Your mail came, and its answer could not be sent.',
  answered: 'Your first mail was answered.',
};
