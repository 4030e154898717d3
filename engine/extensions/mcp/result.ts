import { isDeepStrictEqual } from 'node:util';
import { EngineError, type Json } from '#contract';
import { fieldOf } from '#contract/http';
import { anyJson, parseJson, readJson } from '../../lib/json.ts';

/** A server's answer to a call as it came. */
export type ServerResult = Readonly<Record<string, unknown>>;

const MAX_CHARACTERS = 1_000_000;
const MAX_ERROR_CHARACTERS = 1000;

/** What the parts of an answer come to. */
interface Said {
  readonly text: string[];
  /** Files that came with it. */
  readonly resources: { uri?: string; mime_type?: string; text: string }[];
  /** Files that it points to. */
  readonly links: { uri: string; name?: string; description?: string; mime_type?: string }[];
  /** Parts of a kind that is not known here, as they are. */
  readonly other: unknown[];
  /** What no model can be shown here, by type and size. */
  readonly leftOut: string[];
}

/**
 * An answer as a result, part by part: its text, the files in it, where it points, and what the server has put into
 * fields, beside that text unless the text says the same. A picture or a sound is named with its size and left out. Throws
 * `tool_failed` where the server says that the call failed, with all that it says of why, and where the answer is too long.
 */
export function resultOf(answer: ServerResult): Json {
  const { isError, structuredContent } = answer;
  const said = readParts(answer.content);
  const text = said.text.join('\n');
  const fields = structuredContent ?? undefined;
  if (isError === true) throw failed(errorText(said, fields));
  const more = {
    ...(said.resources.length === 0 ? {} : { resources: said.resources }),
    ...(said.links.length === 0 ? {} : { links: said.links }),
    ...(said.other.length === 0 ? {} : { other: said.other }),
    ...(said.leftOut.length === 0 ? {} : { left_out: said.leftOut }),
  };
  const isAlone = Object.keys(more).length === 0;
  const saysTheSame = fields !== undefined && (text === '' || isDeepStrictEqual(readJson(anyJson, text), fields));
  const result =
    saysTheSame && isAlone
      ? fields
      : { ...(saysTheSame ? {} : { text }), ...(fields === undefined ? {} : { fields }), ...more };
  const json = JSON.stringify(result) ?? 'null';
  if (json.length > MAX_CHARACTERS)
    throw failed(`the server answered with ${json.length} characters; at most ${MAX_CHARACTERS} can be taken`);
  return parseJson(anyJson, json);
}

/** What a server says of why it did not do a call, from the error of JSON-RPC. */
export function saidInError(error: unknown): string | null {
  const inner = fieldOf(error, 'code');
  if (typeof inner !== 'number') return saidInBody(fieldOf(fieldOf(error, 'data'), 'text'));
  const message = fieldOf(error, 'message');
  const data = fieldOf(error, 'data');
  const words = [message, typeof data === 'string' || data === undefined ? data : JSON.stringify(data)];
  return (
    words
      .filter((word) => typeof word === 'string' && word !== '')
      .join('\n')
      .slice(0, MAX_ERROR_CHARACTERS) || null
  );
}

/** Some answer with an error of HTTP and put that of JSON-RPC into its body. */
function saidInBody(text: unknown): string | null {
  const body = typeof text === 'string' ? readJson(anyJson, text) : undefined;
  const error = fieldOf(body, 'error');
  return typeof fieldOf(error, 'code') === 'number' ? saidInError(error) : null;
}

function errorText(said: Said, fields: unknown): string {
  const words = [
    ...said.text,
    ...said.resources.map(({ text }) => text),
    ...[fields === undefined ? [] : [fields], said.other].flat().map((one) => JSON.stringify(one)),
  ];
  return words.join('\n').trim().slice(0, MAX_ERROR_CHARACTERS) || 'the server says that the call failed';
}

function readParts(content: unknown): Said {
  const said: Said = { text: [], resources: [], links: [], other: [], leftOut: [] };
  // Some answer with a text or one part in place of a list.
  const parts = Array.isArray(content) ? content : content === undefined || content === null ? [] : [content];
  for (const part of parts) readPart(part, said);
  return said;
}

function readPart(part: unknown, said: Said): void {
  if (typeof part === 'string') said.text.push(part);
  else if (fieldOf(part, 'type') === 'resource') readResource(fieldOf(part, 'resource'), said);
  else if (fieldOf(part, 'type') === 'resource_link' && typeof fieldOf(part, 'uri') === 'string')
    said.links.push({ uri: String(fieldOf(part, 'uri')), ...textsOf(part, ['name', 'description']), ...typeOf(part) });
  else if (typeof fieldOf(part, 'text') === 'string') said.text.push(String(fieldOf(part, 'text')));
  else if (typeof fieldOf(part, 'data') === 'string')
    said.leftOut.push(named(fieldOf(part, 'mimeType') ?? fieldOf(part, 'type'), String(fieldOf(part, 'data'))));
  else if (part !== null && part !== undefined) said.other.push(part);
}

/** Of a file that came as bytes, text is read as text. */
function readResource(resource: unknown, said: Said): void {
  const about = { ...textsOf(resource, ['uri']), ...typeOf(resource) };
  const [text, blob] = [fieldOf(resource, 'text'), fieldOf(resource, 'blob')];
  if (typeof text === 'string') said.resources.push({ ...about, text });
  else if (typeof blob === 'string') {
    const decoded = isText(about.mime_type) ? textIn(blob) : null;
    if (decoded !== null) said.resources.push({ ...about, text: decoded });
    else said.leftOut.push([named(about.mime_type ?? 'a file', blob), about.uri ?? []].flat().join(' '));
  } else if (about.uri !== undefined) said.links.push({ uri: about.uri, ...typeOf(resource) });
  else said.other.push(resource ?? null);
}

/** `text/…`, JSON, XML and the like (RFC 6839). */
const isText = (type = ''): boolean =>
  /^(?:text\/|application\/(?:json|xml|yaml|javascript)\b)|\+(?:json|xml)\b/i.test(type);

function textIn(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return null;
  }
}

const named = (type: unknown, base64: string): string =>
  `${typeof type === 'string' ? type : 'a file'} (${Math.floor((base64.length * 3) / 4)} bytes)`;

const typeOf = (part: unknown): { mime_type?: string } => {
  const type = fieldOf(part, 'mimeType');
  return typeof type === 'string' ? { mime_type: type } : {};
};

const textsOf = <Name extends string>(part: unknown, names: readonly Name[]): Partial<Record<Name, string>> => {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = fieldOf(part, name);
    if (typeof value === 'string') found[name] = value;
  }
  return found;
};

const failed = (message: string): EngineError => new EngineError('tool_failed', message);
