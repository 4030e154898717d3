import type { ModelMessage, ToolCall } from '#contract';
import type { CallStage } from '../../../models/stage.ts';
import type { Framed, Intent } from '../../../record/codec/intent.ts';
import { checkedIntent, type FramedMail, queryIn, readSaid, SEARCH, SYSTEM, textOf } from './ask.ts';

export const MAX_ITERATIONS = 4;
const MAX_SHOWN = 6000;

/** What is known so far: it stands when the time is over, too. */
export interface Framing {
  intent: Intent | null;
  iterations: number;
  readonly calls: Framed['calls'][number][];
}

export const newFraming = (): Framing => ({ intent: null, iterations: 0, calls: [] });

/**
 * Asks a model what the sender of a mail wants, up to `maxIterations` times: an answer that says `done` ends it, and so does
 * one without words; one that cannot be read leaves what was known before. `framing` grows on the way; the code says why it
 * ended early, null where it did not.
 */
export async function frameMail(
  mail: FramedMail,
  ways: {
    readonly call: CallStage;
    /** Earlier mail as the sender may see it, as text. */
    search(query: string): Promise<string>;
    readonly maxIterations: number;
    readonly signal: AbortSignal;
  },
  framing: Framing,
): Promise<Framed['code']> {
  const { call, search, maxIterations, signal } = ways;
  const turns: ModelMessage[] = [];
  while (framing.iterations < maxIterations) {
    signal.throwIfAborted();
    const isLast = framing.iterations + 1 === maxIterations;
    const reply = await call({
      ...{ purpose: 'frame', system: SYSTEM, text: textOf(mail), turns: [...turns] },
      ...{ tools: [SEARCH], answersNow: isLast },
    });
    signal.throwIfAborted();
    framing.iterations += 1;
    framing.calls.push(...reply.calls);
    const { text, toolCalls } = reply;
    if (text === null) return reply.code;
    turns.push({ role: 'assistant', text, toolCalls });
    if (toolCalls.length > 0) {
      turns.push({ role: 'tool', results: await Promise.all(toolCalls.map((one) => answered(one, search))) });
      continue;
    }
    if (text.trim() === '') return null;
    const said = readSaid(text);
    if (said) framing.intent = checkedIntent(said, mail);
    if (said?.done) return null;
    turns.push({ role: 'user', content: [{ type: 'text', text: said ? AGAIN : UNREADABLE }] });
  }
  return null;
}

const AGAIN = 'Look again, and answer anew in the same form.';
const UNREADABLE = 'That is not the form. Answer with the JSON object alone.';

async function answered(call: ToolCall, search: (query: string) => Promise<string>) {
  const { id: callId, name } = call;
  const query = queryIn(call);
  if (query === null) return { callId, name, content: 'There is no such tool.', isError: true };
  const content = await search(query).catch(() => null);
  return { callId, name, content: (content ?? 'It failed.').slice(0, MAX_SHOWN), isError: content === null };
}
