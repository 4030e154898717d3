import type { GenerateRequest, ModelMessage } from '#contract';
import { sha256 } from '../../lib/ids.ts';

/**
 * What a model was asked, as hashes: the same mark means the same request to the byte, and its parts say where two
 * requests begin to differ. Kept instead of the request, which can be made anew from what is stored anyway.
 */
export interface RequestMark {
  readonly sha256: string;
  /** System prompt and tools. */
  readonly prefix: string;
  readonly history: string;
  /** The last user block: the mail, with its facts and notes. */
  readonly mail: string;
  /** The run's own turns, as they were sent. */
  readonly turns: string;
}

/** Messages stay the same objects from call to call, so each is hashed once however many requests it is part of. */
const hashes = new WeakMap<object, string>();

function hashOf(part: object): string {
  const known = hashes.get(part);
  if (known !== undefined) return known;
  const hash = sha256(JSON.stringify(part));
  hashes.set(part, hash);
  return hash;
}

const hashOfAll = (parts: readonly object[]): string => sha256(parts.map(hashOf).join());

/** `mail` is the message of the request that holds the mail being answered. */
export function markOf(request: GenerateRequest, mail: ModelMessage): RequestMark {
  const { system, tools, messages, ...settings } = request;
  const at = messages.indexOf(mail);
  const parts = {
    prefix: hashOfAll([system, tools]),
    history: hashOfAll(messages.slice(0, at)),
    mail: hashOf(mail),
    turns: hashOfAll(messages.slice(at + 1)),
  };
  const whole = sha256(JSON.stringify([settings, parts]));
  return {
    sha256: whole,
    prefix: short(parts.prefix),
    history: short(parts.history),
    mail: short(parts.mail),
    turns: short(parts.turns),
  };
}

const short = (hash: string): string => hash.slice(0, 16);
