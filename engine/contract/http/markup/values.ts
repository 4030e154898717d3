import type { Json } from '../../json.ts';
import { parseArguments } from '../tool-arguments.ts';

const MAX_DEPTH = 64;

/** Where the bracketed value that begins at `from` ends; -1 where it does not. One pass, and no recursion. */
export function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"' || (character === "'" && isQuote(text, at))) {
      at = endOfString(text, at, character);
      if (at < 0) return -1;
    } else if (OPENING.has(character)) depth++;
    else if (CLOSING.has(character) && --depth === 0) return at + 1;
  }
  return -1;
}

const OPENING: ReadonlySet<string> = new Set(['{', '[', '(']);
const CLOSING: ReadonlySet<string> = new Set(['}', ']', ')']);

/** The place of the quote that ends it; -1: none does. */
function endOfString(text: string, from: number, quote: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

/** Python's quotes; an apostrophe stands within a word. */
const isQuote = (text: string, at: number): boolean => /[\s{[(,:=]/.test(text[at - 1] ?? ' ');

/** JSON, or what Python prints of the same; undefined where it is neither. */
export function parseValue(text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return parseArguments(trimmed) ?? parsePython(trimmed);
}

/** A call as Python writes it: `name(key="value", other=[1, 2])`. */
export interface PythonCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, Json>>;
}

/** `[f(a=1), g()]`, `f(a=1)` or `print(f(a=1))`; undefined where the text is anything else as well. */
export function parsePythonCalls(text: string): readonly PythonCall[] | undefined {
  const reader = new Reader(text);
  try {
    const calls = reader.calls();
    return reader.isAtEnd() && calls.length > 0 ? calls : undefined;
  } catch (error) {
    if (error instanceof NotPython) return undefined;
    throw error;
  }
}

function parsePython(text: string): Json | undefined {
  if (!/^[{['"(\d+TFN-]/.test(text)) return undefined;
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    return reader.isAtEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof NotPython) return undefined;
    throw error;
  }
}

class NotPython extends Error {}

const WORDS: Readonly<Record<string, Json>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  calls(): readonly PythonCall[] {
    if (this.#take('[')) {
      const calls = this.#list(']', () => this.#call(0));
      return calls.flat();
    }
    const calls: PythonCall[] = [];
    while (!this.isAtEnd()) {
      calls.push(...this.#call(0));
      this.#take(';');
    }
    return calls;
  }

  #call(depth: number): readonly PythonCall[] {
    const name = this.#name();
    if (name === '' || !this.#take('(')) throw new NotPython();
    if (name === 'print' && depth === 0) {
      const inner = this.#call(1);
      if (!this.#take(')')) throw new NotPython();
      return inner;
    }
    const pairs = this.#list(')', () => {
      const key = this.#name();
      if (key === '' || !this.#take('=')) throw new NotPython();
      return [key, this.value(0)] as const;
    });
    return [{ name, arguments: Object.fromEntries(pairs) }];
  }

  value(depth: number): Json {
    if (depth > MAX_DEPTH) throw new NotPython();
    this.#skip();
    const character = this.#text[this.#at] ?? '';
    if (character === '"' || character === "'") return this.#string(character);
    if (this.#take('[')) return this.#list(']', () => this.value(depth + 1));
    if (this.#take('(')) return this.#list(')', () => this.value(depth + 1));
    if (this.#take('{')) {
      const pairs = this.#list('}', () => {
        this.#skip();
        const quote = this.#text[this.#at] ?? '';
        const key = quote === '"' || quote === "'" ? this.#string(quote) : this.#name();
        if (key === '' || !this.#take(':')) throw new NotPython();
        return [key, this.value(depth + 1)] as const;
      });
      return Object.fromEntries(pairs);
    }
    const word = this.#while(/[\w.+-]/);
    const known = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (known !== undefined) return known;
    if (word === '' || !Number.isFinite(Number(word))) throw new NotPython();
    return Number(word);
  }

  #list<Item>(close: string, item: () => Item): Item[] {
    const items: Item[] = [];
    while (!this.#take(close)) {
      if (items.length > 0 && !this.#take(',')) throw new NotPython();
      if (this.#take(close)) return items;
      items.push(item());
    }
    return items;
  }

  #string(quote: string): string {
    const marks = this.#text.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote;
    this.#at += marks.length;
    let said = '';
    while (this.#at < this.#text.length) {
      if (this.#text.startsWith(marks, this.#at)) {
        this.#at += marks.length;
        return said;
      }
      const character = this.#text[this.#at++] ?? '';
      if (character !== '\\') {
        said += character;
        continue;
      }
      const escaped = this.#text[this.#at++] ?? '';
      if (escaped === 'u') {
        const code = Number.parseInt(this.#text.slice(this.#at, this.#at + 4), 16);
        if (Number.isNaN(code)) throw new NotPython();
        this.#at += 4;
        said += String.fromCharCode(code);
      } else said += ESCAPES[escaped] ?? escaped;
    }
    throw new NotPython();
  }

  #name(): string {
    this.#skip();
    return this.#while(/[\w.-]/);
  }

  #while(one: RegExp): string {
    const from = this.#at;
    while (this.#at < this.#text.length && one.test(this.#text[this.#at] ?? '')) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++;
  }
}
