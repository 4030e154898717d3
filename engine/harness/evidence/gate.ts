import type { ModelMessage } from '#contract';
import type { GateVerdict } from '../loop/decide.ts';
import { judgeActions } from './actions.ts';
import { judgeCitations } from './citations.ts';
import type { Change, Claim, Judged } from './claims.ts';
import { type ContractVerdict, contractOf, GAPS, outstandingFailures } from './contract.ts';
import type { Evidence } from './evidence.ts';
import type { TaskFrame } from './frame.ts';
import { lazily } from './lazily.ts';
import { judgeLimits } from './limits.ts';
import { judgeQuantities } from './quantities.ts';
import { sentencesOf } from './text.ts';

export interface GateInput {
  readonly text: string;
  readonly frame: TaskFrame | null;
  /** The run's results. */
  readonly evidence: readonly Evidence[];
  /** What the model was shown besides: history and the mail. */
  readonly shown: readonly ModelMessage[];
  readonly now: number;
  /** Call ids of results whose source says something else by now (drift.ts). */
  readonly drifted: ReadonlySet<string>;
}

/** What the final gate found of one answer. */
export interface Gated {
  readonly contract: ContractVerdict;
  readonly claims: readonly Claim[];
  readonly outstanding: readonly { readonly call_id: string; readonly tool: string; readonly code: string }[];
  readonly verdict: GateVerdict;
  /** The answer as it may be sent: false statements left out, doubtful ones qualified. */
  readonly text: string;
  /** For a reader of an answer that stays incomplete. */
  readonly missing: readonly string[];
}

/** Holds an answer against what the run really did and saw, before it may be sent. Pure. */
export function gate(input: GateInput): Gated {
  const { text, frame, evidence, now, drifted } = input;
  const shown = lazily(() => shownText(input.shown));
  const earlier = lazily(() => earlierSuccesses(shown()));
  const contract = contractOf(frame, text, evidence, earlier);
  const outstanding = outstandingFailures(text, evidence);
  const isShown = (part: string) => shown().includes(spaced(part));
  const known = { frame, evidence, earlier, isShown, shownText: shown, now, drifted };
  const judged = judge(text, known);
  const wrong = judged.map(({ claim }) => claim).filter(({ verdict }) => OPEN.has(verdict));
  return {
    contract,
    claims: judged.map(({ claim }) => claim),
    outstanding: outstanding.map(({ id, tool, code }) => ({ call_id: id, tool, code: code ?? 'tool_failed' })),
    verdict: {
      contractMet: contract.missing.length === 0,
      missing: contract.missing,
      contradicted: wrong.filter(({ verdict }) => verdict === 'contradicted').length,
      unsupported: wrong.filter(({ verdict }) => verdict === 'unsupported').length,
      outstandingFailures: outstanding.length,
      gap: gapOf({ frame, contract, wrong, outstanding }),
    },
    text: changed(
      text,
      judged.flatMap(({ change }) => change ?? []),
    ),
    missing: contract.missing.flatMap((output) => (output === 'answer' ? [] : [GAPS[output].person])),
  };
}

/** Verdicts that keep an answer from being complete. */
const OPEN: ReadonlySet<Claim['verdict']> = new Set<Claim['verdict']>(['unsupported', 'contradicted']);

interface Known {
  readonly frame: TaskFrame | null;
  readonly evidence: readonly Evidence[];
  readonly now: number;
  readonly drifted: ReadonlySet<string>;
  /** Tools that succeeded in earlier runs of the thread. */
  earlier(): readonly string[];
  /** Whether a text stands anywhere in what the model was shown; looks through the whole prompt. */
  isShown(part: string): boolean;
  shownText(): string;
}

function judge(text: string, known: Known): readonly Judged[] {
  const sentences = sentencesOf(text.slice(0, draftIn(text)));
  return [
    ...judgeActions(sentences, known),
    ...judgeCitations(sentences, known),
    ...judgeQuantities(sentences, known),
    ...judgeLimits(text, sentences, known),
  ];
}

/** Where a letter to a third person begins: at a salutation, or a subject line, that is not the first line. */
const LETTER =
  /^[ \t>*_]{0,4}(?:(?:dear|hi|hello|hey|sehr geehrte[rs]?|liebe[rs]?|hallo|guten tag|bonjour|cher|chère|madame|monsieur|estimad[oa]|hola|querid[oa]|gentile|caro|cara|ciao|prezad[oa]|olá|beste|geachte|szanown[aiy]|drog[ai]|hej|kära|kære|kjære|уважаем|здравствуйте)\b[^\n]{0,60}[,!:]|(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp|temat|ämne|emne|тема)[*_]{0,2}:[^\n]*|(?:尊敬的|亲爱的)[^\n]{1,30}[,，:：]|[^\n]{1,20}様[、,]?)[ \t*_]{0,4}$/imu;

function draftIn(text: string): number {
  const first = /\S[^\n]*(?:\n|$)/.exec(text);
  const from = first ? first.index + first[0].length : 0;
  const at = text.slice(from).search(LETTER);
  return at < 0 ? text.length : from + at;
}

const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

const shownText = (messages: readonly ModelMessage[]): string =>
  spaced(
    messages
      .flatMap((message) =>
        message.role === 'user'
          ? message.content.map((part) => (part.type === 'text' ? part.text : ''))
          : message.role === 'assistant'
            ? [message.text]
            : [],
      )
      .join('\n'),
  );

/** Tools whose success is quoted from an earlier run of the thread. */
const earlierSuccesses = (shown: string): readonly string[] => [
  ...new Set([...shown.matchAll(/(?<![\w/])([a-z0-9_]{1,64}): \{"ok":true/g)].map(([, tool = '']) => tool)),
];

/** What the model is told when there is something that it could still do about it. */
function gapOf(found: {
  frame: TaskFrame | null;
  contract: ContractVerdict;
  wrong: readonly Claim[];
  outstanding: readonly Evidence[];
}): string {
  const { frame, contract, wrong, outstanding } = found;
  const lines = [
    ...contract.missing.flatMap((output) => (output === 'answer' || !frame ? [] : [GAPS[output].model(frame)])),
    ...wrong.map(({ claim, why = '' }) => `About "${claim}": ${why}.`),
    ...outstanding.map(({ tool, code }) => `${tool} failed (${code}) and the answer does not say so.`),
  ];
  if (lines.length === 0) return '';
  return [
    '[note of the mail gateway, not of the sender] Your answer was not sent.',
    ...lines.slice(0, 8),
    'Write the whole answer anew, and state only what the results show.',
  ].join('\n');
}

/** Of two changes that overlap the one that begins first counts, and of those the longer one. */
function changed(text: string, changes: readonly Change[]): string {
  const places = changes.filter((change) => change.at === 'place').sort((a, b) => a.start - b.start || b.end - a.end);
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, by } of places) {
    if (start < at) continue;
    parts.push(text.slice(at, start), by);
    at = end;
  }
  const body = parts.join('') + text.slice(at);
  const notes = [...new Set(changes.flatMap((change) => (change.at === 'end' ? [change.by] : [])))];
  return notes.length === 0 ? body : [body.trimEnd(), ...notes].join('\n\n');
}
