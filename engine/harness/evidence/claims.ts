import type { Json } from '#contract';
import { fencedIn } from '../../policy/values/shown.ts';
import type { Declared } from '../../record/declared.ts';
import { factsByFields } from '../../record/result-facts.ts';
import { openedSections, sectionsIn } from './citations.ts';
import { THREAD, UNNAMED_PART } from './enclosed.ts';
import { type Evidence, nameOfSource, textOf } from './evidence.ts';
import { byPlaces, cellCited, cellNames, type MeantCell } from './figures/cells.ts';
import { asFarAsCertain, judgeCited, judgeWorkedOut, standsSomewhere } from './figures/certain.ts';
import { type FigureVerdict, judgeValue } from './figures/figures.ts';
import { CONSTANTS, evaluate, FormulaError } from './figures/formula.ts';
import { isShownAs, readingsOf, standsAmong, standsIn, standsWhole, sureValuesIn, valuesIn } from './figures/match.ts';
import type { ShownResult } from './figures/shown.ts';
import { shownIn } from './figures/tables.ts';
import { type ReadValue, tokensOf } from './figures/tokens.ts';
import { type Limitation, staleSince } from './limitations.ts';
import { type Naming, nameForPeople } from './names.ts';

/**
 * What code makes of a declared claim or figure. `unsupported`: its source is none of this run's, or does not have it.
 * `contradicted`: the cell or the formula that it names gives something else. `drifted`: it stands there, and the source
 * has changed since. `stale`: its data are older than they stay fresh. `overstated`: it rests on a part without saying
 * so, or is surer than its source. `unchecked`: nothing in it could be held against its source, so nothing is said of either.
 */
export type ClaimVerdict =
  | 'supported'
  | 'unchecked'
  | 'unsupported'
  | 'contradicted'
  | 'overstated'
  | 'drifted'
  | 'stale';

export interface JudgedStatement {
  /** Its number in the answer: claims first, then figures. */
  readonly n: number;
  readonly kind: 'claim' | 'figure';
  /** As it was declared, shortened. */
  readonly claim: string;
  readonly verdict: ClaimVerdict;
  /** How sure the model says it is. */
  readonly confidence?: Declared['claims'][number]['confidence'];
  /** Call ids that it rests on. */
  readonly evidence_ids: readonly string[];
  /** What it names that nothing of this run is called. */
  readonly unknown_ids?: readonly string[];
  /** As a person would name them. */
  readonly sources: readonly string[];
  readonly limitations?: readonly string[];
  /** It stands in what the persona wrote before, or in a quotation, which bears nothing out. */
  readonly own?: true;
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
  /** Files that stood whole in what the model was shown; absent in runs of older versions, in which nothing rested on them. */
  readonly enclosed?: readonly Evidence[];
  /** Earlier mails of the thread, as the model was shown them; absent: it was shown none, or the run is of an older version. */
  readonly thread?: Evidence | null;
  /** What the persona said itself before: it bears out nothing, and nobody can say that it is wrong. */
  readonly own?: string;
  /** Names of the mails that results listed, by Message-ID; absent: the model was shown none. */
  readonly mails?: ReadonlyMap<string, string>;
  /** Absent in runs of older versions: what something rests on is called by the last part of its path. */
  readonly naming?: Naming;
}

interface Known extends JudgedAgainst {
  readonly sources: Map<string, Sources>;
  /** The mail that is answered, as something that an answer can rest on. */
  readonly ofMail: Evidence;
  /** Message-IDs by the names that the model was shown for them: `m7`. */
  readonly mails: ReadonlyMap<string, string>;
}

/** By which the mail that is answered is cited. */
const MAIL = 'mail';
const asEvidence = (mail: string): Evidence => ({
  id: MAIL,
  tool: MAIL,
  ok: true,
  code: null,
  risk: 'read',
  result: { text: mail },
  content: mail,
  ref: null,
  source: MAIL,
  observedAt: null,
  facts: factsByFields(null),
});

const MAX_CLAIM = 300;
const short = (text: string): string =>
  text.length > MAX_CLAIM ? `${text.slice(0, MAX_CLAIM - 1).toWellFormed()}…` : text;

/** All that an answer declares, in order. Pure. */
export function judgeDeclared(declared: Declared, given: JudgedAgainst): readonly JudgedStatement[] {
  const mails = new Map([...(given.mails ?? [])].map(([id, name]) => [name, id]));
  const known: Known = { ...given, sources: new Map(), ofMail: asEvidence(given.mail), mails };
  const figures = declared.figures.map((figure, index) =>
    judgeFigure(figure, declared.claims.length + index + 1, known),
  );
  const borneOut = declared.figures.flatMap(({ shown }, index) =>
    ['unsupported', 'contradicted'].includes(figures[index]?.verdict ?? '')
      ? []
      : tokensOf(shown).flatMap(({ readings }) => readings),
  );
  const claims = declared.claims.map((claim, index) => ({
    ...claim,
    evidence: claim.evidence.flatMap((name) => evidenceBehind(name, index, declared, known)),
  }));
  return [...claims.map((claim, index) => judgeClaim(claim, index + 1, known, borneOut)), ...figures];
}

/** By which a claim says that it rests on another statement of the same answer. */
const STATEMENT = /^\s*(?:(?:claim|figure)\s+)?\[(\d{1,3})\]\s*$|^\s*(?:claim|figure)\s+(\d{1,3})\s*$/i;

/** What another statement rests on, where it is meant by its number and nothing of the run is called so; else the name itself. */
function evidenceBehind(name: string, index: number, declared: Declared, known: Known): readonly string[] {
  const [, bracketed, bare] = STATEMENT.exec(name) ?? [];
  const at = Number(bracketed ?? bare ?? 0) - 1;
  const { claims, figures } = declared;
  if (known.enclosed === undefined || at < 0 || at === index || foundBy(name, known).items.length > 0) return [name];
  const behind = claims[at]?.evidence ?? figures[at - claims.length]?.from ?? [];
  const found = behind.filter((other) => !STATEMENT.test(other));
  return found.length > 0 ? found : [name];
}

interface Sources {
  readonly items: readonly Evidence[];
  readonly unknown: readonly string[];
  readonly names: readonly string[];
  /** Of files, where sections are named by their ids: a call may open several files. */
  readonly sections: readonly { readonly id: string; readonly name: string }[];
  readonly by: ReadonlyMap<string, ShownResult>;
  readonly all: ShownResult;
  readonly asOlder?: true;
  /** Nothing but single cells is known of it, so that a part of it is enough. */
  readonly isByCells?: true;
  /** The same by files that were shown whole, where calls have worked something out of them: alone, and beside it. */
  readonly inFiles?: { readonly alone: Sources; readonly beside: Sources };
}

/** Each set of names is looked up once for an answer. */
function sourcesOf(names: readonly string[], known: Known): Sources {
  const key = names.join('\n');
  const sources = known.sources.get(key) ?? lookUp(names, known);
  known.sources.set(key, sources);
  return sources;
}

function lookUp(names: readonly string[], known: Known): Sources {
  const found = names.map((name) => foundBy(name, known));
  const { enclosed = [] } = known;
  const files = found.map(({ named, items }) => filesCalled(named, enclosed, items.length > 0));
  const replaced = (items: (each: NamedEvidence, file: readonly Evidence[]) => readonly Evidence[]) =>
    found.map((each, at) => {
      const file = files[at] ?? [];
      return file.length > 0 ? { ...each, items: items(each, file) } : each;
    });
  const isRead = ({ items }: NamedEvidence) => items.some(({ ok }) => ok);
  const sources = sourcesFrom(
    names,
    replaced((each, file) => (isRead(each) ? each.items : file)),
    known,
  );
  if (!found.some((each, at) => (files[at] ?? []).length > 0 && isRead(each))) return sources;
  const alone = replaced((_each, file) => file);
  const beside = replaced(({ items }, file) => [...items, ...file]);
  return {
    ...sources,
    inFiles: { alone: sourcesFrom(names, alone, known), beside: sourcesFrom(names, beside, known) },
  };
}

/** All of several results, also what has the same name in two of them, such as the results of two calculations. */
function allShownIn(results: readonly Json[]): ShownResult {
  const all = shownIn(results);
  if (results.length < 2) return all;
  const fields = new Map(all.fields);
  for (const [at, result] of results.entries())
    for (const [path, cell] of shownIn([result]).fields)
      if (fields.get(path) !== cell) fields.set(`#${at + 1}.${path}`, cell);
  return { ...all, fields };
}

/**
 * By its id, an archive by the files in it; by its name only where no result is called so, which may be of another file. Of two it is
 * the one that was sent last.
 */
function filesCalled(named: string, enclosed: readonly Evidence[], isKnown: boolean): readonly Evidence[] {
  const name = bareName(named);
  const byId = enclosed.filter(({ id }) => id === name || id.startsWith(`${name}/`));
  if (byId.length > 0 || isKnown) return byId;
  const byName = enclosed.findLast(({ result }) => field(result, 'name') === name);
  return byName ? [byName] : [];
}

function sourcesFrom(names: readonly string[], found: readonly NamedEvidence[], known: Known): Sources {
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
    names: [...new Set([...whole.map((item) => named(item, found, known)), ...sections.map(({ name }) => name)])],
    sections,
    by: new Map(found.map((each) => [each.named, shownIn(resultsOf(each.items.filter(({ ok }) => ok)))])),
    ...(known.enclosed === undefined
      ? { all: shownIn(resultsOf(read)), asOlder: true as const }
      : { all: allShownIn(resultsOf(read)) }),
  };
}

/** As its readers know it, with the row where it was cited by one. */
function named(item: Evidence, found: readonly NamedEvidence[], { naming }: Known): string {
  if (naming === undefined) return nameOfSource(item);
  const by = found.filter(({ items }) => items.includes(item)).map((one) => CITED.exec(one.named.trim())?.[2] ?? null);
  return nameForPeople(item, by.length === 1 ? (by[0] ?? null) : null, naming);
}

/** Why nothing can rest on these; null where something can. */
function unusable({ items, unknown }: Sources, known: Known): string | null {
  if (unknown.length > 0)
    return `nothing of this mail's work is called ${unknown.map((id) => `"${id}"`).join(', ')}${namesToCite(known)}`;
  if (items.length === 0) return `it names no source${namesToCite(known)}`;
  const hidden = items.some(({ ok }) => ok) ? undefined : items.find(({ code }) => code === UNNAMED_PART);
  if (hidden)
    return `what was shown of [attachment ${hidden.source}] is a part whose name cannot be read, and is no source: open the part with read_attachment and cite that`;
  return items.some(({ ok }) => ok) ? null : `${items.map(({ tool }) => tool).join(', ')} failed and brought nothing`;
}

const MAX_NAMES = 12;
const MAX_NAME = 60;

/** By which names this answer may cite; nothing in runs of older versions, whose models were told less. */
function namesToCite({ evidence, enclosed, mails, thread }: Known): string {
  if (enclosed === undefined) return '';
  const results = evidence
    .filter(({ ok }) => ok)
    .map((item) => `${item.cite ?? item.id} (${[item.tool, ...sourceOf(item)].join(' ')})`);
  const files = enclosed
    .filter(({ ok }) => ok)
    .map(({ id, result }) => `${id} (${String(field(result, 'name')).slice(0, MAX_NAME)})`);
  const names = [...results, ...mails.keys(), ...files];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} before them` : '';
  return `; what there is to cite: ${['mail', ...(thread ? [`${THREAD} (its earlier mails)`] : []), ...names.slice(-MAX_NAMES)].join(', ')}${more}`;
}

const sourceOf = ({ source, tool }: Evidence): readonly string[] =>
  source === tool ? [] : [source.slice(0, MAX_NAME)];

function judgeFigure(figure: Declared['figures'][number], n: number, known: Known): JudgedStatement {
  const judged = judgeFigureByOthers(figure, n, known);
  const isMissing = judged.verdict === 'unsupported' && unusable(sourcesOf(figure.from, known), known) === null;
  return isMissing && standsSomewhere(figure.shown, [shownIn([known.own ?? ''])], '') ? asOwn(judged) : judged;
}

const asUnchecked = ({ why: _, detail: __, ...judged }: JudgedStatement): JudgedStatement => ({
  ...judged,
  verdict: 'unchecked',
});

const asOwn = (judged: JudgedStatement): JudgedStatement => ({ ...asUnchecked(judged), own: true });

/** Whether what a claim's own sources do not have stands in what the persona said itself before. */
function standsInOwn(claim: Declared['claims'][number], known: Known, borneOut: readonly ReadValue[]): boolean {
  const sources = sourcesOf(claim.evidence, known);
  if (!known.own || unusable(sources, known) !== null) return false;
  const read = resultsOf(sources.items.filter(({ ok }) => ok));
  return missingIn(claim.text, { ...sources, all: allShownIn([...read, known.own]) }, known, borneOut) === null;
}

function judgeFigureByOthers(figure: Declared['figures'][number], n: number, known: Known): JudgedStatement {
  const sources = sourcesOf(figure.from, known);
  const judged = judgeFigureBy(sources, figure, n, known);
  if (judged.verdict === 'supported' || known.enclosed === undefined) return judged;
  const inThread = figure.cells.length > 0 || figure.formula !== null ? [] : throughThread(figure.from, known);
  const there = inThread.map((names) =>
    judgeFigureBy(sourcesOf(names, known), { ...figure, from: [...names] }, n, known),
  );
  const ofThread = there.find(({ verdict }) => verdict === 'supported');
  if (ofThread) return ofThread;
  const files = figure.from.map((name) => fileBehind(name, known) ?? name);
  const behind = figure.cells.length > 0 || figure.formula !== null ? sourcesOf(files, known) : sources;
  const others = [behind.inFiles?.alone ?? behind, ...inOwnTables(sources)];
  const found = others.map((each) => judgeFigureBy(each, figure, n, known));
  return found.find(({ verdict }) => verdict === 'supported') ?? withCells(judged, figure, sources, known);
}

/** What was sent back because of its cells says which there are. */
function withCells(
  judged: JudgedStatement,
  { cells, formula }: Declared['figures'][number],
  sources: Sources,
  known: Known,
): JudgedStatement {
  const isOfCells = judged.verdict === 'unsupported' && (cells.length > 0 || formula !== null);
  if (!isOfCells || judged.why === undefined || unusable(sources, known) !== null) return judged;
  const workedOut = workedOutOf(formula ?? '', sources);
  if (workedOut !== null) return { ...judged, why: workedOut };
  const named = [...sources.by].flatMap(([name, shown]) => cellNames(shown).map((one) => `${one} of ${name}`));
  return named.length === 0
    ? judged
    : { ...judged, why: `${judged.why}; cells that can be named: ${named.slice(0, MAX_NAMES).join('; ')}` };
}

/** A result that was worked out of these very cells names them, and has none of them to reckon with; null: it names none of the formula's. */
function workedOutOf(formula: string, { by }: Sources): string | null {
  for (const [name, { places }] of by) {
    const place = [...places.keys()].find((address) => /[:,]/.test(address) && formula.includes(address));
    if (place !== undefined)
      return `${name} was worked out of ${place} and does not list these cells; for this formula name a result that lists them`;
  }
  return null;
}

/** The file that was shown whole and of which the results of this name were made: its cells may be meant as well. */
function fileBehind(name: string, known: Known): string | undefined {
  const made = new Set(foundBy(name, known).items.map(({ source }) => source));
  return made.size === 1 ? known.enclosed?.find(({ id }) => made.has(id))?.id : undefined;
}

/** What was worked out of a table, by its cells there: what the result lists has other addresses of its own. */
const inOwnTables = (sources: Sources): readonly Sources[] =>
  sources.all.places.size === 0
    ? []
    : [
        {
          ...sources,
          by: new Map([...sources.by].map(([name, shown]) => [name, byPlaces(shown)])),
          all: byPlaces(sources.all),
          isByCells: true,
        },
      ];

function judgeFigureBy(
  sources: Sources,
  figure: Declared['figures'][number],
  n: number,
  known: Known,
): JudgedStatement {
  const base = {
    n,
    kind: 'figure' as const,
    claim: short(figure.shown),
    ...aboutOf(sources),
    ...rowOf(figure, sources, known),
  };
  const unknown = unusable(sources, known);
  // The mail is no result of a call, and earlier mail has more names than its results: the value may stand there.
  const isOfMail = sources.unknown.length > 0 && sources.unknown.every((name) => MAIL_NAME.test(name));
  if (unknown !== null && isOfMail && standsSomewhere(figure.shown, readBy(known), known.mail))
    return { ...base, verdict: 'unchecked' };
  const wrong = unknown ?? wrongInput(sources.items, () => aroundInputs(known));
  if (wrong) return { ...base, verdict: 'unsupported', why: wrong };
  const cited = judgeByCells(figure, known);
  if (cited !== null) {
    const { stands: atCell = false, ...said } = { stands: undefined, ...cited };
    if (said.verdict !== 'supported') return { ...base, ...said };
    return { ...base, ...limitsOf(sources, known, { isStated: atCell, confidence: null }) };
  }
  const judged: FigureVerdict = judgeValue(figure, sources);
  const { mail } = known;
  const { stands = false, ...value } = {
    stands: judged.stands,
    ...asFarAsCertain(judged, figure, { ...sources, mail }),
  };
  const mayStand = value.verdict === 'unsupported' && figure.from.some((name) => MAIL_NAME.test(name));
  if (mayStand && standsSomewhere(figure.shown, readBy(known), mail)) return { ...base, verdict: 'unchecked' };
  if (value.verdict !== 'supported') return { ...base, ...value };
  const isStated = stands || sources.isByCells === true;
  return { ...base, ...limitsOf(sources, known, { isStated, confidence: null }) };
}

/** Its one source with the row of the one cell that it names. */
function rowOf({ cells }: Pick<Declared['figures'][number], 'cells'>, { items }: Sources, { naming }: Known) {
  const [cell, ...others] = cells;
  if (naming === undefined || cell === undefined || others.length > 0) return {};
  const address = CITED.exec(cell.trim())?.[2] ?? cell.replace(/^.*!/, '');
  const sources = [...new Set(items.map((item) => nameForPeople(item, address, naming)))];
  return sources.length === 1 ? { sources } : {};
}

/** `t3.r12.c4`, `m7`, `mail!C4`: what is cited, and where in it. */
const CITED = /^\[?(t\d{1,3}|m\d{1,3}|mail)\]?(?:[.!](.{1,220}))?$/i;

/** The cell at an address of a result that is cited by its name; null where it is no such address, or not of one cell. */
function citedCell(written: string, known: Known): MeantCell | null {
  const [, name = '', address] = CITED.exec(written.trim()) ?? [];
  const [item, ...others] = address === undefined ? [] : citedItems(name, known);
  if (address === undefined || !item?.ok || others.length > 0) return null;
  return cellCited(address, item.result, sourcesOf([name], known).all);
}

function citedItems(name: string, { evidence, ofMail, mails }: Known): readonly Evidence[] {
  const cite = name.toLowerCase();
  // What was worked out of the tables of the mail is called by it, too, and has other cells.
  if (cite === MAIL) {
    const isOfMail = ({ ok, source, result }: Evidence) => ok && (source === MAIL || field(result, 'source') === MAIL);
    return [ofMail, ...evidence.filter(isOfMail)];
  }
  const id = mails.get(cite);
  return id === undefined ? evidence.filter((item) => item.cite === cite) : listedAs(id, evidence);
}

/** What results have of one mail. */
const listedAs = (id: string, evidence: readonly Evidence[]): readonly Evidence[] =>
  evidence.flatMap((item) => {
    const result = item.ok ? entryOf(item.result, id) : null;
    return result === null ? [] : [{ ...item, result }];
  });

/** What a result has of one mail: all of it where it is that mail's, else the entry that lists it. */
function entryOf(result: Json, id: string): Json | null {
  if (field(result, 'message_id') === id) return result;
  const lists = Object.values(Object(result)).filter((value) => Array.isArray(value)) as Json[][];
  return lists.flat().find((entry) => field(entry, 'message_id') === id) ?? null;
}

/**
 * A figure whose cells are all cited by the names of results: there is no doubt which are meant. Null where it names its source in
 * another way.
 */
function judgeByCells(
  { shown, from, cells, formula }: Declared['figures'][number],
  known: Known,
): FigureVerdict | null {
  const [only, ...others] = from;
  const isPlain = only !== undefined && others.length === 0 && /^\[?(?:[tm]\d{1,3}|mail)\]?$/i.test(only.trim());
  const named = cells.length > 0 ? cells : from.filter((one) => /[.!]/.test(one));
  const inFull = (address: string) => (CITED.test(address.trim()) || !isPlain ? address : `${only}.${address}`);
  if (formula !== null) {
    const addresses = [...new Set(formula.match(/\b(?:[tm]\d{1,3}|mail)[.!](?:r\d{1,6}[./])?[\p{L}\p{N}_]+/giu))];
    const found = new Map(
      addresses.flatMap((address) => {
        const meant = citedCell(address, known);
        return meant === null ? [] : [[address, meant] as const];
      }),
    );
    return addresses.length === 0 || found.size < addresses.length ? null : judgeWorkedOut(shown, formula, found);
  }
  const [address] = named;
  const cited = named.length === 1 && address !== undefined ? citedCell(inFull(address), known) : null;
  return cited && judgeCited(shown, cited, (address ?? '').slice(0, 120));
}

/** As tools name the mail that is answered, or a Message-ID. */
const MAIL_NAME = /^\s*(?:(?:the |this )?mail|<[^<>\s]{1,998}>)\s*$/i;

/** All that the run has read, its mail too. */
const readBy = ({ evidence, enclosed = [], mail }: Known): readonly ShownResult[] => [
  shownIn(resultsOf([...evidence.filter(({ ok }) => ok), ...enclosed])),
  shownIn([mail]),
];

const aroundInputs = (known: Known) => ({
  sourceNamed(name: string) {
    const found = sourcesOf([name], known);
    return unusable(found, known) === null ? [found, ...(found.inFiles ? [found.inFiles.alone] : [])] : [];
  },
  names: namesToCite(known),
  read: shownIn(
    resultsOf([
      ...known.evidence.filter((item) => item.ok && !isCalculation(item)),
      // Tables in the mail have cells, too.
      ...(known.enclosed ? [...known.enclosed, known.ofMail] : []),
    ]),
  ),
  mail: known.mail,
});

function judgeClaim(
  claim: Declared['claims'][number],
  n: number,
  known: Known,
  borneOut: readonly ReadValue[],
): JudgedStatement {
  const judged = judgeClaimAsNamed(claim, n, known, borneOut);
  if (isSaidWithItsLimits(claim)) return asUnchecked(judged);
  if (judged.verdict === 'supported') {
    const evidence = withoutEmptyMail(claim, known);
    const better =
      evidence === null ? judged : judgeClaimAsNamed({ ...claim, evidence: [...evidence] }, n, known, borneOut);
    return better.verdict === 'supported' ? better : judged;
  }
  const others = throughThread(claim.evidence, known).map((evidence) =>
    judgeClaimAsNamed({ ...claim, evidence: [...evidence] }, n, known, borneOut),
  );
  const found = others.find(({ verdict }) => verdict === 'supported') ?? judged;
  return found.verdict === 'unsupported' && standsInOwn(claim, known, borneOut) ? asOwn(found) : found;
}

/** A point that an answer has to make and that rests on nothing, such as what is to be done next: it says so itself. */
const isSaidWithItsLimits = ({ point, evidence, limitations }: Declared['claims'][number]): boolean =>
  point !== null && evidence.length === 0 && limitations.length > 0;

/**
 * What a claim rests on beside the mail, where the mail has nothing of it: with the earlier mails of the thread in its place, where
 * these have. The mail of the asker is printed as the source of nothing that it does not say. Null: it is named for what it says.
 */
function withoutEmptyMail(claim: Declared['claims'][number], known: Known): readonly string[] | null {
  const { text, evidence } = claim;
  const isMail = (name: string) => MAIL_NAME.test(name) && !name.includes('<');
  const others = evidence.filter((name) => !isMail(name));
  if (known.enclosed === undefined || others.length === 0 || others.length === evidence.length) return null;
  const said = tokensOf(text.replace(/\[\d{1,3}\]/g, ' ')).flatMap(({ readings }) => readings);
  const hasSome = ({ result }: Evidence) => {
    const shown = shownIn([result]);
    const values = valuesIn(shown);
    const isThere = said.some((one) => values.some((other) => isShownAs(one, other)));
    return isThere || quotationsIn(text).some((one) => standsIn(one, shown.whole));
  };
  if (known.evidence.some(({ source }) => source === MAIL) || hasSome(known.ofMail)) return null;
  return known.thread && hasSome(known.thread) ? [...others, THREAD] : others;
}

/** The same names where the mail that they name may be an earlier one of its thread: that one alone, and both. */
function throughThread(names: readonly string[], { thread }: Known): readonly (readonly string[])[] {
  const isMail = (name: string) => MAIL_NAME.test(name) && !name.includes('<');
  if (!thread || !names.some(isMail)) return [];
  return [names.map((name) => (isMail(name) ? THREAD : name)), [...names, THREAD]];
}

function judgeClaimAsNamed(
  claim: Declared['claims'][number],
  n: number,
  known: Known,
  borneOut: readonly ReadValue[],
): JudgedStatement {
  const { inFiles, ...sources } = sourcesOf(claim.evidence, known);
  const judged = judgeClaimBy(sources, claim, n, known, borneOut);
  if (judged.verdict === 'supported' || inFiles === undefined) return judged;
  const others = [inFiles.alone, inFiles.beside].map((each) => judgeClaimBy(each, claim, n, known, borneOut));
  return others.find(({ verdict }) => verdict === 'supported') ?? judged;
}

function judgeClaimBy(
  sources: Sources,
  claim: Declared['claims'][number],
  n: number,
  known: Known,
  borneOut: readonly ReadValue[],
): JudgedStatement {
  const limitations = claim.limitations.length > 0 ? { limitations: claim.limitations.map(short).slice(0, 5) } : {};
  const sure = claim.confidence ? { confidence: claim.confidence } : {};
  const base = { n, kind: 'claim' as const, claim: short(claim.text), ...sure, ...aboutOf(sources), ...limitations };
  const cited = unusable(sources, known) === null ? judgeByCell(claim, known) : null;
  if (cited !== null && cited.verdict !== 'supported') return { ...base, ...cited };
  const missing = missingIn(claim.text, sources, known, borneOut);
  const isMissing = missing !== null && !isBorneOutBeside(claim.text, sources, known, borneOut);
  const wrong = unusable(sources, known) ?? (isMissing ? missing : null);
  if (wrong) return { ...base, verdict: 'unsupported', why: wrong };
  const limits = limitsOf(sources, known, {
    isStated: claim.limitations.length > 0,
    confidence: claim.confidence ?? null,
  });
  const isBorneOut = sources.asOlder
    ? isComparable(claim.text)
    : isSurelyBorneOut(claim.text, sources, known, { borneOut, isMissing });
  if (limits.verdict === 'supported' && !isBorneOut) return { ...base, verdict: 'unchecked' };
  return { ...base, ...limits };
}

function isSurelyBorneOut(
  text: string,
  sources: Sources,
  known: Known,
  { borneOut, isMissing }: { readonly borneOut: readonly ReadValue[]; readonly isMissing: boolean },
): boolean {
  const isCompared = isComparable(text) ? isQuotedWhole(text, sources, known) : standsWordForWord(text, sources);
  const isSure =
    missingIn(text, sources, known, borneOut, 'sure') === null ||
    (!isMissing && isBorneOutBeside(text, sources, known, borneOut, 'sure'));
  return isCompared && isSure;
}

/** A claim with one value that cites one cell; null for any other. */
function judgeByCell({ text, evidence }: Declared['claims'][number], known: Known) {
  const [name, ...others] = evidence;
  const cited = name === undefined || others.length > 0 ? null : citedCell(name, known);
  if (cited === null || [...text.matchAll(QUOTED)].length > 0) return null;
  const said = text.replace(/\[\d{1,3}\]/g, ' ').normalize('NFKC');
  const [token, ...more] = tokensOf(said);
  if (!token || more.length > 0) return null;
  const { stands: _, ...judged } = {
    stands: undefined,
    ...judgeCited(said.slice(token.start, token.end), cited, name ?? ''),
  };
  return judged;
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

/** Shorter words stand in a text by chance. */
const MIN_WORDS = 12;

/** A claim without a value or a quotation that is a sentence of its source as it is. */
const standsWordForWord = (text: string, sources: Sources): boolean => {
  const said = text.replace(/\[\d{1,3}\]/g, ' ').trim();
  return said.length >= MIN_WORDS && standsWhole(said, sources.all.pieces);
};

const quotationsIn = (text: string): readonly string[] =>
  [...text.replace(/\[\d{1,3}\]/g, ' ').matchAll(QUOTED)].map(([, curly, straight]) => curly ?? straight ?? '');

/** Whether each quotation of a claim is a whole sentence or cell of its source or of the mail: "paid" is none of "not paid". */
const isQuotedWhole = (text: string, sources: Sources, { mail }: Known): boolean => {
  const inMail = [mail];
  return quotationsIn(text).every((one) => standsWhole(one, sources.all.pieces) || standsWhole(one, inMail));
};

/** What bears out nothing, and is remarked upon as little: `all` asks whether a value may be there, `sure` whether it is. */
type Strictness = 'all' | 'sure';

/**
 * A quotation or a value of the claim that its sources do not have; null where they have all of it, as far as that can be said
 * (`all`), or without a doubt (`sure`).
 */
function missingIn(
  text: string,
  sources: Sources,
  known: Known,
  borneOut: readonly ReadValue[],
  strictness: Strictness = 'all',
): string | null {
  const { mail, enclosed } = known;
  const isStrict = strictness === 'sure';
  const said = text.replace(/\[\d{1,3}\]/g, ' ');
  for (const quotation of quotationsIn(text)) {
    if (!standsIn(quotation, sources.all.whole) && !standsIn(quotation, mail))
      return `"${quotation}" does not stand in its evidence`;
  }
  // The name of a month is a word like any other, also where it is written with a digit.
  const tokens = tokensOf(said).filter(
    ({ readings }) => !readings.every((one) => one.kind === 'date' && one.year === null && one.day === null),
  );
  if (tokens.length === 0) return null;
  const there = [
    ...(isStrict ? sureValuesIn(sources.all) : valuesIn(sources.all)),
    ...rowCounts(sources.all),
    ...borneOut,
  ];
  const inMail = tokensOf(mail)
    .flatMap(({ readings, sure = readings }) => (isStrict ? sure : readings))
    .filter(({ kind }) => kind !== 'number');
  const written = said.normalize('NFKC');
  const days = enclosed === undefined ? [] : daysIn(said, [...there, ...inMail]);
  const ordinals = enclosed === undefined ? [] : ordinalsIn(said, sources.all.whole, isStrict);
  const isAmong = (places: readonly Place[]) => (start: number, end: number) =>
    places.some(([from, to]) => start >= from && end <= to);
  const [isDay, isPassed, isOrdinal] = [
    isAmong(days),
    isAmong(ordinals.filter(({ isBorneOut }) => isBorneOut).map(({ place }) => place)),
    isAmong(ordinals.map(({ place }) => place)),
  ];
  const missing = tokens.find(({ start, end, readings, sure }) => {
    // What shares its month with another day is one.
    if (sure === undefined && (isDay(start, end) || isPassed(start, end))) return false;
    if (sure === undefined && isStrict && isOrdinal(start, end)) return true;
    return !(isStrict ? (sure ?? readings) : readings).some(
      (one) =>
        there.some((other) => isShownAs(one, other)) ||
        inMail.some((other) => isShownAs(one, other)) ||
        isYear(one, [...there, ...inMail]),
    );
  });
  return missing
    ? `the value at "${written.slice(missing.start, missing.end).trim()}" does not stand in its evidence${namesToCite(known)}`
    : null;
}

/**
 * Whether what the claim's own evidence does not have stands in what its calls were asked ("until 6/12" of a question with that
 * date), in the words of the mail that asks, is the result of a part of a calculation that it names, or stands in the file that its
 * calls were made of and that was shown whole. Something of it has to stand in the evidence itself.
 */
function isBorneOutBeside(
  text: string,
  sources: Sources,
  known: Known,
  borneOut: readonly ReadValue[],
  strictness: Strictness = 'all',
): boolean {
  if (known.enclosed === undefined) return false;
  const read = sources.items.filter(({ ok }) => ok);
  const asked = read.flatMap(({ risk, args }) => (risk === 'read' && args !== undefined ? [leavesOf(args)] : []));
  const behind = known.enclosed.filter(({ id }) => read.some(({ source }) => source === id));
  const beside = [...asked, ...partsOf(read, known.evidence), ...behind.map(({ result }) => result)];
  const isStrict = strictness === 'sure';
  const there = isStrict ? sureValuesIn(sources.all) : valuesIn(sources.all);
  const tokens = tokensOf(text.replace(/\[\d{1,3}\]/g, ' ')).map(({ readings, sure = readings }) => ({
    readings: isStrict ? sure : readings,
  }));
  const isIn = (readings: readonly ReadValue[], values: readonly ReadValue[]) =>
    readings.some((one) => values.some((other) => isShownAs(one, other)));
  const isWith = (more: readonly Json[]) =>
    missingIn(text, { ...sources, all: allShownIn([...resultsOf(read), ...more]) }, known, borneOut, strictness) ===
    null;
  if (beside.length > 0 && tokens.some(({ readings }) => isIn(readings, there)) && isWith(beside)) return true;
  // "Who has more than 40 000?" Of such a claim something has to be the evidence's own, and not the mail's as well.
  const words = fencedIn(known.mail, 'new_text').inside;
  const saidInMail = valuesIn(shownIn([words]));
  const isOwn = tokens.some(({ readings }) => isIn(readings, there) && !isIn(readings, saidInMail));
  return isOwn && isWith([...beside, words]);
}

/** Single values alone: how many conditions a question has is no count of anything. */
const leavesOf = (args: Json): Json =>
  Object.fromEntries(
    textOf(args)
      .split('\n')
      .map((leaf, at) => [at, leaf]),
  );

/** Results of calculations that were made of nothing but what went into one of these. */
function partsOf(items: readonly Evidence[], evidence: readonly Evidence[]): readonly Json[] {
  const whole = items.map((item) => new Set(inputsOf(item).map(({ value }) => String(value))));
  const inside = items.flatMap((item) => (isCalculation(item) ? groupsIn(field(item.result, 'expression')) : []));
  const results = evidence.flatMap((item) => {
    const inputs = inputsOf(item).map(({ value }) => String(value));
    const isPart = inputs.length > 0 && whole.some((values) => inputs.every((value) => values.has(value)));
    return isPart ? [{ result: field(item.result, 'result') as Json }] : [];
  });
  return [...results, ...inside.map((result) => ({ result }))];
}

const MAX_GROUPS = 20;

/** What stands in brackets in a calculation of numbers, worked out: the 5 of "(25 - 20) * 5.60". */
function groupsIn(expression: unknown): readonly number[] {
  if (typeof expression !== 'string') return [];
  const open: number[] = [];
  const groups: string[] = [];
  for (const [at, sign] of [...expression].entries()) {
    if (sign === '(') open.push(at + 1);
    const from = sign === ')' ? open.pop() : undefined;
    if (from !== undefined) groups.push([...expression].slice(from, at).join(''));
  }
  return groups.slice(0, MAX_GROUPS).flatMap((group) => workedOut(group) ?? []);
}

function workedOut(formula: string): number | null {
  try {
    return evaluate(formula, { source: shownIn([]), listed: [], addresses: [], sign: '.', stands: () => true });
  } catch (cause) {
    if (!(cause instanceof FormulaError)) throw cause;
    return null;
  }
}

/** "6/12" and "12/6" are numbers to whoever reads one text alone; here they may be a day of which the evidence has the date. */
const DAY_AND_MONTH = /(?<![\d/.,])(\d{1,2})\/(\d{1,2})(?![\d/])/g;

/** From and to, in characters of a text. */
type Place = readonly [number, number];

/** "am 28. waren es 16", "the 28th", "28日": a day whose month its sentence does not say, or says later; or "the 3rd item". */
const ORDINAL =
  /(?<![\d/.,:-])(\d{1,2})(?:\.(?=[,;)]| (?:\p{Ll}|\d))|(?:st|nd|rd|th|er|\uE000)(?![\p{L}\d])|日(?![间間]))/gu;
/** "3.º" and "3ª" in one spelling would be letters like any others: here they keep a sign of their own, in the same place. */
const withOrdinals = (text: string): string => text.replace(/[ºª]/g, '\uE000').normalize('NFKC');
/** "2. Angebot", which begins as a sentence would behind a number. */
const MAY_BE_ORDINAL = /(?<![\d/.,:-])(\d{1,2})\.(?= \p{Lu})/gu;
/** Behind an ordinal on the way to a day with its month in the same writing: it is a day, too. */
const DATED_BEHIND = /^[,;)].{0,200}?(?<!\d)\d{1,2}\. ?\p{L}{3}/u;

/** Where in the text days stand that are among these dates. */
function daysIn(text: string, there: readonly ReadValue[]): readonly Place[] {
  const isDay = (day: number, month: number | null) =>
    there.some((one) => one.kind === 'date' && one.day === day && (month === null || one.month === month));
  const named = [...text.normalize('NFKC').matchAll(DAY_AND_MONTH)].flatMap(
    ({ index, 0: whole, 1: first, 2: second }) =>
      isDay(Number(first), Number(second)) || isDay(Number(second), Number(first))
        ? [[index, index + whole.length] as const]
        : [],
  );
  const alone = [...withOrdinals(text).matchAll(ORDINAL)].flatMap(({ index, 0: whole, 1: day }) =>
    isDay(Number(day), null) ? [[index, index + whole.length] as const] : [],
  );
  return [...named, ...alone];
}

/**
 * Ordinals, which may be days and places in a list: nobody can tell which. No number bears one out, and none is called wrong. It is
 * borne out with the word behind it ("3rd pump"), where the source has both.
 */
function ordinalsIn(
  text: string,
  source: string,
  isStrict: boolean,
): readonly { readonly place: Place; readonly isBorneOut: boolean }[] {
  const written = withOrdinals(text);
  const found = [...written.matchAll(ORDINAL), ...(isStrict ? [] : written.matchAll(MAY_BE_ORDINAL))];
  return found.map(({ index, 0: whole }) => {
    const behind = written.slice(index + whole.length);
    const [word = ''] = /^ ?\p{L}+/u.exec(behind) ?? [];
    const named = text.normalize('NFKC').slice(index, index + whole.length + word.length);
    const isNamed = word !== '' && standsIn(named, source);
    return {
      place: [index, index + whole.length],
      isBorneOut: isNamed || (!isStrict && !DATED_BEHIND.test(behind)),
    };
  });
}

const rowCounts = ({ tables }: ShownResult): readonly ReadValue[] =>
  tables.map((table) => ({ kind: 'number', value: table.length - 1, step: 1, unit: null, by: null }));

const isYear = (one: ReadValue, there: readonly ReadValue[]): boolean =>
  one.kind === 'number' &&
  one.unit === null &&
  there.some((other) => other.kind === 'date' && other.year === one.value);

const RANKS = ['low', 'medium', 'high'] as const;

function limitsOf(
  { items, sections }: Sources,
  { limitations, drifted, now }: Known,
  stated: { readonly isStated: boolean; readonly confidence: (typeof RANKS)[number] | null },
): Pick<JudgedStatement, 'verdict' | 'detail' | 'why'> {
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
function foundBy(named: string, known: Known): NamedEvidence {
  const { evidence, drifted } = known;
  const [, cite, address] = CITED.exec(named.trim()) ?? [];
  const ofMail = MAIL_NAME.test(named) && !named.includes('<') ? MAIL : undefined;
  // A file may be called mail.csv.
  const isFile = address !== undefined && evidence.some((item) => nameOfSource(item) === named.trim());
  const cited = isFile ? [] : cite || ofMail ? citedItems(cite ?? MAIL, known) : listedAs(named.trim(), evidence);
  if (cited.length > 0) return { named, items: cited };
  const name = bareName(named);
  if (known.thread && name.toLowerCase() === THREAD) return { named, items: [known.thread] };
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

const bareName = (named: string): string =>
  named
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/^(?:attachment|call|ref|source)[: ]\s*/i, '')
    .trim();

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
  /** The source of that name, each way in which it may be meant; none where nothing of the run is called so. */
  sourceNamed(name: string): readonly { readonly by: ReadonlyMap<string, ShownResult>; readonly all: ShownResult }[];
  /** By which names there is something to cite. */
  readonly names: string;
  /** All that was read, without results of calculations. */
  readonly read: ShownResult;
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

function wrongWith({ value, from }: Input, { sourceNamed, names, read, mail }: Around): string | null {
  if (from !== null) {
    const [name = '', cell] = from.split(/!(?=[^!]*$)/);
    const sources = sourceNamed(name.trim());
    const cells = cell === undefined ? [] : [cell];
    const judged = sources.map((each) =>
      judgeValue({ shown: String(value), from: [name], cells, formula: null }, each),
    );
    const [first] = judged;
    if (first === undefined) return `nothing of this mail's work is called "${name.slice(0, 100)}"${names}`;
    return judged.some(({ verdict }) => verdict === 'supported') ? null : (first.why ?? 'it does not stand there');
  }
  const number = Number(value);
  if (CONSTANTS.has(Math.abs(number))) return null;
  const wanted = readingsOf(value).flat();
  const there = [...valuesIn(read), ...tokensOf(mail).flatMap(({ readings }) => readings)];
  const isThere = wanted.some((one) => there.some((other) => isSame(one, other))) || standsAmong(number, there);
  return isThere ? null : 'nothing that was read has it';
}

/** A loss may be written as an amount that is taken away. */
const isSame = (one: ReadValue, other: ReadValue): boolean =>
  isShownAs(one, other) ||
  (one.kind === 'number' && other.kind === 'number' && isShownAs({ ...one, value: -one.value }, other));
