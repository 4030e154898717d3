import { beginsCall } from './bare.ts';
import { endOfCalls, readCalls } from './calls.ts';
import { indexOf, type Mark } from './dialects.ts';
import {
  after,
  brokenBy,
  isInDocument,
  isPlaceholder,
  isQuoted,
  isSpoken,
  mentionTo,
  type Reading,
  type Spot,
  type Verdict,
} from './judge.ts';
import { endOfValue } from './values.ts';
import type { WrittenCall } from './written-call.ts';

type Tools = Reading['tools'];

/** What a call's marks hold, and where it ends. */
interface Body {
  readonly body: string;
  readonly to: number;
}

export function judgeCall(spot: Spot, tools: Tools): Verdict {
  const found = bodyOf(spot, tools);
  if (found !== undefined && isQuoted(spot.text, spot.at, found.to)) return mentionTo(found.to);
  const calls = found === undefined ? undefined : readCalls(found.body, tools);
  return found && calls ? judgeWhole(spot, { ...found, calls }, tools) : judgeUnread(spot, found, tools);
}

function judgeWhole(
  spot: Spot,
  { to, calls }: Body & { readonly calls: readonly WrittenCall[] },
  tools: Tools,
): Verdict {
  const { mark, place, text } = spot;
  const areOffered = calls.every(({ name }) => tools.some((tool) => tool.name === name));
  if (mark.onlyOffered && !areOffered) return mentionTo(spot.to);
  if (isInDocument(spot, to)) return mentionTo(to);
  // A model that calls says nothing more in that line: a sentence that goes on behind it is about the call.
  const goesOn = isSpoken(after(text, to));
  if (goesOn && place === 'start') return mentionTo(to);
  return place === 'spaced' || goesOn ? brokenBy('unclear') : { is: 'calls', to, calls };
}

/** Marks around something that is no call: one that was cut off, one that went wrong, or a word about them. */
function judgeUnread({ mark, text, to, place, next }: Spot, found: Body | undefined, tools: Tools): Verdict {
  const inside = text.slice(to).trimStart();
  const isCut = beginsCall(inside.replace(/^print\(/, ''), tools) && endOfValue(inside, 0) < 0;
  if (mark.onlyOffered) return isCut ? brokenBy('call') : mentionTo(to);
  const isTold = isSpoken(next) && !isCut;
  if (place === 'spaced' || (isTold && place !== 'start')) return mentionTo(to);
  if (found !== undefined && isPlaceholder(found.body)) return mentionTo(found.to);
  return brokenBy(isTold ? 'unclear' : 'call');
}

const isPrefix = ({ open }: Mark): boolean => open.endsWith('=') || open.endsWith('"');

function bodyOf(spot: Spot, tools: Tools): Body | undefined {
  const { text, mark, at, to } = spot;
  const from = isPrefix(mark) ? at : to;
  const closed = closedBody(spot, tools);
  if (closed) return closed;
  // The closing mark is often the token that a server stops at.
  const rest = text.slice(from).trim();
  if (readCalls(rest, tools)) return { body: rest, to: text.length };
  const ended = endOfCalls(text, from);
  const body = ended > 0 ? text.slice(from, ended) : '';
  if (readCalls(body, tools)) return { body, to: ended };
  const end = mark.close === null ? -1 : indexOf(text, mark.close, to);
  return end < 0 ? undefined : { body: text.slice(to, end), to: end + (mark.close ?? '').length };
}

const MOST_CLOSES = 20;

/** Up to the first closing mark with which it is a call: a value may hold the mark, too. */
function closedBody({ text, mark, at, to }: Spot, tools: Tools): Body | undefined {
  const { close } = mark;
  if (close === null) return undefined;
  const starts = isPrefix(mark);
  let end = indexOf(text, close, to);
  for (let tries = 0; end >= 0 && tries < MOST_CLOSES; tries++) {
    const past = end + close.length;
    const body = text.slice(starts ? at : to, starts ? past : end);
    if (readCalls(body, tools)) return { body, to: past };
    end = indexOf(text, close, end + 1);
  }
  return undefined;
}
