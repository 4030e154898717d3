import type { Json } from '#contract';
import type { HttpRequest } from './http-server.ts';

/** One tool call that the model is to make. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments?: Json;
  /** Text in place of JSON arguments. */
  readonly rawArguments?: string;
  /** The vendor's id; made up where absent, none at all where null. */
  readonly id?: string | null;
}

/** One answer of the model, in no vendor's words. Without any field: an empty text. */
export interface Turn {
  readonly text?: string;
  /** Reasoning, with a signature where the vendor has one. */
  readonly thinking?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Shorthand for one call of the first tool with this text in place of arguments. */
  readonly rawArguments?: string;
  readonly refusal?: true;
  /** The answer broke off at the limit of output tokens. */
  readonly length?: true;
  readonly usage?: { input?: number; output?: number; cached?: number; cacheWrite?: number };
  readonly costUsd?: number;
  readonly delayMs?: number;
  /** It is answered when this has come true. */
  readonly until?: Promise<unknown>;
  /** An HTTP error instead of an answer. */
  readonly status?: number;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly message?: string;
  /** The vendor's own error for a prompt over the context window. */
  readonly overflow?: true;
  /** The connection is destroyed in the middle of the body. */
  readonly cut?: true;
  /** Status 200 with this body, whatever it is. */
  readonly body?: string;
}

/** What whoever wrote the last mail of a message says in it, and nothing that stands beside it. */
export const writtenIn = (message: string): string =>
  [...message.matchAll(/<new_text_([0-9a-f]{8})>\n([\s\S]*?)\n<\/new_text_\1>/g)].map(([, , text]) => text).join('\n');

/** A message without the excerpts of earlier mail that stand beside it: these are not what the model is asked now. */
export const withoutRecalled = (text: string): string =>
  text.replace(/\s*^Earlier mail with words of the mail above; incomplete[\s\S]*<\/recalled_[0-9a-f]{8}>\s*/m, '\n');

/** What a request says, in no vendor's words. */
export interface RequestView {
  readonly model: string;
  readonly system: string;
  /** Those that the model may call now. */
  readonly tools: readonly string[];
  /** Text of the last user message that is no tool result, without what was recalled of earlier mail. */
  readonly lastUser: string;
  /** Results that answer the latest calls, in order. */
  readonly results: readonly { readonly id: string; readonly content: string; readonly isError: boolean }[];
  /** Assistant messages so far. */
  readonly turn: number;
  /** Images in the request, as base64. */
  readonly images: readonly string[];
}

export interface HeardRequest extends HttpRequest {
  readonly body: unknown;
  readonly view: RequestView;
}

/** Turns in order, or a function of the request; when the turns are used up the server answers 500. */
export type Script = readonly Turn[] | ((request: HeardRequest, count: number) => Turn | Promise<Turn>);

/** What a fake remembers of its own answers, to recognise them when they come back. */
export interface Memory {
  /** Calls made so far; the next id is made of it. */
  calls: number;
  /** Signature by the thinking or the call that it was issued for. */
  readonly signatures: Map<string, string>;
}

export interface VendorError {
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number;
  readonly overflow?: true;
}

/** How one vendor speaks. */
export interface Vendor {
  /** Appended to the server's address to get the `base_url` that the vendor's SDK wants. */
  readonly basePath: string;
  readonly endpoint: RegExp;
  /** The key that came with the request. */
  keyOf(headers: HttpRequest['headers']): string;
  /** Undefined for a body that the vendor cannot read. */
  view(request: HttpRequest, body: unknown): RequestView | undefined;
  /** The protocol rule that the request breaks, in the vendor's words. */
  violation(body: unknown, memory: Memory): string | undefined;
  answer(turn: Turn, view: RequestView, memory: Memory, body: unknown): { body: string; contentType: string };
  failure(error: VendorError): { status: number; body: string; headers: Record<string, string> };
  readonly overflow: string;
}

/** The calls of a turn with the ids that they go out under. */
export function numberedCalls(turn: Turn, view: RequestView, memory: Memory, prefix: string) {
  const short = turn.rawArguments === undefined ? [] : [{ name: view.tools[0] ?? '', rawArguments: turn.rawArguments }];
  const calls: readonly ScriptedCall[] = [...(turn.calls ?? []), ...short];
  return calls.map((call) => ({ ...call, id: call.id === undefined ? `${prefix}${++memory.calls}` : call.id }));
}
