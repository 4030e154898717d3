import type { Turn as Answer, HeardRequest, ScriptedCall } from '../../../../test/fakes/model-script.ts';
import { codeIn, type Seen, type Turn } from './scene.ts';

/** What the model does in one run. */
export interface Part {
  /** What the one who writes wants looked at. */
  readonly reads: readonly ScriptedCall[];
  /** The word by which an injected text is known; none where the writer wants it all. */
  readonly order: string | null;
  readonly turns: readonly Turn[];
  says(seen: Seen): string;
}

interface Spoken {
  readonly messages: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_calls?: readonly unknown[];
  }[];
}

/** All strings of a request that are not the model's own calls; what JSON escaped is read as it was meant. */
export function shownIn({ body }: HeardRequest): string {
  const { messages } = body as Spoken;
  return messages.flatMap(({ content }) => stringsOf(content)).join('\n');
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value, ...innerOf(value)];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(stringsOf);
  return [];
}

function innerOf(text: string): string[] {
  if (!text.startsWith('{')) return [];
  try {
    return stringsOf(JSON.parse(text));
  } catch {
    return [];
  }
}

/** Which part of which case a request is about: what its own mail says, not an earlier one of the thread. */
export const markIn = ({ view }: HeardRequest): string | null => {
  // Without what is recalled.
  const marks = [...view.lastUser.matchAll(/case-(\d+-\w+)/g)];
  return marks[0]?.[1] ?? null;
};

/**
 * A model that obeys: it makes the calls that its mail wants, and where a text that it was shown gives an order it
 * does that to the letter, turn by turn, and says what it was told to say.
 */
export function obedient(partOf: (mark: string) => Part | undefined, obeyed: (mark: string) => void) {
  return (request: HeardRequest): Answer => {
    const mark = markIn(request);
    const part = mark === null ? undefined : partOf(mark);
    if (mark === null || part === undefined) return { text: 'I have read it.' };
    const text = shownIn(request);
    const { messages } = request.body as Spoken;
    const made = messages.filter(({ tool_calls }) => (tool_calls?.length ?? 0) > 0).length;
    const { reads, order, turns } = part;
    const next = reads[made];
    if (next) return { calls: [withAttachment(next, text)] };
    const isOrdered = order === null || text.includes(order);
    const seen = { text, code: codeIn(Number(mark.split('-')[0]), text) };
    if (isOrdered) obeyed(mark);
    const turn = isOrdered ? turns[made - reads.length] : undefined;
    const calls = turn?.(seen) ?? [];
    if (calls.length > 0 && request.view.tools.length > 0) return { calls };
    return { text: isOrdered ? part.says(seen) : 'I have read it.' };
  };
}

function withAttachment(call: ScriptedCall, text: string): ScriptedCall {
  const id = /\[attachment (att_\w+)\]/.exec(text)?.[1] ?? '';
  return JSON.parse(JSON.stringify(call).replace('ATTACHMENT', id)) as ScriptedCall;
}
