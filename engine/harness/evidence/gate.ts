import type { ModelMessage, Scope } from '#contract';
import { type Language, languageOf } from '../../languages/language.ts';
import { isKey, say } from '../../languages/say.ts';
import type { GateVerdict } from '../../record/decisions.ts';
import { type Declared, pointIn } from '../../record/declared.ts';
import type { Contract } from '../../record/settings.ts';
import { type HookChecks, verdictOf } from './checks.ts';
import { type ChangedSource, type Citation, changedByOthers, citationsOf, unknownIdsIn } from './citations.ts';
import { type JudgedStatement, judgeDeclared } from './claims.ts';
import { type ContractOutcome, type ContractVerdict, judgeContract, undoneIn } from './contract.ts';
import { enclosedIn, threadIn } from './enclosed.ts';
import { type Evidence, nameOfSource, textOf } from './evidence.ts';
import { type Limitation, limitationsOf, oldestData } from './limitations.ts';
import { withoutOwnWords } from './said-before.ts';

interface GateInput {
  readonly text: string;
  /** What the model says of its answer; null for a plain text. */
  readonly declared: Declared | null;
  readonly contract: Contract;
  /** Effects that the mail was taken to ask for. */
  readonly wanted: readonly string[];
  /** Absent in runs of older versions, whose answers leave without a word of what they claim to have done. */
  readonly tellsUndone?: true | undefined;
  /** Absent in runs of older versions, whose answers leave without a word of how old or how whole their data are. */
  readonly tellsData?: true | undefined;
  /** Absent in runs of older versions, whose answers leave although what they rest on has changed. */
  readonly looksAgain?: true | undefined;
  /** Of the conversation, where the answer does not tell its own. */
  readonly language: Language;
  /** The run's results. */
  readonly evidence: readonly Evidence[];
  /** All calls that ended, steps of plans as well. */
  readonly outcomes: readonly ContractOutcome[];
  scopeOf(tool: string): Scope | null;
  /** What the model was shown besides: history and the mail. */
  readonly history: readonly ModelMessage[];
  readonly mail: ModelMessage;
  /** Names by which mails that results listed are cited, by Message-ID. */
  readonly mails?: ReadonlyMap<string, string>;
  /** Names of the files of the mail, by their ids. */
  readonly attachments?: ReadonlyMap<string, string>;
  /** Who reads the answer; absent in runs of older versions. */
  readonly readBy?: 'insiders' | 'outsiders' | undefined;
  /** Files that the model was shown whole are sources; absent in runs of older versions. */
  readonly citesShown?: true | undefined;
  readonly now: number;
  /** Ids of calls and of opened sections whose source says something else by now (`driftedSources` finds them). */
  readonly drifted: ReadonlySet<string>;
  /** What the run was told to wait and was decided since, in words for the model. */
  readonly settled?: readonly string[];
  /** What hooks found of it; null: none looked. */
  readonly hooks: HookChecks | null;
}

/** What the final gate found of one answer. */
export interface Gated {
  readonly contract: ContractVerdict;
  /** What the model declared, with a verdict each. */
  readonly claims: readonly JudgedStatement[];
  readonly limitations: readonly Limitation[];
  /** Ids that the text cites and that nothing has. */
  readonly unknown_ids: readonly string[];
  /** Sections of the knowledge that were opened or are cited. */
  readonly citations: readonly Citation[];
  readonly verdict: GateVerdict;
  /** Scopes of what was asked for, or is said to be done, and is not on record; null: nothing at all was changed. */
  readonly undone?: readonly (string | null)[];
  /** Of when the oldest data are that it may rest on, unix ms; absent: of today, or it says so itself. */
  readonly data_until?: number;
  /** It may rest on what others have changed since it was looked up, and no declaration of it says so. */
  readonly changed?: true;
  /** The answer as it may be sent: the model's own words, always; below them, the sources that it declared. */
  readonly text: string;
  /** For a reader of an answer that stays incomplete. */
  readonly missing: readonly string[];
}

/** Holds what an answer declares, and what its contract asks for, against what is on record. Its words are nobody's to judge. Pure. */
export function gate(input: GateInput): Gated {
  const { text, declared, evidence, history, mail, now, drifted, scopeOf } = input;
  const { found = [], unchecked = [] } = input.hooks ?? {};
  const language = languageOf([text], input.language);
  const limitations = limitationsOf(evidence, { now, drifted, samples: input.tellsData === true });
  const { mails } = input;
  const enclosed = input.citesShown ? enclosedIn([...history, mail]) : undefined;
  const names = (enclosed ?? [])
    .filter(({ ok }) => ok)
    .map(({ id, result }) => [id, String(Reflect.get(Object(result), 'name'))] as const);
  const attachments = new Map([...names, ...(input.attachments ?? [])]);
  const thread = input.citesShown ? threadIn(history) : null;
  const naming = mails === undefined ? {} : { mails, naming: { language, attachments, readBy: input.readBy } };
  const all = { evidence, mail: wordsOf(mail) };
  const sources = input.citesShown ? withoutOwnWords(all, history) : all;
  const shown = { ...sources, thread, ...(enclosed && { enclosed }) };
  const known = { limitations, drifted, now, ...shown, ...naming };
  const claims = declared === null ? [] : judgeDeclared(declared, known);
  const withScope = evidence.map((item) => ({ ...item, scope: scopeOf(item.tool) }));
  const contract = judgeContract(input.contract, {
    text,
    declared,
    evidence: withScope,
    outcomes: input.outcomes,
    wanted: input.wanted,
  });
  const { wanted, outcomes } = input;
  const untold = wanted.filter((effect) => !input.contract.effects.includes(effect));
  const undone = input.tellsUndone ? undoneIn({ wanted: untold, declared, outcomes, scopeOf }) : undefined;
  const list = sourceList(text, claims, language);
  const changed = input.looksAgain ? changedByOthers(evidence, drifted) : [];
  return {
    contract,
    claims,
    limitations: [...limitations, ...unchecked.map(asLimitation)],
    unknown_ids: unknownIdsIn(text, evidence, (id) =>
      [...history, mail].some((message) => wordsOf(message).includes(id)),
    ),
    citations: citationsOf({ text, declared, evidence, drifted }),
    verdict: verdictOf({ contract, claims, changed, found, settled: input.settled ?? [], ...(undone && { undone }) }),
    ...(undone && undone.length > 0 ? { undone: [...new Set(undone.map(({ effect }) => effect))] } : {}),
    ...(input.tellsData ? untilWhen(evidence, now, claims) : {}),
    ...(changed.some((one) => !isSaidOf(one, claims)) ? { changed: true as const } : {}),
    text: list === '' ? text : `${text.trimEnd()}\n\n${list}`,
    missing: [
      ...[...contract.missing, ...contract.not_done].map((name) => inWords(name, language)),
      ...found.map(({ text: what }) => what.replace(/\.$/, '')),
    ],
  };
}

/** Whether the list of sources says of it that it has changed. */
const isSaidOf = ({ ids, cite, source }: ChangedSource, claims: readonly JudgedStatement[]): boolean =>
  claims.some(
    ({ verdict, evidence_ids }) =>
      verdict === 'drifted' && [...ids, cite ?? source, source].some((name) => evidence_ids.includes(name)),
  );

function untilWhen(
  evidence: readonly Evidence[],
  now: number,
  claims: readonly JudgedStatement[],
): Pick<Gated, 'data_until'> {
  const said = claims.filter(({ verdict, limitations = [] }) => verdict === 'stale' || limitations.length > 0);
  const names = new Set(said.flatMap(({ evidence_ids }) => evidence_ids));
  const told = evidence.filter(({ id, cite, source }) => [id, cite, source].some((name) => names.has(name ?? '')));
  const at = oldestData(evidence, now, new Set(told.map(({ id }) => id)));
  return at === null ? {} : { data_until: at };
}

function inWords(name: string, language: Language): string {
  const [effect, missing] = [`sources.effects.${name}`, `sources.missing.${name}`] as const;
  if (isKey(effect)) return say(language, effect);
  return isKey(missing) ? say(language, missing) : (pointIn(name) ?? name);
}

const asLimitation = ({ by, reason }: HookChecks['unchecked'][number]): Limitation => ({
  call_id: '',
  source: by,
  kind: 'unchecked',
  detail: reason,
});

/** What is written in it. */
export function wordsOf(message: ModelMessage): string {
  if (message.role === 'assistant') return message.text;
  if (message.role !== 'user') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

const MAX_STAND_IN = 280;

/** What was looked up last, for a run whose model has no words for it; null where nothing was. */
export function standIn(evidence: readonly Evidence[], language: Language): string | null {
  const last = evidence.findLast(({ ok, risk }) => ok && risk === 'read');
  const seen = last ? textOf(contentOf(last)).replace(/\s+/g, ' ').trim() : '';
  if (!last || seen === '') return null;
  const short = seen.length > MAX_STAND_IN ? `${seen.slice(0, MAX_STAND_IN - 1).toWellFormed()}…` : seen;
  return `${say(language, 'sources.lastSeen')} ${nameOfSource(last)}\n\n${short}`;
}

/** The text of a file, a page or a mail, where the result has one; its other fields are about it. */
function contentOf({ result }: Evidence): Evidence['result'] {
  const text: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'text') : undefined;
  return typeof text === 'string' ? text : result;
}

const MAX_LINES = 30;
const MAX_SHOWN = 80;

/**
 * The list under an answer that declares what it rests on: a line for each marker in its text, and for each declaration
 * that is not as it should be; empty where there is neither. The text itself stays as it is.
 */
export function sourceList(text: string, claims: readonly JudgedStatement[], language: Language): string {
  const marked = new Set(
    [...text.matchAll(/\[(\d{1,3}(?: ?, ?\d{1,3})*)\]/g)].flatMap(([, ns = '']) => ns.split(',').map(Number)),
  );
  const listed = claims
    .filter(({ n, verdict }) => marked.has(n) || (verdict !== 'supported' && verdict !== 'unchecked'))
    .slice(0, MAX_LINES);
  if (listed.length === 0) return '';
  return [
    `${say(language, 'sources.heading')}:`,
    ...listed.map((claim) => lineOf(claim, marked.has(claim.n), language)),
  ].join('\n');
}

function lineOf(claim: JudgedStatement, isMarked: boolean, language: Language): string {
  const { n, sources, limitations = [] } = claim;
  const notes = [
    ...(isMarked ? [] : [`“${short(claim.claim)}”`]),
    ...noteOf(claim, language),
    ...limitations.map(short),
  ];
  // A name beside it would say that it stands there.
  const about = sources.length > 0 && claim.verdict !== 'unchecked' ? [sources.join(', ')] : [];
  return `[${n}] ${[...about, ...notes].join(' – ')}`;
}

function noteOf({ verdict, detail, own }: JudgedStatement, language: Language): readonly string[] {
  switch (verdict) {
    case 'supported':
      return [];
    case 'unchecked':
      return [say(language, own ? 'sources.own' : 'sources.unchecked')];
    case 'contradicted':
      return [
        detail ? say(language, 'sources.contradicted', { says: short(detail) }) : say(language, 'sources.unsupported'),
      ];
    case 'unsupported':
      return [say(language, 'sources.unsupported')];
    case 'drifted':
      return [say(language, 'sources.drifted')];
    case 'stale':
      return [say(language, 'sources.old', { when: detail ?? '?' })];
    case 'overstated':
      return [detail === undefined ? say(language, 'sources.lessSure') : lessOf(detail, language)];
  }
}

/** How much of it was read; null where nobody knows. */
const lessOf = (share: string | null, language: Language): string =>
  share === null ? say(language, 'sources.cut') : say(language, 'sources.cutShare', { share });

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1).toWellFormed()}…` : line;
};
