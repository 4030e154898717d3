import { QueryError } from '../query-error.ts';
import { Decimal } from '../values/amount.ts';

const SIGNS = ['+', '-', '*', '/'] as const;
export type Sign = (typeof SIGNS)[number];
const FUNCTIONS = ['round', 'abs', 'min', 'max'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

export type Parsed<Operand> =
  | { readonly kind: 'number'; readonly value: Decimal }
  | { readonly kind: 'operand'; readonly operand: Operand }
  | { readonly kind: 'negative'; readonly of: Parsed<Operand> }
  | { readonly kind: 'two'; readonly sign: Sign; readonly left: Parsed<Operand>; readonly right: Parsed<Operand> }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly of: readonly Parsed<Operand>[] };

/** What stands for a value. */
export interface Operands<Operand> {
  named(name: string): Operand;
  /** So many characters at the beginning of `rest` are one operand, whatever signs it has in it; 0 where none begins. */
  lengthIn(rest: string): number;
}

interface Token {
  /** `whole`: an operand whose length its caller knows. */
  readonly kind: 'sign' | 'number' | 'name' | 'whole';
  readonly text: string;
}

const MAX_DEPTH = 30;
const ALONE = new Set('+-*/(),;%');
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", '`': '`', '[': ']' };

/**
 * Arithmetic in the grammar of `calculate`, with the names of columns for values.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = signed { ("*" | "/") signed }
 *   signed  = { "-" | "+" } primary [ "%" ]          19% is 0.19
 *   primary = number | operand | name "(" sum { "," sum } ")" | "(" sum ")"
 *
 * A name with a sign in it that `lengthIn` does not know stands in quotation marks or square brackets. Throws a
 * `QueryError`.
 */
export function parsed<Operand>(text: string, { named, lengthIn }: Operands<Operand>): Parsed<Operand> {
  const tokens = tokensIn(text, lengthIn);
  let at = 0;
  const peek = (): string | undefined => (tokens[at]?.kind === 'sign' ? tokens[at]?.text : undefined);
  const expect = (sign: string): void => {
    if (peek() !== sign) throw wrong(text, `"${sign}" is missing`);
    at += 1;
  };
  const joined = (signs: readonly Sign[], next: (depth: number) => Parsed<Operand>, depth: number): Parsed<Operand> => {
    let left = next(depth);
    for (let sign = signs.find((one) => one === peek()); sign; sign = signs.find((one) => one === peek())) {
      at += 1;
      left = { kind: 'two', sign, left, right: next(depth) };
    }
    return left;
  };
  const sum = (depth: number): Parsed<Operand> => joined(['+', '-'], product, depth);
  const product = (depth: number): Parsed<Operand> => joined(['*', '/'], signed, depth);
  const signed = (depth: number): Parsed<Operand> => {
    if (depth > MAX_DEPTH) throw wrong(text, `it is deeper than ${MAX_DEPTH}`);
    if (peek() === '+' || peek() === '-') {
      const isNegative = peek() === '-';
      at += 1;
      const of = signed(depth + 1);
      return isNegative ? { kind: 'negative', of } : of;
    }
    const value = primary(depth);
    if (peek() !== '%') return value;
    at += 1;
    return { kind: 'two', sign: '/', left: value, right: { kind: 'number', value: new Decimal(100) } };
  };
  const primary = (depth: number): Parsed<Operand> => {
    const token = tokens[at];
    at += 1;
    if (token?.kind === 'number') return { kind: 'number', value: new Decimal(token.text) };
    if (token?.kind === 'whole') return { kind: 'operand', operand: named(token.text) };
    if (token?.kind === 'name')
      return peek() === '(' ? called(token.text, depth) : { kind: 'operand', operand: named(token.text) };
    if (token?.text !== '(')
      throw wrong(text, token ? `"${token.text}" stands where a value is needed` : 'it ends early');
    const inner = sum(depth + 1);
    expect(')');
    return inner;
  };
  const called = (given: string, depth: number): Parsed<Operand> => {
    const name = FUNCTIONS.find((one) => one === given.toLowerCase());
    if (name === undefined)
      throw wrong(text, `${given} is not worked out row by row; there are ${FUNCTIONS.join(', ')}`);
    const of: Parsed<Operand>[] = [];
    expect('(');
    for (;;) {
      of.push(sum(depth + 1));
      if (peek() !== ',' && peek() !== ';') break;
      at += 1;
    }
    expect(')');
    return { kind: 'call', name, of };
  };
  const tree = sum(0);
  if (tokens[at]) throw wrong(text, `"${tokens[at]?.text}" stands behind the end`);
  return tree;
}

const wrong = (text: string, what: string): QueryError =>
  new QueryError(
    `"${text.slice(0, 100)}" cannot be worked out: ${what}. Rows know + - * / and ${FUNCTIONS.join(', ')} over columns; ` +
      'a name with a sign in it stands in quotation marks, and what sum(…) and the like come to is worked with as in sum(A) / sum(B)',
  );

const NUMBER = /^(?:\d+(?:\.\d+)?|\.\d+)$/;

/** Names may have blanks; the signs between them end them. */
function tokensIn(text: string, lengthIn: (rest: string) => number): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const whole = needsValue(tokens.at(-1)) ? lengthIn(text.slice(at)) : 0;
    const { token, next } =
      whole > 0
        ? { token: { kind: 'whole' as const, text: text.slice(at, at + whole) }, next: at + whole }
        : tokenAt(text, at);
    if (token.text !== '' || token.kind === 'whole') tokens.push(token);
    at = next;
  }
  return tokens;
}

/** Behind this, as the grammar has it. */
const needsValue = (before: Token | undefined): boolean =>
  before === undefined || (before.kind === 'sign' && before.text !== ')' && before.text !== '%');

function tokenAt(text: string, at: number): { readonly token: Token; readonly next: number } {
  const char = text[at] ?? '';
  if (ALONE.has(char)) return { token: { kind: 'sign', text: char }, next: at + 1 };
  const close = QUOTES[char];
  if (close !== undefined) {
    const end = text.indexOf(close, at + 1);
    if (end < 0) throw wrong(text, `${close} is missing`);
    return { token: { kind: 'whole', text: text.slice(at + 1, end) }, next: end + 1 };
  }
  let next = at;
  while (next < text.length && !endsName(text[next] ?? '')) next += 1;
  const name = text.slice(at, next).trim();
  return { token: { kind: NUMBER.test(name) ? 'number' : 'name', text: name }, next };
}

const endsName = (char: string): boolean => ALONE.has(char) || QUOTES[char] !== undefined;
