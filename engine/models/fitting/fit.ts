import type {
  ContentPart,
  GenerateRequest,
  GenerateResponse,
  Json,
  ModelInfo,
  ModelMessage,
  ToolCall,
  ToolResult,
  ToolSpec,
} from '#contract';
import { sha256 } from '../../lib/ids.ts';
import { estimateTokens } from '../tokens.ts';
import { type FitRules, type LeftOut, type Plainness, REFUSED_WITH_IT } from './rules.ts';
import { cut, fitSchema } from './schema.ts';

interface Fitting {
  readonly rules: FitRules;
  readonly info: ModelInfo;
  readonly plain: Plainness;
  /** Of the tools that came with the gateway. */
  isOwn(tool: string): boolean;
  /** The message with the mail, which names what was left out. */
  readonly about: ModelMessage | undefined;
}

export interface Fitted {
  /** The very request where nothing had to be changed. */
  readonly request: GenerateRequest;
  readonly leftOut: readonly LeftOut[];
  /** The answer in the engine's own names. */
  restore(response: GenerateResponse): GenerateResponse;
}

/**
 * The one stage between engine and adapter: a request as this vendor takes it, by the rules of its manifest. What cannot
 * be sent is left out and named, to the model as well. Pure.
 */
export function fitRequest(request: GenerateRequest, fitting: Fitting): Fitted {
  const { rules, plain, info } = fitting;
  const tools = toolsOf(request.tools, fitting);
  const pictures = withPictures(request.messages, fitting);
  const leftOut = [...tools.leftOut, ...pictures.leftOut];
  const about = fitting.about ?? request.messages.findLast(({ role }) => role === 'user');
  const noted =
    leftOut.length === 0 ? pictures.messages : withNote(pictures.messages, request.messages, about, leftOut);
  const messages = fitMessages(noted, { rules, plain, names: tools.names });
  const system = request.system.every((text) => text.isWellFormed())
    ? request.system
    : request.system.map((text) => text.toWellFormed());
  const isSame = messages === request.messages && tools.tools === request.tools && system === request.system;
  // With as many tokens as the model can write the server decides by itself how many there is room for.
  const isMost = plain > 0 && (request.maxOutputTokens === null || request.maxOutputTokens >= info.max_output_tokens);
  const settings = isMost ? { maxOutputTokens: null, temperature: null } : plain > 0 ? { temperature: null } : {};
  return {
    request: isSame && plain === 0 ? request : { ...request, ...settings, system, tools: tools.tools, messages },
    leftOut,
    restore: (response) => restored(response, tools),
  };
}

/** By list of tools: a run sends the same one with each of its calls, and adapters keep what it reads as. */
const fittedTools = new WeakMap<readonly ToolSpec[], { readonly key: string; readonly fitted: FittedTools }>();

function toolsOf(tools: readonly ToolSpec[], { rules, plain, info, isOwn }: Fitting): FittedTools {
  const key = JSON.stringify([rules, plain, info.context_tokens]);
  const known = fittedTools.get(tools);
  if (known?.key === key) return known.fitted;
  const fitted = fitTools(tools, { rules, plain, contextTokens: info.context_tokens, isOwn });
  fittedTools.set(tools, { key, fitted });
  return fitted;
}

function withPictures(given: readonly ModelMessage[], { rules, plain, info }: Fitting) {
  const leftOut: LeftOut[] = [];
  let before = 0;
  const messages = given.map((message): ModelMessage => {
    if (message.role !== 'user' || !message.content.some(({ type }) => type === 'image')) return message;
    const fitted = fitPictures(message.content, { rules, plain, images: info.images, before });
    before = fitted.count;
    leftOut.push(...fitted.leftOut);
    return fitted.content === message.content ? message : { role: 'user', content: fitted.content };
  });
  return { messages: messages.every((message, at) => message === given[at]) ? given : messages, leftOut };
}

const MAX_NAMED = 20;

function withNote(
  messages: readonly ModelMessage[],
  before: readonly ModelMessage[],
  about: ModelMessage | undefined,
  leftOut: readonly LeftOut[],
): readonly ModelMessage[] {
  const at = about === undefined ? -1 : before.indexOf(about);
  const message = messages[at];
  if (message?.role !== 'user') return messages;
  const lines = leftOut.slice(0, MAX_NAMED).map(({ kind, name, why }) => `- the ${kind} ${name}: ${why}`);
  const more = leftOut.length > MAX_NAMED ? [`- and ${leftOut.length - MAX_NAMED} more`] : [];
  const text = ['Left out of what you were given, and not shown to you:', ...lines, ...more].join('\n');
  const note: ContentPart = { type: 'text', text };
  return messages.with(at, { role: 'user', content: [...message.content, note] });
}

function restored(response: GenerateResponse, { names, renamed }: FittedTools): GenerateResponse {
  if (names.size === 0 && renamed.size === 0) return response;
  const own = new Map([...names].map(([name, wire]) => [wire, name]));
  const toolCalls = response.toolCalls.map((call) => {
    const name = own.get(call.name) ?? call.name;
    const keys = renamed.get(name);
    return { ...call, name, arguments: keys === undefined ? call.arguments : withOwnKeys(call.arguments, keys) };
  });
  return { ...response, toolCalls };
}

type Picture = Extract<ContentPart, { type: 'image' }>;
type PictureRules = Pick<FitRules, 'picture_types' | 'max_picture_bytes' | 'max_picture_side' | 'max_pictures'>;

/** A picture is looked at once, however many requests it is part of. */
const known = new WeakMap<Picture, PictureFacts>();

function factsOf(picture: Picture): PictureFacts {
  const before = known.get(picture);
  if (before) return before;
  const facts = readPicture(Buffer.from(picture.data, 'base64'));
  known.set(picture, facts);
  return facts;
}

/** The pictures of a message as their vendor takes them: by their bytes, never by the type that was declared. Pure. */
function fitPictures(
  content: readonly ContentPart[],
  { rules, plain, images, before }: { rules: PictureRules; plain: Plainness; images: boolean; before: number },
): { readonly content: readonly ContentPart[]; readonly leftOut: readonly LeftOut[]; readonly count: number } {
  const leftOut: LeftOut[] = [];
  const counted = { shown: before, all: 0 };
  const fitted = content.flatMap((part): readonly ContentPart[] => {
    if (part.type !== 'image') return [part];
    counted.all += 1;
    const why = images
      ? reasonAgainst(part, { rules, plain, shown: counted.shown })
      : 'this model does not see pictures';
    if (why !== null) {
      leftOut.push({ kind: 'picture', name: part.name ?? `picture ${counted.all}`, why });
      return [];
    }
    counted.shown += 1;
    const { type } = factsOf(part);
    return [type === null || type === part.mediaType ? part : retyped(part, type)];
  });
  const isSame = fitted.length === content.length && fitted.every((part, at) => part === content[at]);
  return { content: isSame ? content : fitted, leftOut, count: counted.shown };
}

const retypedAs = new WeakMap<Picture, Picture>();
function retyped(part: Picture, mediaType: string): Picture {
  const picture = retypedAs.get(part) ?? { ...part, mediaType };
  retypedAs.set(part, picture);
  return picture;
}

function reasonAgainst(
  part: Picture,
  { rules, plain, shown }: { rules: PictureRules; plain: Plainness; shown: number },
): string | null {
  if (plain > 0) return REFUSED_WITH_IT;
  const { type, size, isWhole } = factsOf(part);
  const kind = type?.replace('image/', '').toUpperCase();
  if (type === null || kind === undefined) return 'its bytes are no picture of a kind that is known';
  if (!rules.picture_types.some((each) => each === type))
    return `it is ${kind}, which this model service does not take`;
  if (!isWhole || size === null) return `it is a ${kind} that is broken or not whole`;
  const { width, height } = size;
  if (width < 1 || height < 1) return 'it has no size';
  if (Math.max(width, height) > rules.max_picture_side)
    return `it is ${width} × ${height} pixels, and the model service takes at most ${rules.max_picture_side} on a side`;
  if (part.data.length * 0.75 > rules.max_picture_bytes) return 'it is larger than the model service takes';
  return shown >= rules.max_pictures ? `the model service takes at most ${rules.max_pictures} pictures` : null;
}

/** What the bytes of a picture are, whatever their name and declared type say. */
interface PictureFacts {
  /** Null: no picture that is known. */
  readonly type: string | null;
  /** In pixels; null where it cannot be read. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** It has an end, as its format marks one. */
  readonly isWhole: boolean;
}

const NONE: PictureFacts = { type: null, size: null, isWhole: false };

/** Reads what a picture says of itself: first bytes, size and end. Of hostile bytes it reads no more than there are. */
function readPicture(bytes: Buffer): PictureFacts {
  const ascii = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (bytes.length < 12) return NONE;
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n') return pngFacts(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return jpegFacts(bytes);
  if (ascii(0, 6) === 'GIF87a' || ascii(0, 6) === 'GIF89a') {
    return {
      type: 'image/gif',
      size: sizeOf(bytes.readUInt16LE(6), bytes.readUInt16LE(8)),
      isWhole: bytes.length > 13,
    };
  }
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return webpFacts(bytes);
  if (ascii(4, 8) === 'ftyp') return { type: boxType(ascii(8, 12)), size: null, isWhole: true };
  if (ascii(0, 2) === 'BM') return { type: 'image/bmp', size: null, isWhole: true };
  if (ascii(0, 4) === 'II*\0' || ascii(0, 4) === 'MM\0*') return { type: 'image/tiff', size: null, isWhole: true };
  return NONE;
}

const sizeOf = (width: number, height: number) => ({ width, height });

const boxType = (brand: string): string | null => {
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  return /^(hei[cxms]|hev[cx]|mif1|msf1)$/.test(brand) ? 'image/heic' : null;
};

function pngFacts(bytes: Buffer): PictureFacts {
  const type = 'image/png';
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return { type, size: null, isWhole: false };
  const size = sizeOf(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  return { type, size, isWhole: bytes.lastIndexOf('IEND', undefined, 'latin1') > 32 };
}

/** Segment by segment, up to the frame that has the size. */
function jpegFacts(bytes: Buffer): PictureFacts {
  const isWhole = bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 2;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { type: 'image/jpeg', size: sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)), isWhole };
    }
    if (marker === 0xda) break;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return { type: 'image/jpeg', size: null, isWhole: false };
}

function webpFacts(bytes: Buffer): PictureFacts {
  const type = 'image/webp';
  const isWhole = bytes.readUInt32LE(4) + 8 <= bytes.length;
  const kind = bytes.toString('latin1', 12, 16);
  if (bytes.length < 30) return { type, size: null, isWhole: false };
  if (kind === 'VP8X') return { type, size: sizeOf(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1), isWhole };
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { type, size: sizeOf((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1), isWhole };
  }
  return { type, size: sizeOf(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff), isWhole };
}

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

interface MessageFitting {
  readonly rules: Pick<FitRules, 'max_id' | 'max_name' | 'user_after_result'>;
  readonly plain: Plainness;
  /** Names on the wire by the tools' own. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The messages as chat templates and vendors take them: whole characters, names and ids that are taken, the same id in a
 * call and in its result, roles that alternate beginning with a user. What is right already stays the very same object.
 */
function fitMessages(messages: readonly ModelMessage[], fitting: MessageFitting): readonly ModelMessage[] {
  const fitted = withFittingIds(messages.map(wellFormed), fitting).map((message) => withNames(message, fitting));
  const turns = alternating(fitted, fitting);
  return turns.length === messages.length && turns.every((turn, at) => turn === messages[at]) ? messages : turns;
}

/** What a message is without half characters; a vendor's JSON reader refuses those. */
const whole = new WeakMap<ModelMessage, ModelMessage>();
/** Half of a pair, as JSON.stringify writes it. */
const HALF = /\\ud[89a-f][0-9a-f]{2}/;

function wellFormed(message: ModelMessage): ModelMessage {
  const known = whole.get(message);
  if (known) return known;
  const isImage = message.role === 'user' && message.content.some(({ type }) => type === 'image');
  const text = JSON.stringify(isImage ? message.content.filter(({ type }) => type === 'text') : message);
  const fitted = HALF.test(text) ? (mapStrings(message, wholeText) as ModelMessage) : message;
  whole.set(message, fitted);
  return fitted;
}

/** Texts that are JSON themselves, which chat templates read. */
const JSON_TEXTS: ReadonlySet<string> = new Set(['arguments', 'rawArguments', 'content', 'output']);
const ESCAPED = /\\ud[89ab][0-9a-f]{2}(\\ud[c-f][0-9a-f]{2})?|\\ud[c-f][0-9a-f]{2}/gi;

const wholeText = (text: string, key: string): string =>
  JSON_TEXTS.has(key)
    ? text.toWellFormed().replace(ESCAPED, (found: string, low?: string) => (low === undefined ? '\\ufffd' : found))
    : text.toWellFormed();

function mapStrings(value: unknown, change: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return change(value, key);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name, '$key'), mapStrings(inner, change, name)]),
  );
}

const ID = /^[a-zA-Z0-9_-]+$/;
const ID_KEYS: ReadonlySet<string> = new Set(['id', 'call_id', 'tool_use_id', 'tool_call_id']);

/**
 * Ids of another vendor are made to fit; those in a vendor's own message go back as it gave them, which it may read
 * something from, unless it has refused the request. A result has the id of its call.
 */
function withFittingIds(messages: readonly ModelMessage[], { rules, plain }: MessageFitting): readonly ModelMessage[] {
  const taken = new Set<string>();
  let ids = new Map<string, string>();
  return messages.map((message, turn) => {
    if (message.role === 'tool') return withResultIds(message, ids);
    if (message.role === 'user') return message;
    const isOwn = message.providerParts !== undefined && plain === 0;
    ids = new Map();
    for (const { id } of message.toolCalls) {
      const fits = isOwn || (ID.test(id) && id.length <= rules.max_id && !taken.has(id));
      if (!fits) ids.set(id, `call_${sha256(`${turn} ${id}`).slice(0, 24)}`);
      taken.add(ids.get(id) ?? id);
    }
    return ids.size === 0 ? message : withCallIds(message, ids);
  });
}

const withResultIds = (
  message: Extract<ModelMessage, { role: 'tool' }>,
  ids: ReadonlyMap<string, string>,
): ModelMessage =>
  message.results.some(({ callId }) => ids.has(callId))
    ? { role: 'tool', results: message.results.map((one) => ({ ...one, callId: ids.get(one.callId) ?? one.callId })) }
    : message;

function withCallIds(message: Assistant, ids: ReadonlyMap<string, string>): Assistant {
  const toolCalls = message.toolCalls.map((call) => ({ ...call, id: ids.get(call.id) ?? call.id }));
  return changed(message, toolCalls, (text, key) => (ID_KEYS.has(key) ? (ids.get(text) ?? text) : text));
}

function changed(
  message: Assistant,
  toolCalls: readonly ToolCall[],
  change: (text: string, key: string) => string,
): Assistant {
  const { providerParts: parts } = message;
  if (parts === undefined) return { ...message, toolCalls };
  return { ...message, toolCalls, providerParts: { ...parts, data: mapStrings(parts.data, change) as Json } };
}

/** Also names that no tool has: a model that made one up is told so, and has to be able to read it. */
function withNames(message: ModelMessage, { rules, names }: MessageFitting): ModelMessage {
  const wire = (name: string) => names.get(name) ?? wireName(name, rules.max_name);
  if (message.role === 'tool') {
    if (message.results.every(({ name }) => wire(name) === name)) return message;
    return { role: 'tool', results: message.results.map((one): ToolResult => ({ ...one, name: wire(one.name) })) };
  }
  if (message.role === 'user' || message.toolCalls.every(({ name }) => wire(name) === name)) return message;
  const known = new Map(message.toolCalls.map(({ name }) => [name, wire(name)]));
  const toolCalls = message.toolCalls.map((call) => ({ ...call, name: wire(call.name) }));
  return changed(message, toolCalls, (text, key) => (key === 'name' ? (known.get(text) ?? text) : text));
}

const BEGIN: ModelMessage = {
  role: 'user',
  content: [{ type: 'text', text: '(The thread begins with your own mail.)' }],
};
const GO_ON: ModelMessage = { role: 'user', content: [{ type: 'text', text: '(Go on.)' }] };

function alternating(messages: readonly ModelMessage[], { rules, plain }: MessageFitting): ModelMessage[] {
  const intoResults = plain > 0 || !rules.user_after_result;
  const turns: ModelMessage[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last === undefined && message.role === 'assistant') turns.push(BEGIN, message);
    else if (last?.role === 'user' && message.role === 'user')
      turns[turns.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
    else if (last?.role === 'assistant' && message.role === 'assistant') turns.push(GO_ON, message);
    else if (last?.role === 'tool' && message.role === 'user' && intoResults && last.results.length > 0)
      turns.splice(-1, 1, ...saidInResult(last, message.content));
    else turns.push(message);
  }
  return turns;
}

/** What is said behind results, as part of the last of them: some templates know no user there. */
function saidInResult(
  message: Extract<ModelMessage, { role: 'tool' }>,
  content: readonly ContentPart[],
): ModelMessage[] {
  const said = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const pictures = content.filter(({ type }) => type === 'image');
  const results = message.results.map((one, at) =>
    at === message.results.length - 1 ? { ...one, content: [one.content, ...said].join('\n\n') } : one,
  );
  return [{ role: 'tool', results }, ...(pictures.length > 0 ? [{ role: 'user' as const, content: pictures }] : [])];
}

interface FittedTools {
  /** The very list where nothing had to be changed. */
  readonly tools: readonly ToolSpec[];
  readonly leftOut: readonly LeftOut[];
  /** Names on the wire by the tool's own, where they differ. */
  readonly names: ReadonlyMap<string, string>;
  /** By a tool's own name: its arguments' own names by those on the wire. */
  readonly renamed: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

interface ToolFitting {
  readonly rules: FitRules;
  readonly plain: Plainness;
  readonly contextTokens: number;
  /** Of the tools that came with the gateway, whose descriptions are ours. */
  isOwn(name: string): boolean;
}

/** Of the model's context: more than that tools never take. */
const SHARE = 0.4;
const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]*$/;

/** The tools of a request as its vendor takes them. Pure. */
export function fitTools(tools: readonly ToolSpec[], fitting: ToolFitting): FittedTools {
  const leftOut: LeftOut[] = [];
  const names = new Map<string, string>();
  const renamed = new Map<string, ReadonlyMap<string, string>>();
  const leave = (tool: ToolSpec, why: string) => leftOut.push({ kind: 'tool', name: tool.name, why });
  const kept = within(tools, fitting, leave).map((tool) => {
    const { description, inputSchema } = tool;
    const isBare = fitting.plain > 0 && !fitting.isOwn(tool.name);
    const fitted = fitSchema(inputSchema, fitting.rules, { bare: isBare });
    const name = wireName(tool.name, fitting.rules.max_name, new Set(names.values()));
    if (name !== tool.name) names.set(tool.name, name);
    if (fitted.renamed.size > 0) renamed.set(tool.name, fitted.renamed);
    const words = [description, ...fitted.hints].join(' ');
    const said = cut(words, isBare ? Math.min(300, fitting.rules.max_description) : fitting.rules.max_description);
    const isAsItWas = name === tool.name && said === description && fitted.schema === inputSchema;
    return isAsItWas ? tool : { name, description: said, inputSchema: fitted.schema };
  });
  const sized = fitting.contextTokens > 0 ? smallEnough(kept, names, fitting, leftOut) : kept;
  const isSame = sized.length === tools.length && sized.every((tool, at) => tool === tools[at]);
  return { tools: isSame ? tools : sized, leftOut, names, renamed };
}

/** Not more than the vendor takes: those of others go first, the last of the list first. */
function within(
  tools: readonly ToolSpec[],
  { rules, plain, isOwn }: ToolFitting,
  leave: (tool: ToolSpec, why: string) => void,
): readonly ToolSpec[] {
  const own = tools.filter(({ name }) => isOwn(name));
  const others = tools.filter(({ name }) => !isOwn(name));
  if (plain > 1) for (const tool of others) leave(tool, REFUSED_WITH_IT);
  const taken = [...own, ...(plain > 1 ? [] : others)];
  for (const tool of taken.slice(rules.max_tools))
    leave(tool, `the model service takes at most ${rules.max_tools} tools`);
  const kept = new Set(taken.slice(0, rules.max_tools));
  return kept.size === tools.length ? tools : tools.filter((tool) => kept.has(tool));
}

/** What is largest of others' goes, until there is room for the mail. */
function smallEnough(
  tools: readonly ToolSpec[],
  names: Map<string, string>,
  { contextTokens, isOwn }: ToolFitting,
  leftOut: LeftOut[],
): readonly ToolSpec[] {
  const own = new Map([...names].map(([name, wire]) => [wire, name]));
  const sizes = tools.map((tool) => ({
    tool,
    name: own.get(tool.name) ?? tool.name,
    tokens: estimateTokens(JSON.stringify(tool)),
  }));
  let over = sizes.reduce((sum, { tokens }) => sum + tokens, 0) - contextTokens * SHARE;
  const gone = new Set<ToolSpec>();
  for (const { tool, name, tokens } of sizes
    .filter(({ name }) => !isOwn(name))
    .toSorted((a, b) => b.tokens - a.tokens)) {
    if (over <= 0) break;
    gone.add(tool);
    leftOut.push({ kind: 'tool', name, why: 'the descriptions of all tools together are too long for this model' });
    over -= tokens;
  }
  return gone.size === 0 ? tools : tools.filter((tool) => !gone.has(tool));
}

/** A name that every vendor takes: letters, digits, _ and -, no digit first. */
function wireName(name: string, most: number, taken: ReadonlySet<string> = new Set()): string {
  if (NAME.test(name) && name.length <= most) return name;
  const letters = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const plain = (NAME.test(letters) ? letters : `t_${letters}`).slice(0, most);
  for (let number = 1; ; number += 1) {
    const wire = number === 1 ? plain : `${plain.slice(0, most - 4)}_${number}`;
    if (!taken.has(wire)) return wire;
  }
}

/** Arguments under the tool's own names again. */
function withOwnKeys(value: Json | undefined, renamed: ReadonlyMap<string, string>): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withOwnKeys(item, renamed) ?? null);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [renamed.get(key) ?? key, withOwnKeys(inner, renamed) ?? null]),
  );
}
