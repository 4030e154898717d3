import type { ContentPart, GenerateRequest, GenerateResponse, ModelInfo, ModelMessage, ToolSpec } from '#contract';
import { fitMessages } from './messages.ts';
import { type FitRules, type LeftOut, type Plainness, REFUSED_WITH_IT } from './rules.ts';
import { type FittedTools, fitTools, withOwnKeys } from './tools.ts';

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
