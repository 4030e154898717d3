/** Where a text is code or a quotation, so that marks in it are talked about. It only goes forward. */
export class Zones {
  readonly #text: string;
  /** The fence that is open, as it was opened; '' outside of any. */
  #fence = '';
  /** Start of the line that was looked at last, and where what is looked at began. */
  #line: number;
  #begin: number;
  #spans: readonly (readonly [number, number])[] = [];
  #spansOf = -1;

  constructor(text: string, begin = 0) {
    this.#text = text;
    this.#begin = begin;
    this.#line = begin;
  }

  /** What comes from here on is a text of its own. */
  restart(begin: number): void {
    this.#fence = '';
    this.#begin = begin;
    this.#line = begin;
    this.#spansOf = -1;
  }

  /** Whether a mark at this place is code or quoted, by the lines before it and its own. */
  isProtected(at: number): boolean {
    this.#walkTo(at);
    if (this.#fence !== '') return true;
    const line = this.#text.slice(this.#line, at);
    if (/^ {0,3}>/.test(line) || /^(?: {4}|\t)/.test(line)) return true;
    if (this.#text[at - 1] === '\\') return true;
    if (this.#spansOf !== this.#line) {
      this.#spans = codeSpans(this.#text, this.#line, endOfLine(this.#text, this.#line));
      this.#spansOf = this.#line;
    }
    return this.#spans.some(([from, to]) => from <= at && at < to);
  }

  /** Whether the fence that is open at this place is closed further on. */
  isInClosedFence(at: number): boolean {
    this.#walkTo(at);
    if (this.#fence === '') return true;
    for (let line = endOfLine(this.#text, at) + 1; line < this.#text.length; line = endOfLine(this.#text, line) + 1) {
      if (closes(this.#text.slice(line, endOfLine(this.#text, line)), this.#fence)) return true;
    }
    return false;
  }

  #walkTo(at: number): void {
    for (;;) {
      const end = endOfLine(this.#text, this.#line);
      if (end >= at) return;
      const line = this.#text.slice(this.#line, end);
      if (this.#fence === '') this.#fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line.slice(0, 200))?.[1] ?? '';
      else if (closes(line, this.#fence)) this.#fence = '';
      this.#line = end + 1;
    }
  }

  get begin(): number {
    return this.#begin;
  }
}

const closes = (line: string, fence: string): boolean => {
  const text = line.slice(0, 200).trim();
  return text.length >= fence.length && text === (fence[0] ?? '').repeat(text.length);
};

export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Runs of backticks, each with the next run as long as it. */
export function codeSpans(text: string, from: number, to: number): readonly (readonly [number, number])[] {
  const runs: { readonly at: number; readonly length: number }[] = [];
  for (let at = text.indexOf('`', from); at >= 0 && at < to; ) {
    let end = at;
    while (text[end] === '`') end++;
    runs.push({ at, length: end - at });
    at = text.indexOf('`', end);
  }
  const spans: (readonly [number, number])[] = [];
  const lastOf = new Map<number, number>();
  for (const [index, run] of runs.entries()) lastOf.set(run.length, index);
  for (let index = 0; index < runs.length; index++) {
    const open = runs[index];
    if (!open || (lastOf.get(open.length) ?? -1) <= index) continue;
    const close = runs.findIndex((run, other) => other > index && run.length === open.length);
    const end = runs[close];
    if (!end) continue;
    spans.push([open.at, end.at + end.length]);
    index = close;
  }
  return spans;
}
