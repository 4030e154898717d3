import type { Risk, Scope } from '#contract';
import { type Act, ASKED } from './acts.ts';
import {
  FILE_NAME,
  FILE_PLACES,
  HANDS_OFF,
  LOOK,
  MAIL_PLACES,
  POLITE,
  PRODUCE,
  SEARCH,
  VERB_LAST,
  WHY,
} from './frame-words.ts';
import { rangeOf, type TimeRange } from './range.ts';
import { anyOf, endsWithAny, lastClause, plain, sentencesOf, startsWithAny } from './text.ts';

export type TaskKind = 'conversation' | 'question' | 'investigation' | 'action';
export type Output = 'answer' | 'source' | 'action_result';

/** What a mail asks for, as far as code can tell it before a model reads it. Pinned to the run. */
export interface TaskFrame {
  readonly kind: TaskKind;
  /** The request in the sender's words, shortened. */
  readonly subject: string;
  readonly range: TimeRange | null;
  readonly risk: 'read_only' | 'may_change' | 'unknown';
  /** The sender forbids changes in so many words; only then does the frame narrow what may be called. */
  readonly certain: boolean;
  readonly expected_outputs: readonly Output[];
  /** What is to be done, where the mail names what it is to be done to. */
  readonly acts: readonly { readonly act: Act; readonly target: string | null }[];
  /** Tools that could bring the facts that are asked for. */
  readonly sources: readonly string[];
  /** A text is wanted: a translation, a draft. Its sentences are no report. */
  readonly produces: boolean;
}

export interface FramedMail {
  readonly subject: string;
  readonly text: string;
  readonly sender: string;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly unreadable: string | null }[];
  /** In the persona's zone, `2026-11-21`. */
  readonly today: string;
  /** What stands in the prompt anyway: a file that is named there need not be read again. */
  readonly given: readonly string[];
}

type Offered = { readonly name: string; readonly risk: Risk; readonly scope: Scope };

const MAX_SUBJECT = 160;
const MAX_READ = 8000;

const politeStart = startsWithAny(`(?:${POLITE})[, ]+|请|請|麻烦你?`, '');
const ACTS = Object.entries(ASKED).map(([act, words]) => ({
  act: act as Act,
  first: startsWithAny(words),
  last: endsWithAny(words),
}));
const lookFirst = startsWithAny(LOOK);
const lookLast = endsWithAny(LOOK);
const searchFirst = startsWithAny(SEARCH);
const searchLast = endsWithAny(SEARCH);
const verbLast = startsWithAny(VERB_LAST);
const noSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const mailPlace = anyOf(MAIL_PLACES);
const filePlace = anyOf(FILE_PLACES);
const why = anyOf(WHY);
const produce = anyOf(PRODUCE);
const handsOff = lastClause(HANDS_OFF);
/** From the beginning of a word, or a long word would be tried again from each of its letters. */
const ADDRESS = /(?<![^\s<>,;:()"'])[^\s<>,;:()"'@]{1,64}@(?:[\p{L}\p{N}.-]{1,190}\.\p{L}{2,63}|localhost)/giu;
const ASKS = /[?？؟]["”»')\]]*$/u;

interface Clause {
  readonly raw: string;
  /** In one spelling, without "please" and "could you". */
  readonly said: string;
  readonly verbMayBeLast: boolean;
}

/** Pure: the same mail and tools always give the same frame. What it is not sure of stays `unknown` or unasked. */
export function frameOf(mail: FramedMail, offered: readonly Offered[]): TaskFrame {
  const clauses = clausesOf(mail);
  const acts = clauses.flatMap((clause) => actsIn(clause, mail));
  const asksFor = clauses.filter(isRequest);
  const isForbidden = clauses.some(({ raw }) => handsOff.test(plain(raw)));
  const wantsActs = clauses.some((clause) => ACTS.some(({ first, last }) => startsOrEnds(clause, first, last)));
  const certain = isForbidden && !wantsActs;
  const sources = [...new Set(clauses.flatMap((clause) => sourcesFor(clause, mail, offered)))];
  const kind = kindOf(clauses, acts.length > 0);
  const doable = acts.some(({ act }) => offered.some((tool) => canDo(tool, act)));
  return {
    kind,
    subject: (asksFor[0] ?? clauses[0])?.raw.slice(0, MAX_SUBJECT) ?? mail.subject.slice(0, MAX_SUBJECT),
    range: rangeOf(mail.text.slice(0, MAX_READ), mail.today),
    risk: riskOf(kind, certain),
    certain,
    expected_outputs: [
      'answer',
      ...(sources.length > 0 ? (['source'] as const) : []),
      ...(doable ? (['action_result'] as const) : []),
    ],
    acts,
    sources,
    produces: clauses.some(({ raw }) => produce.test(plain(raw))),
  };
}

function clausesOf({ subject, text }: FramedMail): readonly Clause[] {
  const read = sentencesOf(text.slice(0, MAX_READ));
  const own = read.length > 0 ? read.map((sentence) => sentence.text) : [subject];
  return own.map((raw) => {
    let said = plain(raw);
    const verbMayBeLast = verbLast.test(said) || noSpaces.test(said);
    for (let round = 0; round < 4; round += 1) {
      const polite = politeStart.exec(said)?.[0].length ?? 0;
      if (polite === 0) break;
      said = said.slice(polite);
    }
    return { raw, said, verbMayBeLast };
  });
}

const startsOrEnds = ({ said, verbMayBeLast }: Clause, first: RegExp, last: RegExp): boolean =>
  first.test(said) || (verbMayBeLast && last.test(said));

const isRequest = (clause: Clause): boolean =>
  ASKS.test(clause.raw) ||
  startsOrEnds(clause, lookFirst, lookLast) ||
  ACTS.some(({ first, last }) => startsOrEnds(clause, first, last));

/** An act counts only with what it is to be done to: "send Carl the file" may well mean "tell me where it is". */
function actsIn(clause: Clause, mail: FramedMail): TaskFrame['acts'] {
  const [found] = ACTS.filter(({ first, last }) => startsOrEnds(clause, first, last));
  if (!found) return [];
  const { act } = found;
  if (act === 'schedule') return [{ act, target: null }];
  if (act === 'send') {
    const others = [...clause.raw.matchAll(ADDRESS)].map(([address]) => address);
    return others
      .filter((address) => address.toLowerCase() !== mail.sender.toLowerCase())
      .map((target) => ({ act, target }));
  }
  return [...clause.raw.matchAll(FILE_NAME)].map(([target]) => ({ act, target }));
}

function kindOf(clauses: readonly Clause[], acts: boolean): TaskKind {
  if (acts) return 'action';
  if (
    clauses.some(
      (clause) => startsOrEnds(clause, lookFirst, lookLast) || (ASKS.test(clause.raw) && why.test(clause.said)),
    )
  )
    return 'investigation';
  return clauses.some(({ raw }) => ASKS.test(raw)) ? 'question' : 'conversation';
}

function riskOf(kind: TaskKind, certain: boolean): TaskFrame['risk'] {
  if (certain) return 'read_only';
  if (kind === 'action') return 'may_change';
  return kind === 'conversation' ? 'unknown' : 'read_only';
}

/**
 * Tools by which the facts of a clause could be had: a file that is named, the mailbox or the files searched. Asking
 * for more would send mails round once more whose answer stands in the mail itself.
 */
function sourcesFor(clause: Clause, mail: FramedMail, offered: readonly Offered[]): readonly string[] {
  const reads = (scope: Scope) => offered.filter((tool) => tool.risk === 'read' && tool.scope === scope);
  const searches = startsOrEnds(clause, searchFirst, searchLast);
  const wanted: Offered[] = [];
  if (searches && mailPlace.test(clause.said)) wanted.push(...reads('mail:read'));
  if (searches && filePlace.test(clause.said)) wanted.push(...reads('files:read'));
  const named = [...clause.raw.matchAll(FILE_NAME)].map(([name]) => name.toLowerCase());
  if (named.length > 0 && (ASKS.test(clause.raw) || startsOrEnds(clause, lookFirst, lookLast))) {
    const attached = mail.attachments.find(({ name }) => named.includes(name.toLowerCase()));
    // A picture is looked at, not read; one that cannot be read is a limitation that the model was told of.
    if (attached) wanted.push(...(attached.type.startsWith('image/') || attached.unreadable ? [] : reads('mail:read')));
    else if (!named.every((name) => isGiven(mail, name))) wanted.push(...reads('files:read'));
  }
  return wanted.map(({ name }) => name).filter((name) => name !== 'resolve_ref');
}

const isGiven = ({ given }: FramedMail, name: string): boolean =>
  given.some((part) => part.toLowerCase().includes(name));

/** Whether a tool could do what is asked; of one that is not ours nobody knows, so it might. */
function canDo(tool: { readonly name: string; readonly risk: Risk; readonly scope: Scope }, act: Act): boolean {
  if (tool.risk === 'read') return false;
  const known = DOES[tool.name];
  return known === undefined ? tool.scope.startsWith(AREA[act]) : known.includes(act);
}

const AREA: Readonly<Record<Act, string>> = { send: 'mail:', delete: 'files:', store: 'files:', schedule: 'schedule:' };

/** The bundled tools that change something, and what each can do. */
export const DOES: Readonly<Record<string, readonly Act[]>> = {
  send_email: ['send'],
  write_file: ['store'],
  edit_file: ['store'],
  delete_file: ['delete'],
  schedule_task: ['schedule'],
  ask_owner: [],
};
