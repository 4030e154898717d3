import { type Mark, startsWith, type Table } from './dialects.ts';
import {
  after,
  type Before,
  type BrokenBy,
  before,
  brokenBy,
  endOfResult,
  isQuoted,
  judgeClose,
  judgeReasoning,
  judgeResult,
  mentionTo,
  type Reading,
  type Spot,
  type Verdict,
} from './judge.ts';
import { judgeCall } from './judge-call.ts';
import type { WrittenCall } from './written-call.ts';
import { Zones } from './zones.ts';

/** With more marks than this a text is no answer. */
const MOST_MARKS = 200;

interface Scanned {
  readonly text: string;
  readonly calls: readonly WrittenCall[];
  readonly broken: BrokenBy | null;
  readonly found: boolean;
}

/** One pass over a text, mark by mark; what is cut out leaves two texts that are looked at one after the other. */
export class Scan {
  readonly #text: string;
  readonly #table: Table;
  readonly #tools: Reading['tools'];
  readonly #zones: Zones;
  #begin = 0;
  #kept: string[] = [];
  #hasWords = false;
  #calls: WrittenCall[] = [];
  /** Opening marks that are talked about, so that their closing marks are, too. */
  readonly #mentioned = new Set<string>();
  #found = false;

  constructor(text: string, table: Table, tools: Reading['tools']) {
    this.#text = text;
    this.#table = table;
    this.#tools = tools;
    this.#zones = new Zones(text);
  }

  run(): Scanned {
    const text = this.#text;
    let marks = 0;
    for (let at = 0; at < text.length; ) {
      const mark = this.#markAt(at);
      if (!mark) {
        at++;
        continue;
      }
      marks++;
      const verdict = marks > MOST_MARKS ? brokenBy('unclear') : this.#judge(mark, at);
      if (verdict.is === 'broken') return { text: '', calls: [], broken: verdict.by, found: true };
      if (verdict.is !== 'mention') this.#take(verdict, at);
      else if (mark.kind === 'reasoning') this.#mentioned.add(mark.open);
      at = verdict.to;
    }
    if (!this.#found) return { text, calls: [], broken: null, found: false };
    // What a model writes behind its calls is what it imagines to be told.
    if (this.#calls.length === 0) this.#keep(text.length);
    return { text: joined(this.#kept), calls: this.#calls, broken: null, found: true };
  }

  #take(verdict: Exclude<Verdict, { is: 'mention' | 'broken' }>, at: number): void {
    this.#found = true;
    if (verdict.is === 'begun_inside') {
      this.#kept = [];
      this.#hasWords = false;
      this.#calls = [];
    } else if (this.#calls.length === 0) this.#keep(at);
    if (verdict.is === 'calls') this.#calls.push(...verdict.calls);
    this.#begin = verdict.to;
    this.#zones.restart(verdict.to);
  }

  #keep(to: number): void {
    const piece = this.#text.slice(this.#begin, to);
    this.#kept.push(piece);
    this.#hasWords ||= piece.trim() !== '';
  }

  #markAt(at: number): Mark | undefined {
    const first = this.#text.slice(at, at + 2).toLowerCase();
    return this.#table.marks.get(first)?.find(({ open }) => startsWith(this.#text, open, at));
  }

  #judge(mark: Mark, at: number): Verdict {
    const text = this.#text;
    const to = at + mark.open.length;
    const [place, next] = [this.#place(at), after(text, to)];
    const spot: Spot = { text, mark, begin: this.#begin, at, to, place, next };
    if (mark.open.startsWith('```') && place !== 'line' && place !== 'start') return mentionTo(to);
    if (this.#zones.isProtected(at)) {
      const isLost = mark.kind === 'close' && next === 'line' && !this.#zones.isInClosedFence(at);
      return isLost ? brokenBy('unclear') : mentionTo(to);
    }
    if (isQuoted(text, at, to)) return mentionTo(to);
    switch (mark.kind) {
      case 'reasoning':
        return judgeReasoning(spot);
      case 'close':
        return this.#mentioned.has(mark.close ?? '') ? mentionTo(to) : judgeClose(spot);
      case 'call':
        return judgeCall(spot, this.#tools);
      case 'result':
        return this.#calls.length > 0 ? { is: 'cut', to: endOfResult(spot) } : judgeResult(spot);
    }
  }

  /** Right behind what was cut out of a text with words a mark begins a line, and not the text. */
  #place(at: number): Before {
    const isBehind = this.#hasWords && this.#text.slice(this.#begin, at).trim() === '';
    return isBehind ? 'line' : before(this.#text, at, this.#begin);
  }
}

/** What is left of a text, without a gap where something was taken out. */
function joined(pieces: readonly string[]): string {
  let text = '';
  for (const piece of pieces) {
    if (text === '') {
      text = piece.trim() === '' ? '' : piece;
      continue;
    }
    if (piece.trim() === '') continue;
    const gap = /\n[ \t]*$/.test(text) || /^[ \t]*\n/.test(piece) ? '\n\n' : ' ';
    text = text.trimEnd() + gap + piece.trimStart();
  }
  return text.trim();
}
