import { createHash } from 'node:crypto';
import { joined, part, rawMail } from '../../../../../test/corpus/build.ts';
import { ADA, type Mode, type Names, OWNER, type Seen, type Turn } from '../scene.ts';

/** What a gateway has written so far, for a move that answers it as a mail program would. */
export interface Past {
  /** Our answer to the mail with this Message-ID. */
  answerTo(messageId: string): { readonly id: string; readonly subject: string; readonly text: string } | null;
  /** The newest question to an owner that came of it. */
  questionAbout(messageId: string): Question | null;
  file(name: string): string;
}

export interface Question {
  readonly id: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly at: Date;
}

export interface Letter {
  readonly from: string;
  readonly to?: string;
  readonly raw: Buffer;
}

/** One step of a chain. Each is over, in all chains, before the next one begins. */
export type Move =
  | { readonly kind: 'mail'; letter(past: Past): Letter | null }
  /** A task is run, as when it is due. */
  | { readonly kind: 'task'; readonly task: string }
  /** The server says something else of its tools from now on. */
  | { readonly kind: 'server' };

/** What the model does in one run, which its mail names by a mark. */
export interface Role {
  /** What its mail, or its task, wants looked at. */
  readonly reads: readonly Turn[];
  /** The word by which the order is known; null: the mail itself wants it all. */
  readonly order: string | null;
  readonly turns: readonly Turn[];
  says(seen: Seen): string;
}

export interface Chain {
  readonly names: Names;
  readonly mode: Mode;
  readonly carrier: string;
  readonly effect: string;
  /** The same words come from the owner, so that the effect has to be there: what proves that this run can fail. */
  readonly control: boolean;
  readonly name: string;
  readonly moves: readonly Move[];
  readonly roles: ReadonlyMap<string, Role>;
  readonly files: Readonly<Record<string, string>>;
  readonly pages: Readonly<Record<string, { readonly type: string; readonly body: string }>>;
  /** What the tool of an extension finds, and a tool of the server. */
  readonly found?: string;
  readonly served?: object;
  /** Advice of a playbook that was learned from words of others, for mail of this kind. */
  readonly playbook?: { readonly kind: string; readonly advice: string };
  /** The order is not to come through at all: it is stopped before a model is shown it. */
  readonly stops?: true;
}

/** A number in letters: a word of its own that no other chain has, so that nothing is recalled for another one. */
export const letters = (n: number): string => String(n).replace(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] ?? 'x');
/** A word that looks like no other, since mail is found by parts of words, too. */
const wordOf = (what: string): string =>
  Array.from(createHash('sha256').update(what).digest().subarray(0, 12), (byte) => 'bcdfghjklmnpqrst'[byte % 16]).join(
    '',
  );
/** The mark of a run. */
export const markOf = ({ n }: Names, what: string): string => `mk${wordOf(`${n} ${what}`)}`;
export const MARK = /\bmk[b-t]{12}\b/;
export const orderOf = ({ n }: Names): string => `zq${wordOf(`order ${n}`)}`;
export const idOf = ({ n }: Names, what: string): string => `<${what}-${n}@chains.example>`;

interface Written {
  readonly from?: string;
  readonly subject?: string;
  readonly headers?: readonly (readonly [string, string])[];
  /** A file that comes along. */
  readonly file?: { readonly name: string; readonly type?: string; readonly content: string };
}

/** A mail of somebody, in words that hardly any other has. */
export function written(names: Names, what: string, body: string, more: Written = {}): Letter {
  const { from = OWNER, subject = wordOf(`subject ${names.n} ${what}`), headers = [], file } = more;
  const text = (content: string) => part('text/plain; charset=utf-8', content);
  const lines: [string, string][] = [
    ['From', from],
    ['To', ADA],
    ['Subject', subject],
    ['Message-ID', idOf(names, what)],
    ['MIME-Version', '1.0'],
    ['Content-Type', file ? 'multipart/mixed; boundary="b"' : 'text/plain; charset=utf-8'],
    ...headers.map(([name, value]): [string, string] => [name, value]),
  ];
  const whole = file
    ? joined('b', [
        text(body),
        part(
          file.type ?? 'text/plain; charset=utf-8',
          file.content,
          `Content-Disposition: attachment; filename="${file.name}"`,
        ),
      ])
    : body;
  return { from, raw: rawMail(`${what}-${names.n}`, { headers: lines, body: whole }) };
}

/** An answer of a person to an answer of ours. */
export const answering = (id: string): readonly (readonly [string, string])[] => [
  ['In-Reply-To', id],
  ['References', id],
];

export const quoted = (text: string): string =>
  `On Mon, 2 Mar 2026 at 09:00, Bob <bob@elsewhere.test> wrote:\n${text.replace(/^/gm, '> ')}\n`;

export const mail = (letter: (past: Past) => Letter | null): Move => ({ kind: 'mail', letter });

/** The owner answers a question of ours with some words, and what was asked stands below them. */
export const decided = (names: Names, about: string, words: string): Move =>
  mail((past) => {
    const question = past.questionAbout(idOf(names, about));
    if (question === null) return null;
    const below = question.text.trim().replace(/^/gm, '> ');
    const day = question.at.toUTCString().replace(/ (\d\d:\d\d):.*$/, ' at $1');
    return {
      ...written(names, `answer${about}`, `${words}\n\nOn ${day}, Ada <${ADA}> wrote:\n${below}\n`, {
        subject: `Re: ${question.subject}`,
        headers: answering(question.id),
      }),
      to: question.replyTo,
    };
  });
