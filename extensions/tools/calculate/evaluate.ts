import { FUNCTIONS } from './functions.ts';
import { add, divide, multiply, power, subtract } from './operations.ts';
import { numberOf, type Value, valueFrom, wrong } from './value.ts';

const MAX_TOKENS = 400;
const MAX_DEPTH = 50;
const TOKEN =
  /\s*(?:(?<number>\d{1,60}(?:\.\d{1,60})?|\.\d{1,60})|(?<text>"[^"]{0,100}"|'[^']{0,100}')|(?<name>[\p{L}_][\p{L}\p{N}_]{0,60})|(?<sign>[-+*/^%(),;]))/uy;

const GROUPED = /(?<![\d.,])\d{1,3},\d{3}(?!\d)/;

type Token = { readonly kind: 'number' | 'text' | 'name' | 'sign'; readonly text: string };

export interface Evaluated {
  readonly value: Value;
  /** Numbers, amounts and dates that stand in the expression itself, as they are written. */
  readonly literals: readonly string[];
  /** Names of the values that it uses. */
  readonly used: ReadonlySet<string>;
}

/**
 * Works out an expression. Throws `invalid_arguments` with what is wrong.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = signed { ("*" | "/") signed }
 *   signed  = { "-" | "+" } power
 *   power   = percent [ "^" signed ]
 *   percent = primary { "%" }                 19% is 0.19
 *   primary = number | text | name | name "(" [ sum { "," sum } ] ")" | "(" sum ")"
 *
 * A text in quotation marks is a date, or a number with its unit: "2026-11-23", "12.50 EUR".
 */
export function evaluate(expression: string, values: ReadonlyMap<string, Value>, zone: string): Evaluated {
  const tokens = tokensIn(expression);
  const literals: string[] = [];
  const used = new Set<string>();
  let at = 0;
  const peek = (): string | undefined => (tokens[at]?.kind === 'sign' ? tokens[at]?.text : undefined);
  const expect = (sign: string): void => {
    if (peek() !== sign)
      throw wrong(`"${sign}" is missing${tokens[at] ? ` before "${tokens[at]?.text}"` : ' at the end'}`);
    at += 1;
  };
  const sum = (depth: number): Value => {
    let value = product(depth);
    for (let sign = peek(); sign === '+' || sign === '-'; sign = peek()) {
      at += 1;
      value = (sign === '+' ? add : subtract)(value, product(depth));
    }
    return value;
  };
  const product = (depth: number): Value => {
    let value = signed(depth);
    for (let sign = peek(); sign === '*' || sign === '/'; sign = peek()) {
      at += 1;
      value = (sign === '*' ? multiply : divide)(value, signed(depth));
    }
    return value;
  };
  const signed = (depth: number): Value => {
    let isNegative = false;
    for (let sign = peek(); sign === '+' || sign === '-'; sign = peek()) {
      at += 1;
      if (sign === '-') isNegative = !isNegative;
    }
    const value = raised(depth);
    return isNegative ? multiply(numberOf(-1), value) : value;
  };
  const raised = (depth: number): Value => {
    if (depth > MAX_DEPTH) throw wrong(`it is deeper than ${MAX_DEPTH}`);
    const value = percent(depth);
    if (peek() !== '^') return value;
    at += 1;
    return power(value, signed(depth + 1));
  };
  const percent = (depth: number): Value => {
    let value = primary(depth);
    while (peek() === '%') {
      at += 1;
      value = divide(value, numberOf(100));
    }
    return value;
  };
  const primary = (depth: number): Value => {
    const token = tokens[at];
    at += 1;
    if (token?.kind === 'number') {
      literals.push(token.text);
      return numberOf(token.text);
    }
    if (token?.kind === 'text') return quoted(token.text.slice(1, -1));
    if (token?.kind === 'name') return peek() === '(' ? called(token.text, depth) : named(token.text);
    if (token?.text !== '(')
      throw wrong(token ? `"${token.text}" stands where a value is needed` : 'it ends where a value is needed');
    const value = sum(depth + 1);
    expect(')');
    return value;
  };
  const quoted = (text: string): Value => {
    literals.push(text);
    return valueFrom(text, zone);
  };
  const named = (name: string): Value => {
    const value = values.get(name);
    if (!value) throw wrong(`"${name}" is not among the values (${[...values.keys()].join(', ') || 'there are none'})`);
    used.add(name);
    return value;
  };
  const called = (name: string, depth: number): Value => {
    const work = Object.hasOwn(FUNCTIONS, name.toLowerCase()) ? FUNCTIONS[name.toLowerCase()] : undefined;
    if (!work) throw wrong(`there is no function "${name}"; there are ${Object.keys(FUNCTIONS).join(', ')}`);
    const given: Value[] = [];
    expect('(');
    while (peek() !== ')') {
      given.push(sum(depth + 1));
      if (peek() === ',' || peek() === ';') at += 1;
      else if (peek() !== ')') expect(')');
    }
    expect(')');
    return work(given);
  };
  const value = sum(0);
  if (tokens[at]) throw wrong(`"${tokens[at]?.text}" stands behind the end`);
  return { value, literals, used };
}

function tokensIn(expression: string): readonly Token[] {
  const [grouped] = GROUPED.exec(expression) ?? [];
  if (grouped)
    throw wrong(`"${grouped}" may be one number or two: write ${grouped.replace(',', '')}, or a blank after the comma`);
  const text = expression.replace(/^\s*=/, '').replace(/[×·]/g, '*').replace(/÷/g, '/').replace(/[−–]/g, '-').trimEnd();
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    if (!groups) throw wrong(`"${text.slice(at, at + 20)}" cannot be read; numbers are written as 1234.56`);
    if (tokens.length === MAX_TOKENS) throw wrong(`it has more than ${MAX_TOKENS} parts`);
    const [kind, found] = Object.entries(groups).find(([, each]) => each !== undefined) ?? ['sign', ''];
    tokens.push({ kind: kind as Token['kind'], text: found });
  }
  checkNumbers(tokens);
  return tokens;
}

/** `1,234` outside of a function would be two values. */
function checkNumbers(tokens: readonly Token[]): void {
  const twice = tokens.findIndex(
    (token, index) => token.kind !== 'sign' && (tokens[index + 1]?.kind ?? 'sign') !== 'sign',
  );
  if (twice >= 0)
    throw wrong(
      `a sign is missing between "${tokens[twice]?.text}" and "${tokens[twice + 1]?.text}"; a unit belongs into quotation marks: "12.50 EUR"`,
    );
}
