import type { Json } from '#contract';
import type { Declared } from '../../record/declared.ts';
import { openedSections, sectionsIn } from './citations.ts';
import { type Evidence, nameOfSource } from './evidence.ts';
import { asFarAsCertain, standsSomewhere } from './figures/certain.ts';
import { type FigureVerdict, judgeValue } from './figures/figures.ts';
import { CONSTANTS } from './figures/formula.ts';
import { isShownAs, readingsOf, standsIn, valuesIn } from './figures/match.ts';
import type { Shown } from './figures/shown.ts';
import { shownIn } from './figures/tables.ts';
import { type Reading, tokensOf } from './figures/tokens.ts';
import { type Limitation, staleSince } from './limitations.ts';

/**
 * What code makes of a declared claim or figure. `unsupported`: its source is none of this run's, or does not have it.
 * `contradicted`: the cell or the formula that it names gives something else. `drifted`: it stands there, and the source
 * has changed since. `stale`: its data are older than they stay fresh. `overstated`: it rests on a part without saying
 * so, or is surer than its source. `unchecked`: nothing in it could be held against its source, so nothing is said of either.
 */
export type Verdict = 'supported' | 'unchecked' | 'unsupported' | 'contradicted' | 'overstated' | 'drifted' | 'stale';

export interface Judged {
  /** Its number in the answer: claims first, then figures. */
  readonly n: number;
  readonly kind: 'claim' | 'figure';
  /** As it was declared, shortened. */
  readonly claim: string;
  readonly verdict: Verdict;
  /** Call ids that it rests on. */
  readonly evidence_ids: readonly string[];
  /** What it names that nothing of this run is called. */
  readonly unknown_ids?: readonly string[];
  /** As a person would name them. */
  readonly sources: readonly string[];
  readonly limitations?: readonly string[];
  /** For the model: what is wrong, in one sentence. */
  readonly why?: string;
  /** What the named cell says instead, or how much was read, or of when the data are. */
  readonly detail?: string | null;
}

interface JudgedAgainst {
  readonly evidence: readonly Evidence[];
  readonly limitations: readonly Limitation[];
  readonly drifted: ReadonlySet<string>;
  readonly now: number;
  /** The mail as the model was shown it, with its facts. */
  readonly mail: string;
}

interface Known extends JudgedAgainst {
  readonly sources: Map<string, Sources>;
}

const MAX_CLAIM = 300;
const short = (text: string): string =>
  text.length > MAX_CLAIM ? `${text.slice(0, MAX_CLAIM - 1).toWellFormed()}…` : text;

/** All that an answer declares, in order. Pure. */
export function judgeDeclared(declared: Declared, given: JudgedAgainst): readonly Judged[] {
  const known: Known = { ...given, sources: new Map() };
  const figures = declared.figures.map((figure, index) =>
    judgeFigure(figure, declared.claims.length + index + 1, known),
  );
  const borneOut = declared.figures.flatMap(({ shown }, index) =>
    ['unsupported', 'contradicted'].includes(figures[index]?.verdict ?? '')
      ? []
      : tokensOf(shown).flatMap(({ readings }) => readings),
  );
  return [...declared.claims.map((claim, index) => judgeClaim(claim, index + 1, known, borneOut)), ...figures];
}

interface Sources {
  readonly items: readonly Evidence[];
  readonly unknown: readonly string[];
  readonly names: readonly string[];
  /** Of files, where sections are named by their ids: a call may open several files. */
  readonly sections: readonly { readonly id: string; readonly name: string }[];
  readonly by: ReadonlyMap<string, Shown>;
  readonly all: Shown;
}

/** Each set of names is looked up once for an answer. */
function sourcesOf(names: readonly string[], known: Known): Sources {
  const key = names.join('\n');
  const sources = known.sources.get(key) ?? lookUp(names, known);
  known.sources.set(key, sources);
  return sources;
}

function lookUp(names: readonly string[], { evidence, drifted }: Known): Sources {
  const found = names.map((name) => foundBy(name, evidence, drifted));
  const items = [...new Set(found.flatMap((each) => each.items))];
  const read = items.filter(({ ok }) => ok);
  const ids = new Set(names.flatMap(sectionsIn));
  const sections = openedSections(read).flatMap(({ id, path: source, callId }) =>
    ids.has(id) ? [{ id, callId, name: nameOfSource({ source, tool: '' }) }] : [],
  );
  const whole = items.filter(({ id }) => !sections.some(({ callId }) => callId === id));
  return {
    items,
    unknown: found.filter((each) => each.items.length === 0).map(({ named }) => named),
    names: [...new Set([...whole.map(nameOfSource), ...sections.map(({ name }) => name)])],
    sections,
    by: new Map(found.map((each) => [each.named, shownIn(resultsOf(each.items.filter(({ ok }) => ok)))])),
    all: shownIn(resultsOf(read)),
  };
}

/** Why nothing can rest on these; null where something can. */
function unusable({ items, unknown }: Sources): string | null {
  if (unknown.length > 0) return `nothing of this mail's work is called ${unknown.map((id) => `"${id}"`).join(', ')}`;
  if (items.length === 0) return 'it names no source';
  return items.some(({ ok }) => ok) ? null : `${items.map(({ tool }) => tool).join(', ')} failed and brought nothing`;
}

function judgeFigure(figure: Declared['figures'][number], n: number, known: Known): Judged {
  const sources = sourcesOf(figure.from, known);
  const base = { n, kind: 'figure' as const, claim: short(figure.shown), ...aboutOf(sources) };
  const unknown = unusable(sources);
  // The mail is no result of a call, and earlier mail has more names than its results: the value may stand there.
  const isOfMail = sources.unknown.length > 0 && sources.unknown.every((name) => MAIL_NAME.test(name));
  if (unknown !== null && isOfMail && standsSomewhere(figure.shown, readBy(known), known.mail))
    return { ...base, verdict: 'unchecked' };
  const wrong = unknown ?? wrongInput(sources.items, () => aroundInputs(known));
  if (wrong) return { ...base, verdict: 'unsupported', why: wrong };
  const judged: FigureVerdict = judgeValue(figure, sources);
  const { mail } = known;
  const { stands = false, ...value } = {
    stands: judged.stands,
    ...asFarAsCertain(judged, figure, { ...sources, mail }),
  };
  if (value.verdict !== 'supported') return { ...base, ...value };
  return { ...base, ...limitsOf(sources, known, { isStated: stands, confidence: null }) };
}

/** As tools name the mail that is answered, or a Message-ID. */
const MAIL_NAME = /^\s*(?:(?:the |this )?mail|<[^<>\s]{1,998}>)\s*$/i;

/** All that the run has read, its mail too. */
const readBy = ({ evidence, mail }: Known): readonly Shown[] => [
  shownIn(resultsOf(evidence.filter(({ ok }) => ok))),
  shownIn([mail]),
];

const aroundInputs = (known: Known) => ({
  sourceNamed(name: string) {
    const found = sourcesOf([name], known);
    return unusable(found) === null ? found : null;
  },
  read: shownIn(resultsOf(known.evidence.filter((item) => item.ok && !isCalculation(item)))),
  mail: known.mail,
});

function judgeClaim(claim: Declared['claims'][number], n: number, known: Known, borneOut: readonly Reading[]): Judged {
  const sources = sourcesOf(claim.evidence, known);
  const limitations = claim.limitations.length > 0 ? { limitations: claim.limitations.map(short).slice(0, 5) } : {};
  const base = { n, kind: 'claim' as const, claim: short(claim.text), ...aboutOf(sources), ...limitations };
  const wrong = unusable(sources) ?? missingIn(claim.text, sources, known, borneOut);
  if (wrong) return { ...base, verdict: 'unsupported', why: wrong };
  const limits = limitsOf(sources, known, {
    isStated: claim.limitations.length > 0,
    confidence: claim.confidence ?? null,
  });
  if (limits.verdict === 'supported' && !isComparable(claim.text)) return { ...base, verdict: 'unchecked' };
  return { ...base, ...limits };
}

const aboutOf = ({ items, unknown, names }: Sources) => ({
  evidence_ids: items.map(({ id }) => id),
  sources: names,
  ...(unknown.length > 0 ? { unknown_ids: unknown } : {}),
});

const QUOTED = /[“„«「『]([^“”„«»「」『』]{2,1000})[”“»」』]|"([^"]{2,1000})"/gu;

/** Whether the claim has anything that code can look for in a source: words alone may say what no source does. */
const isComparable = (text: string): boolean => {
  const said = text.replace(/\[\d{1,3}\]/g, ' ');
  return [...said.matchAll(QUOTED)].length > 0 || tokensOf(said).length > 0;
};

/** A quotation or a value of the claim that its sources do not have; null where they have all of it. */
function missingIn(text: string, sources: Sources, { mail }: Known, borneOut: readonly Reading[]): string | null {
  const said = text.replace(/\[\d{1,3}\]/g, ' ');
  for (const [, curly, straight] of said.matchAll(QUOTED)) {
    const quotation = curly ?? straight ?? '';
    if (!standsIn(quotation, sources.all.whole) && !standsIn(quotation, mail))
      return `"${quotation}" does not stand in its evidence`;
  }
  // The name of a month is a word like any other, also where it is written with a digit.
  const tokens = tokensOf(said).filter(
    ({ readings }) => !readings.every((one) => one.kind === 'date' && one.year === null && one.day === null),
  );
  if (tokens.length === 0) return null;
  const there = [...valuesIn(sources.all), ...rowCounts(sources.all), ...borneOut];
  const inMail = tokensOf(mail)
    .flatMap(({ readings }) => readings)
    .filter(({ kind }) => kind !== 'number');
  const missing = tokens.find(
    ({ readings }) =>
      !readings.some(
        (one) =>
          there.some((other) => isShownAs(one, other)) ||
          inMail.some((other) => isShownAs(one, other)) ||
          isYear(one, [...there, ...inMail]),
      ),
  );
  return missing
    ? `the value at "${said.normalize('NFKC').slice(missing.start, missing.end).trim()}" does not stand in its evidence`
    : null;
}

const rowCounts = ({ tables }: Shown): readonly Reading[] =>
  tables.map((table) => ({ kind: 'number', value: table.length - 1, step: 1, unit: null, by: null }));

const isYear = (one: Reading, there: readonly Reading[]): boolean =>
  one.kind === 'number' &&
  one.unit === null &&
  there.some((other) => other.kind === 'date' && other.year === one.value);

const RANKS = ['low', 'medium', 'high'] as const;

function limitsOf(
  { items, sections }: Sources,
  { limitations, drifted, now }: Known,
  stated: { readonly isStated: boolean; readonly confidence: (typeof RANKS)[number] | null },
): Pick<Judged, 'verdict' | 'detail' | 'why'> {
  const read = items.filter(({ ok }) => ok);
  const changed = read.find(({ id }) => drifted.has(id));
  const name = changed ? nameOfSource(changed) : sections.find(({ id }) => drifted.has(id))?.name;
  if (name !== undefined) return { verdict: 'drifted', why: `${name} has changed since it was read` };
  const old = read.map((item) => staleSince(item, now)).find((at) => at !== null) ?? null;
  if (old !== null)
    return { verdict: 'stale', detail: `${new Date(old).toISOString().slice(0, 16).replace('T', ' ')} UTC` };
  const cut = limitations.find(({ kind, call_id }) => kind === 'cut' && read.some(({ id }) => id === call_id));
  if (cut && !stated.isStated)
    return {
      verdict: 'overstated',
      detail: cut.detail,
      why: 'only a part of its source was read, and it does not say so',
    };
  const sure = Math.min(...read.map(confidenceOf));
  if (stated.confidence !== null && RANKS.indexOf(stated.confidence) > sure)
    return { verdict: 'overstated', why: 'it is surer than its source' };
  return { verdict: 'supported' };
}

/** How sure a source says it is, as a rank; the highest where it says nothing. */
function confidenceOf({ result }: Evidence): number {
  const said: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'confidence') : undefined;
  if (typeof said === 'number') return said >= 0.8 ? 2 : said >= 0.5 ? 1 : 0;
  const rank = RANKS.indexOf(said as (typeof RANKS)[number]);
  return rank < 0 ? 2 : rank;
}

/** What one name in a declaration stands for: results of the run, newest state of their source. */
interface NamedEvidence {
  readonly named: string;
  /** Empty where nothing of the run is called so. */
  readonly items: readonly Evidence[];
}

const KEYS = ['id', 'path', 'url', 'message_id', 'ref', 'name'];

/** A result that lists things under ids is called by each of them, such as the sections of a file. */
const lists = (result: Json, id: string): boolean =>
  typeof result === 'object' &&
  result !== null &&
  Object.values(result).some((value) => Array.isArray(value) && value.some((entry) => field(entry, 'id') === id));

const field = (result: Json, key: string): unknown =>
  typeof result === 'object' && result !== null ? Reflect.get(result, key) : undefined;

/**
 * The results that a name means: a call's id, a ref, or what the result itself says that it is from (path, URL, attachment
 * id, the id of one of its entries), by its whole name or by its last part; or the one result of a tool. Of a source that was read anew only what
 * still holds.
 */
function foundBy(named: string, evidence: readonly Evidence[], drifted: ReadonlySet<string>): NamedEvidence {
  const name = named
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/^(?:attachment|call|ref|source)[: ]\s*/i, '')
    .trim();
  const byId = evidence.filter((item) => item.id === name);
  if (byId.length > 0) return { named, items: byId };
  const bySource = evidence.filter(
    (item) =>
      item.ref === name ||
      item.source === name ||
      KEYS.some((key) => field(item.result, key) === name) ||
      lists(item.result, name),
  );
  const byEnd =
    bySource.length > 0 ? bySource : evidence.filter((item) => nameOfSource(item) === name && item.tool !== name);
  const byTool = evidence.filter((item) => item.tool === name);
  const items = byEnd.length > 0 ? byEnd : byTool.length === 1 ? byTool : [];
  const holding = items.filter((item) => item.ok && !drifted.has(item.id) && item.risk === 'read');
  return { named, items: holding.length > 0 ? holding : items };
}

/** Results as they were read, pages of one text put together so that a table goes on from one to the next. */
function resultsOf(items: readonly Evidence[]): readonly Json[] {
  const groups = Map.groupBy(items, (item) => `${item.tool} ${item.source}`);
  return [...groups.values()].flatMap((group) =>
    group.length > 1 ? joined(group) : group.map(({ result }) => result),
  );
}

function joined(group: readonly Evidence[]): readonly Json[] {
  const texts = group.flatMap(({ result }) => {
    const text = field(result, 'text');
    return typeof text === 'string' ? [text] : [];
  });
  if (texts.length < group.length) return group.map(({ result }) => result);
  const byLines = group.some(({ result }) => field(result, 'total_lines') !== undefined);
  const [first] = group;
  return [{ ...(Object(first?.result) as Record<string, Json>), text: [...new Set(texts)].join(byLines ? '\n' : '') }];
}

/** A value that a calculation was given, and where it stands, as the model says: `call id!C4`. */
interface Input {
  readonly value: string | number;
  readonly from: string | null;
}

interface Around {
  /** The source of that name; null where nothing of the run is called so. */
  sourceNamed(name: string): { readonly by: ReadonlyMap<string, Shown>; readonly all: Shown } | null;
  /** All that was read, without results of calculations. */
  readonly read: Shown;
  readonly mail: string;
}

/**
 * What is wrong with the values that a calculation was made of: a result is worth what went into it. Null where each stands
 * in its source or, where none is named, in anything that was read. Numbers by which figures are converted need none.
 */
function wrongInput(items: readonly Evidence[], around: () => Around): string | null {
  const inputs = items.flatMap(inputsOf);
  if (inputs.length === 0) return null;
  const known = around();
  for (const input of inputs) {
    const why = wrongWith(input, known);
    if (why !== null) return `the calculation rests on ${input.value}: ${why}`;
  }
  return null;
}

const isCalculation = (item: Evidence): boolean => inputsOf(item).length > 0;

function inputsOf({ ok, result }: Evidence): readonly Input[] {
  const listed: unknown =
    ok && typeof result === 'object' && result !== null ? Reflect.get(result, 'inputs') : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one: unknown): Input[] => {
    const { value, from } = Object(one) as { value?: unknown; from?: unknown };
    const isValue = typeof value === 'number' || typeof value === 'string';
    return isValue ? [{ value, from: typeof from === 'string' ? from : null }] : [];
  });
}

function wrongWith({ value, from }: Input, { sourceNamed, read, mail }: Around): string | null {
  if (from !== null) {
    const [name = '', cell] = from.split(/!(?=[^!]*$)/);
    const source = sourceNamed(name.trim());
    if (source === null) return `nothing of this mail's work is called "${name.slice(0, 100)}"`;
    const cells = cell === undefined ? [] : [cell];
    const { verdict, why } = judgeValue({ shown: String(value), from: [name], cells, formula: null }, source);
    return verdict === 'supported' ? null : (why ?? 'it does not stand there');
  }
  const number = Number(value);
  if (CONSTANTS.has(Math.abs(number))) return null;
  const wanted = readingsOf(value).flat();
  const there = [...valuesIn(read), ...tokensOf(mail).flatMap(({ readings }) => readings)];
  return wanted.some((one) => there.some((other) => isSame(one, other))) ? null : 'nothing that was read has it';
}

/** A loss may be written as an amount that is taken away. */
const isSame = (one: Reading, other: Reading): boolean =>
  isShownAs(one, other) ||
  (one.kind === 'number' && other.kind === 'number' && isShownAs({ ...one, value: -one.value }, other));
