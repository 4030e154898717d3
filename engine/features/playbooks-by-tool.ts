import {
  EngineError,
  type Json,
  type JsonObject,
  type KeptPlaybook,
  type PlaybookProposal,
  type PlaybooksCapability,
} from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import type { Language } from '../languages/language.ts';
import { say, type Under } from '../languages/say.ts';
import { toolInWords } from '../languages/tools.ts';
import { type Ceiling, ceilingOf } from '../learning/ceiling.ts';
import { readPlaybook } from '../learning/read-playbook.ts';
import { emptyPlaybook, emptyVersion } from '../learning/refine/subject.ts';
import { KEPT_MEANWHILE, learningOf } from '../learning/settings.ts';
import { versionsToDrop } from '../learning/versions/named.ts';
import type { Clock } from '../lib/clock.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { canonicalJson } from '../lib/json.ts';
import { MAX_STEPS, type Playbook } from '../record/codec/playbook.ts';
import type { RunReads } from '../record/recorder.ts';
import type { PlaybookVersion } from '../storage/types/learning/playbooks.ts';
import { isOfMail, type StoredRun } from '../storage/types/runs.ts';
import { labelOf } from '../suspensions/labels.ts';
import type { ReadingRun } from '../tools/provenance-of-run.ts';

interface Deps {
  tools(): Pick<Registry<RegisteredTool>, 'get'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

interface User {
  readonly persona: Persona;
  readonly configs: Configs;
  readonly run: Pick<StoredRun, 'tier' | 'kind'>;
  readonly store: RunReads;
  /** Null where it is not the run that asks: an owner has edited the call, or takes it back. */
  readonly reading: ReadingRun | null;
}

/** Playbooks as a tool may add to them: for owners alone, by a mail of theirs, and in no words but theirs. */
export function playbooksOfRun(deps: Deps, user: User, language: () => Promise<Language>): PlaybooksCapability {
  const { persona, configs, store } = user;
  const ceiling = ceilingOf(persona, configs.security.tool_policy, deps.tools());
  return {
    async preview(proposal) {
      const { playbook, parent } = await planned(user, proposal, ceiling);
      return {
        text: playbookInWords(proposal, playbook.meta.version, await language()),
        basis: sha256(canonicalJson([parent?.id ?? null, proposal as unknown as Json])),
      };
    },
    async apply(proposal) {
      const { playbook, parent, isThere } = await planned(user, proposal, ceiling);
      const { kind } = proposal;
      if (isThere && parent) return { kind, version: parent.number, before: parent.number };
      return keep(deps, user, { playbook, parent });
    },
    async takeBack({ kind, before }: KeptPlaybook) {
      const versions = await store.playbookVersions(kind);
      const former = versions.find(({ number }) => number === before);
      if (!former) throw refuse(`version ${before} of ${kind} is gone`);
      const id = await store.pinnedPlaybook(kind);
      const pinned = versions.find((one) => one.id === id);
      // An undo never goes forward.
      if (!pinned || pinned.number >= before) await store.pinPlaybook(kind, former.id, deps.clock.now());
    },
  };
}

const refuse = (message: string) => new EngineError('invalid_arguments', message);

interface Planned {
  readonly playbook: Playbook;
  /** The version that it comes to; null: it is the first of its kind. */
  readonly parent: PlaybookVersion | null;
  /** All of it is in that version already. */
  readonly isThere: boolean;
}

/** Throws what stands in the way, in words for the model. */
async function planned(
  { persona, configs, run, store, reading }: User,
  proposal: PlaybookProposal,
  ceiling: Ceiling,
): Promise<Planned> {
  if (!learningOf(persona, configs.system).enabled) throw refuse('this persona does not learn');
  if (run.tier !== 'owner' || !isOfMail(run)) throw refuse('only an owner may say by a mail how mail is worked on');
  if (reading !== null) onlyOwnersWords(proposal, reading);
  const { kind, words, steps, deny } = proposal;
  const parent = (await store.playbookInForce(kind, 1))?.version ?? null;
  const newest = (await store.playbookVersions(kind)).at(-1)?.number ?? 0;
  const before = parent ? readPlaybook(parent.playbook_json, kind, ceiling) : null;
  if (before && !before.ok)
    throw refuse(`its playbook cannot be added to (${before.detail}); an owner has to look at it`);
  const base = before?.playbook ?? emptyPlaybook(kind);
  const added = {
    ...base,
    advice: base.advice.includes(words) ? base.advice : [base.advice, words].filter(Boolean).join('\n'),
    steps: united(base.steps, steps),
    narrow: { deny: united(base.narrow.deny, deny) },
  };
  if (added.steps.length > MAX_STEPS) throw refuse(`a playbook has ${MAX_STEPS} steps at most`);
  const parts = [...(added.steps.length > 0 ? ['steps'] : []), ...(added.narrow.deny.length > 0 ? ['narrow'] : [])];
  const capabilities = [...new Set([...base.meta.capabilities, 'advice', ...parts])];
  const meta = { kind, capabilities, version: Math.max(newest, 1) + 1 };
  const read = readPlaybook(JSON.stringify({ ...added, meta }), kind, ceiling);
  if (!read.ok) throw refuse(`it is no playbook: ${read.detail}`);
  const isThere = parent !== null && canonicalJson({ ...read.playbook, meta: base.meta }) === canonicalJson(base);
  return { playbook: read.playbook, parent, isThere };
}

function united<Item>(before: readonly Item[], more: readonly JsonObject[]): (Item | JsonObject)[] {
  const known = new Set(before.map((one) => canonicalJson(one as Json)));
  return [...before, ...more.filter((one) => !known.has(canonicalJson(one)))];
}

/** Shorter ones say nothing that could lead anywhere: `.md`, `: `. */
const LEAST_LITERAL = 5;
const LEAST_WORDS = 10;
const TEMPLATE = /\{\{[^{}]{1,200}\}\}/;

/**
 * Every text that a later mail would be worked on by has to stand in what an owner wrote here and now: not in what is
 * quoted, forwarded or read, where it would be somebody else who says how mail is worked on.
 */
function onlyOwnersWords({ words, steps, deny }: PlaybookProposal, { prompt }: ReadingRun): void {
  const said = plain(prompt.shown.flatMap(({ trusted, text }) => (trusted ? [text] : [])).join('\n'));
  const texts = [...steps, ...deny].flatMap(textsOf);
  const foreign = plain(words).length < LEAST_WORDS ? words : [words, ...texts].find((text) => isForeign(text, said));
  if (foreign === undefined) return;
  const shown = JSON.stringify(foreign.trim().slice(0, 100));
  throw refuse(`these are no words of the owner’s mail: ${shown}; use theirs, word for word`);
}

/** Of what stands between templates, too little may be left to be put together to anything. */
const isForeign = (text: string, said: string): boolean => {
  const others = text.split(TEMPLATE).filter((piece) => !isSaid(plain(piece), said));
  return plain(others.join('')).length >= LEAST_LITERAL;
};

/** A template may have nothing in it: by letters out of their words anything can be put together around it. */
function isSaid(piece: string, said: string): boolean {
  if (piece.length >= LEAST_LITERAL) return said.includes(piece);
  for (let at = said.indexOf(piece); at >= 0; at = said.indexOf(piece, at + 1)) {
    const isCutOut = isOneWord(said[at - 1], piece[0]) || isOneWord(piece.at(-1), said[at + piece.length]);
    if (!isCutOut) return true;
    if (piece === '') return false;
  }
  return false;
}

/** Of scripts that leave blanks between words. */
const isOneWord = (one = ' ', other = ' '): boolean => /^[\p{Lu}\p{Ll}\p{N}]{2}$/u.test(one + other);

/** Without the bytes that a quote of a text in JSON has more. */
const plain = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll('\\', '').replaceAll(/\s+/g, ' ').trim();

/** Texts of a step or of a rule, but for the names that are the playbook's own and are checked there. */
function textsOf({ tool: _tool, rule: _rule, when = [], expect = [], ...rest }: JsonObject): string[] {
  const conditions = [when, expect].flatMap((all) => (Array.isArray(all) ? all : [all]));
  return [...conditions.flatMap(textsOfCondition), ...Object.values(rest).flatMap((value) => textsIn(value))];
}

function textsOfCondition(condition: Json): string[] {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) return textsIn(condition);
  const { of: _of, is: _is, ...rest } = condition as JsonObject;
  return textsIn(rest);
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner as Json));
}

async function keep(
  { clock, ids }: Deps,
  { persona, configs, store }: User,
  { playbook, parent }: Pick<Planned, 'playbook' | 'parent'>,
): Promise<KeptPlaybook> {
  const { kind, version: number } = playbook.meta;
  const now = clock.now();
  const versions = await store.playbookVersions(kind);
  const empty = emptyVersion(kind, { id: ids.next(), now });
  if (versions.length === 0 && !(await store.keepPlaybook(empty))) throw lost();
  const former = parent ?? empty;
  const version: PlaybookVersion = {
    id: ids.next(),
    kind,
    number,
    parent_id: former.id,
    playbook_json: JSON.stringify(playbook),
    origin: 'owner',
    tainted: former.tainted,
    score: null,
    created_at: now,
  };
  const { max_versions: most } = learningOf(persona, configs.system);
  const pinned = await store.pinnedPlaybook(kind);
  const drop = versionsToDrop(
    versions.map((one) => ({ version: one, h: null })),
    pinned,
    most,
  );
  if (
    !(await store.keepPlaybook(
      version,
      drop.filter((id) => id !== former.id),
    ))
  )
    throw lost();
  if (pinned !== null) await store.pinPlaybook(kind, version.id, now);
  return { kind, version: number, before: former.number };
}

const lost = () => refuse(KEPT_MEANWHILE);

/** As the owner who is asked reads it: what will be done, by itself, with which mail. */
export function playbookInWords(
  { kind, words: said, steps, deny }: PlaybookProposal,
  version: number,
  language: Language,
): string {
  const when = (one: JsonObject) => {
    const conditions = Array.isArray(one.when) ? one.when : [];
    const read = conditions.map((condition) => conditionInWords(condition as JsonObject, String(one.tool), language));
    return read.length === 0
      ? say(language, 'playbooks.always')
      : say(language, 'playbooks.when', { all: read.join('; ') });
  };
  return [
    say(language, 'playbooks.title', { kind, version }),
    say(language, 'playbooks.says', { said }),
    ...steps.map((one) => say(language, 'playbooks.does', { call: callInWords(one, language), when: when(one) })),
    ...deny.map((one) =>
      say(language, 'playbooks.never', { tool: toolInWords(String(one.tool), language), when: when(one) }),
    ),
    say(language, 'playbooks.byRules'),
  ].join('\n');
}

/** The tool, and each argument by the name that questions show it under. */
function callInWords({ tool, arguments: args }: JsonObject, language: Language): string {
  const named = Object.entries((args ?? {}) as JsonObject).map(
    ([key, value]) => `${argumentInWords(String(tool), key, language)}: ${valueInWords(value, language)}`,
  );
  return [toolInWords(String(tool), language), ...(named.length === 0 ? [] : [named.join('; ')])].join(', ');
}

const argumentInWords = (tool: string, key: string, language: Language): string =>
  labelOf(tool, key, language) ?? key.replaceAll('_', ' ');

/** What is put in from the mail stands in brackets. */
function valueInWords(value: Json, language: Language): string {
  if (Array.isArray(value)) return value.map((one) => valueInWords(one, language)).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, inner]) => `${key.replaceAll('_', ' ')}: ${valueInWords(inner, language)}`)
      .join(', ');
  return String(value ?? '–').replaceAll(
    /\{\{([^{}]{1,200})\}\}/g,
    (_, of: string) => `[${placeInWords(of.trim(), '', language)}]`,
  );
}

const PLACES: Readonly<Record<string, Under<'playbooks.of'>>> = {
  'mail.from': 'from',
  'mail.domain': 'domain',
  'mail.name': 'name',
  'mail.subject': 'subject',
  'mail.text': 'text',
  'mail.tier': 'tier',
  'mail.attachments': 'attachments',
  'thread.subject': 'conversation',
  'thread.mails': 'mails',
};

const LABELLED = /^mail\.(line|word)_after (.{1,80})$/s;

/** What a condition or a template looks at. */
function placeInWords(of: string, tool: string, language: Language): string {
  const known = PLACES[of];
  // Both that have a value of their own are said below.
  if (known !== undefined && known !== 'line' && known !== 'word') return say(language, `playbooks.of.${known}`);
  const [, part, words] = LABELLED.exec(of) ?? [];
  if (words !== undefined) return say(language, `playbooks.of.${part === 'line' ? 'line' : 'word'}`, { words });
  const [, key] = /^arguments\.(\w+)$/.exec(of) ?? [];
  return key === undefined ? say(language, 'playbooks.of.step') : argumentInWords(tool, key, language);
}

function conditionInWords({ of = '', is = '', value = '' }: JsonObject, tool: string, language: Language): string {
  const what = placeInWords(String(of), tool, language);
  if (is === 'present' || is === 'absent') return say(language, `playbooks.is.${is}`, { what });
  const key = is === 'containing' || is === 'not_equal' ? is : 'equal';
  return say(language, `playbooks.is.${key}`, { what, value: valueInWords(value, language) });
}
