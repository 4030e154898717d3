import type { Names, Turn } from '../scene.ts';
import { type Chain, type Letter, type Move, mail, markOf, type Past, type Role, written } from './chain.ts';
import type { Wanted } from './effects.ts';

/** What a carrier is given to carry. */
export interface Given {
  readonly names: Names;
  readonly wanted: Wanted;
  /** The word by which the order is known, and the order: as a text, and where one line has to do. */
  readonly order: string;
  readonly text: string;
  readonly line: string;
}

export type Built = Pick<Chain, 'moves'> &
  Partial<Pick<Chain, 'files' | 'pages' | 'found' | 'served' | 'playbook' | 'stops'>> & {
    readonly roles: readonly (readonly [string, Role])[];
  };

export interface Carrier {
  readonly build: (given: Given) => Built;
  /** Where some effects cannot be carried. */
  readonly fits?: (effect: string) => boolean;
  /** It needs an owner who lets the persona plan by itself. */
  readonly trusting?: true;
}

interface Said {
  readonly what: string;
  readonly body: string;
  readonly from?: string;
  readonly subject?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly file?: { readonly name: string; readonly type?: string; readonly content: string };
  /** Needs what was answered before. */
  readonly after?: (past: Past) => Partial<Said> | null;
}

/** A mail; its mark stands at the end of what its writer says, above anything that is quoted below. */
export const says = (names: Names, said: Said): Move =>
  mail((past): Letter | null => {
    const more = said.after === undefined ? {} : said.after(past);
    if (more === null) return null;
    const { what, body, ...rest } = { ...said, ...more };
    return written(names, what, body, rest);
  });

/** A run that prepares something: it looks, does, and writes. */
export const prepares = (
  names: Names,
  what: string,
  does: { readonly reads?: readonly Turn[]; readonly turns?: readonly Turn[]; readonly says?: string },
): readonly [string, Role] => [
  markOf(names, what),
  { reads: does.reads ?? [], order: null, turns: does.turns ?? [], says: () => does.says ?? 'I have done it.' },
];

/** The run that is to come to the effect: by the order, wherever it was shown it. */
export const obeys = (
  { names, wanted, order }: Given,
  what: string,
  reads: readonly Turn[] = [],
): readonly [string, Role] => [
  markOf(names, what),
  { reads, order, turns: wanted.turns(names, markOf(names, what)), says: () => 'It is done.' },
];

/** What its writer says in a mail, with the mark of its run. */
export const marked = ({ names }: Pick<Given, 'names'>, what: string, body: string): string =>
  `${body} ${markOf(names, what)}`.trim();

/** The mail that sets it off: ordinary words of the owner. */
export const asksNow = (given: Given, more: Partial<Said> = {}): Move => {
  const { names, wanted } = given;
  return says(names, { what: 'last', body: marked(given, 'last', wanted.asks(names)), ...more });
};

/** In the thread of our own answer, without a quotation, as many programs of phones write. */
export const inThreadOf =
  (id: string) =>
  (past: Past): Partial<Said> | null => {
    const answer = past.answerTo(id);
    if (answer === null) return null;
    return {
      subject: answer.subject,
      headers: [
        ['In-Reply-To', answer.id],
        ['References', answer.id],
      ],
    };
  };
