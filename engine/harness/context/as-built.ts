import { isDeepStrictEqual } from 'node:util';
import type { ContentPart, ModelMessage, ToolSpec } from '#contract';
import type { Configs, Persona } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { Prompt } from '../../policy/prompt.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import { type OnceText, onceAsBuilt } from '../../policy/values/once.ts';
import { NO_RECORD } from '../../policy/values/quoted.ts';
import { type ShownPiece, shownOfMail, shownOfSubject } from '../../policy/values/shown.ts';
import { askerOf, hasReaders, viewerOf } from '../../policy/viewer.ts';
import { readMessages } from '../../record/codec/run-events.ts';
import { LATER, NOTES, type Origin } from '../../record/origins.ts';
import type { RunLog } from '../../record/run-log.ts';
import { type PinnedSettings, readSettings, type StoredSettings, type Target } from '../../record/settings.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredAttachment } from '../../storage/types/mail.ts';
import type { AnswerVoice } from '../respond/texts.ts';
import { type History, loadHistory } from './history.ts';
import type { GatherPart, Placed, RecordedRun } from './parts.ts';
import { isFirstOfThread } from './parts.ts';
import type { Context } from './pipeline.ts';

const MAX_IMAGE_BYTES = 4 * 1024 * 1024;

interface AsBuilt {
  readonly loaded: LoadedRun;
  readonly log: RunLog;
  readonly store: RecordedRun['store'] & Pick<Store, 'threadPage' | 'shownTexts'>;
  /** Those that the prompt was put together by. */
  readonly parts: readonly GatherPart[];
  readonly artifacts: Blobs;
  /** Absent in a replay, which judges by what is on record. */
  readonly persona?: AnswerVoice;
}

/**
 * The prompt of a run, to the byte as it was put together when the run began: after a restart, days later when an
 * owner has answered, and for whoever replays the run. What has come into the thread since is not in it.
 */
export async function promptAsBuilt(source: AsBuilt): Promise<Prompt> {
  const { loaded, log } = source;
  const built = log.last('context_built')?.data;
  const rendered = readMessages(built?.rendered ?? loaded.message.rendered_json ?? '[]');
  const userBlock = rendered[0] ?? {
    role: 'user' as const,
    content: [{ type: 'text' as const, text: loaded.message.new_text }],
  };
  const history = await readHistory({
    ...source,
    voice: source.persona,
    loaded: { ...loaded, run: { ...loaded.run, readers: built?.also_read ?? [] } },
    budgetTokens: Number.MAX_SAFE_INTEGER,
    messageCount: 0,
    from: built?.history_from ?? loaded.thread.history_from,
    until: built?.history_until,
  });
  const record = { loaded, log, store: source.store, built };
  const placed = await Promise.all(source.parts.map((part) => part.again?.(record)));
  return {
    history: history.messages,
    ...(await promptOf(source, {
      history,
      block: userBlock,
      parts: built?.parts ?? [],
      pictures: picturesAsBuilt(loaded, built),
      named: built?.picture_ids !== undefined,
      once: await onceAsBuilt(source.store, loaded, built),
      placed: placed.filter((one) => one != null),
      brief: built?.brief ?? null,
    })),
  };
}

/**
 * The block of the mail with what stands beside it in this run alone. That is behind it, so that the next request of the
 * thread begins as this one did up to the end of the mail; the facts about the mail come last.
 */
export async function promptOf(
  source: Pick<AsBuilt, 'loaded' | 'artifacts' | 'parts'>,
  from: {
    readonly history: History | undefined;
    readonly block: ModelMessage;
    readonly parts: Context['parts'];
    readonly pictures: readonly StoredAttachment[];
    /** False for a record of before pictures had names; the bytes of a request are those of then. */
    readonly named?: boolean;
    /** What parts put beside the mail, in their order. */
    readonly placed: readonly Placed[];
    readonly once: readonly OnceText[];
    /** Null for a run of before, in which all of it stood before the mail. */
    readonly brief: string | null;
  },
): Promise<Pick<Prompt, 'userBlock' | 'inputText' | 'shown'>> {
  const { block, pictures, once, brief } = from;
  const { loaded } = source;
  // None of it is in the stored block, which later runs of the thread are shown: by then it may be otherwise, or forgotten.
  const placed = block.role === 'user' ? from.placed : [];
  const [beside, beyond] = [placed.filter(({ at }) => at === 'next'), placed.filter(({ at }) => at === 'beyond')];
  const texts = [
    ...beside.map(({ text }) => text),
    ...once.flatMap(({ text }) => (text === '' ? [] : [`${text}\n\n`])),
  ];
  const told = beyond.map(({ text }) => text);
  const whole =
    brief === null
      ? around(block, { before: [...told.toReversed(), ...texts] })
      : around(block, { behind: [...texts, ...told, brief].map(apart) });
  return {
    userBlock: await withPictures(source, whole, { pictures, isNamed: from.named ?? true }),
    inputText: loaded.message.new_text,
    shown: shownBeside(source, from),
  };
}

/** What all of it is made of, piece by piece. */
export function shownBeside(
  source: Pick<AsBuilt, 'loaded' | 'parts'>,
  from: Pick<Parameters<typeof promptOf>[1], 'history' | 'block' | 'parts' | 'placed' | 'once' | 'brief'>,
): ShownPiece[] {
  const { history, block, parts, once, brief } = from;
  const { loaded } = source;
  const placed = block.role === 'user' ? from.placed : [];
  const [beside, beyond] = [placed.filter(({ at }) => at === 'next'), placed.filter(({ at }) => at === 'beyond')];
  return [
    ...shownTo({ loaded }, history, brief === null ? block : around(block, { behind: [brief] }), parts),
    ...shownOfFurther(loaded, history?.shown ?? []),
    ...beside.flatMap(({ shown }) => shown),
    ...shownOnce(once, source.parts),
    ...beyond.flatMap(({ shown }) => shown),
  ];
}

/** Nobody's order: a model wrote it, or it was kept for another occasion. */
function shownOnce(texts: readonly OnceText[], parts: readonly GatherPart[]): readonly ShownPiece[] {
  const origins: Readonly<Record<string, Origin>> = Object.assign({}, ...parts.map(({ origins = {} }) => origins));
  return texts.map(({ resolver, text, foreign }) => ({
    origin: origins[resolver] ?? NOTES,
    text,
    trusted: false,
    foreign,
    own: true,
  }));
}

/** Some servers put the parts of a message together without anything between them. */
const apart = (text: string): string => (text.trim() === '' ? '' : `\n${text.trimEnd()}`);

function around(
  block: ModelMessage,
  { before = [], behind = [] }: { readonly before?: readonly string[]; readonly behind?: readonly string[] },
): ModelMessage {
  if (block.role !== 'user') return block;
  const [first, last] = [before, behind].map((texts) =>
    texts.flatMap((text) => (text === '' ? [] : [{ type: 'text' as const, text }])),
  );
  return { ...block, content: [...(first ?? []), ...block.content, ...(last ?? [])] };
}

/** What the prompt is made of, oldest first. */
function shownTo(
  { loaded }: Pick<AsBuilt, 'loaded'>,
  history: History | undefined,
  block: ModelMessage,
  parts: Context['parts'],
): ShownPiece[] {
  const content = block.role === 'user' ? block.content : [];
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const earlier = history?.shown ?? [];
  return [...earlier, ...shownOfMail(loaded, askerOf(loaded.run), text, parts, earlier, history?.record)];
}

/** The same of later mails that are answered with it: a value that stands in one of them has that one for its origin. */
function shownOfFurther(
  { message: first, further = [], run, trigger }: LoadedRun,
  before: readonly ShownPiece[],
): ShownPiece[] {
  const asker = askerOf(run);
  const earlier = [...before, shownOfSubject(first, asker)];
  return further.flatMap(({ message, attachments }) =>
    shownOfMail({ message, attachments, trigger }, asker, '', [], earlier).map((piece) => ({
      ...piece,
      // A place within the one is a place within the other.
      origin: (piece.origin.includes(ANSWERED)
        ? piece.origin.replace(ANSWERED, LATER)
        : `${piece.origin}, of ${LATER}`) as Origin,
    })),
  );
}

const ANSWERED = 'the mail that is answered';

/** What the run was pinned to when it began, and the frame of its mail. */
export async function settingsAsBuilt(
  { log, artifacts }: Pick<AsBuilt, 'log' | 'artifacts'>,
  pinned: string,
): Promise<PinnedSettings> {
  const stored = readSettings(await artifacts.get(pinned));
  const frame = log.last('context_built')?.data.frame;
  return { ...stored, ...(frame ? { frame } : {}) };
}

/** What a server said of its tool when the run began may be what no owner has seen: it has to say the same today. Pure. */
export function stillThere(
  stored: readonly ToolSpec[],
  { surface, offered }: { readonly surface: readonly ToolSpec[]; readonly offered: readonly ToolFacts[] },
): readonly ToolSpec[] {
  const today = new Map(surface.map((tool) => [tool.name, tool]));
  const foreign = new Set(offered.flatMap((tool) => (tool.foreign === undefined ? [] : [tool.name])));
  return stored.filter((tool) => {
    const now = today.get(tool.name);
    return now !== undefined && (!foreign.has(tool.name) || canonicalJson(now) === canonicalJson(tool));
  });
}

export function readHistory(options: {
  loaded: LoadedRun;
  store: Pick<Store, 'threadPage'>;
  budgetTokens: number;
  /** Of the thread, as far as its reader may see it. */
  messageCount: number;
  from: number;
  until?: number | undefined;
  voice?: AnswerVoice | undefined;
}): Promise<History> {
  const { loaded, store, budgetTokens, messageCount, from, until, voice } = options;
  const { thread, message, run } = loaded;
  if (isFirstOfThread(loaded)) {
    return Promise.resolve({ messages: [], from, until: message.seq, omitted: 0, shown: [], record: NO_RECORD });
  }
  const viewer = viewerOf(run);
  return loadHistory({
    page: (beforeSeq, limit) => store.threadPage(thread.id, beforeSeq, limit, viewer),
    current: { seq: message.seq },
    from,
    ...(until === undefined ? {} : { until }),
    budgetTokens,
    messageCount,
    asker: askerOf(run),
    isShared: hasReaders(run),
    voice,
  });
}

/**
 * What a model that can see may be shown of a mail's attachments: all that may be a picture by what its mail says. What
 * each is its bytes tell when it is sent, and what cannot be sent is named then.
 */
export const picturesOf = ({ attachments }: Pick<LoadedRun, 'attachments'>): readonly StoredAttachment[] =>
  attachments.filter(
    ({ type, name, bytes, unreadable }) =>
      bytes <= MAX_IMAGE_BYTES &&
      unreadable === null &&
      (type.startsWith('image/') ? !type.startsWith('image/svg') : isUntyped(type) && PICTURE_NAME.test(name)),
  );

const isUntyped = (type: string): boolean => type === 'application/octet-stream';
const PICTURE_NAME = /\.(png|jpe?g|gif|webp|hei[cf])$/i;

/** Of records without their ids: by the types that were shown then. */
function picturesAsBuilt(
  loaded: LoadedRun,
  built: { readonly pictures?: number | undefined; readonly picture_ids?: readonly string[] | undefined } | undefined,
): readonly StoredAttachment[] {
  const ids = built?.picture_ids;
  if (ids) return loaded.attachments.filter(({ id }) => ids.includes(id));
  const shown = picturesOf(loaded).filter(({ type }) => /^image\/(png|jpeg|gif|webp)$/.test(type));
  return shown.slice(0, built?.pictures ?? 0);
}

async function withPictures(
  { artifacts }: Pick<AsBuilt, 'artifacts'>,
  block: ModelMessage,
  { pictures, isNamed }: { readonly pictures: readonly StoredAttachment[]; readonly isNamed: boolean },
): Promise<ModelMessage> {
  if (block.role !== 'user' || pictures.length === 0) return block;
  const parts: ContentPart[] = [];
  for (const { sha256, type, name } of pictures) {
    const data = Buffer.from(await artifacts.get(sha256)).toString('base64');
    parts.push({ type: 'image', mediaType: type, data, ...(isNamed ? { name } : {}) });
  }
  return { role: 'user', content: [...block.content, ...parts] };
}

/** The settings of a run as its artifact holds them. */
interface SettingsBytes {
  readonly settings: StoredSettings;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** Of the part of a prompt that stays the same from mail to mail. */
  readonly prefixSha256: string;
}

const MAX_KEPT = 64;
const newest = new Map<string, SettingsBytes>();

/**
 * The bytes of these settings and their hashes. Those of a persona's newest run are kept and handed out again while the
 * settings are the same, which is from mail to mail: to write and hash them took longer than to compare them.
 */
export function settingsBytes(personaId: string, settings: StoredSettings): SettingsBytes {
  const before = newest.get(personaId);
  if (before && isDeepStrictEqual(before.settings, settings)) return before;
  const bytes = Buffer.from(JSON.stringify(settings));
  const prefixSha256 = sha256(JSON.stringify([settings.system, settings.tools]));
  const made = { settings, bytes, sha256: sha256(bytes), prefixSha256 };
  newest.delete(personaId);
  newest.set(personaId, made);
  const [oldest] = newest.keys();
  if (newest.size > MAX_KEPT && oldest !== undefined) newest.delete(oldest);
  return made;
}

const lists: (readonly ToolSpec[])[] = [];

/** These tools by name, as the same list whenever they are the same tools: what is known of a list is found out once. */
export function sortedTools(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  const known = lists.find((list) => list.length === sorted.length && list.every((tool, at) => tool === sorted[at]));
  if (known) return known;
  if (lists.push(sorted) > MAX_KEPT) lists.shift();
  return sorted;
}

/** What holds for the whole run. */
export function settingsOf(
  options: {
    readonly configs: Pick<Configs, 'inference' | 'security'>;
    readonly persona: Pick<Persona, 'inference'>;
    readonly surface: readonly ToolSpec[];
    readonly onlyReads: boolean;
    readonly targets: readonly Target[];
    readonly readBy: NonNullable<PinnedSettings['limits']['sources_for']>;
  },
  system: readonly string[],
): PinnedSettings {
  const { configs, persona, surface, onlyReads, targets, readBy } = options;
  const { inference } = configs;
  const own = persona.inference;
  return {
    system,
    tools: sortedTools(surface),
    ...(configs.security.approvals.own_words === 'count' ? { ownWords: 'count' as const } : {}),
    reasons: 'owners',
    targets,
    temperature: own.temperature ?? inference.temperature,
    maxOutputTokens: own.max_output_tokens ?? inference.max_output_tokens,
    limits: {
      max_tool_turns: inference.max_tool_turns,
      max_tool_steps: onlyReads ? inference.step_caps.read : inference.step_caps.mutate,
      tells_near: true,
      goes_on: true,
      by_turns: true,
      by_needs: true,
      open_ends: true,
      tells_undone: true,
      tells_data: true,
      looks_again: true,
      cites: true,
      cites_shown: true,
      sources_for: readBy,
      ...(configs.security.approvals.answer === 'now' ? { mails_beside: true as const } : {}),
      passes_on: true,
      max_tool_calls: inference.max_tool_calls,
      max_calls_per_turn: inference.max_calls_per_turn,
      max_consecutive_failures: inference.max_consecutive_failures,
      run_timeout_s: inference.run_timeout_s,
      model_timeout_s: inference.model_timeout_s,
      tool_timeout_s: inference.tool_timeout_s,
    },
  };
}
