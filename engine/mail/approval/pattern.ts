import { CLASSES } from './phrases.ts';

/** What a line is made of besides the phrases: what the lexer finds by its form. */
const FORMS = {
  number: 'N',
  unknown: 'X',
  link: 'U',
  picture: 'E',
  /** Of whom a mail that is asked about goes to. */
  recipient: 'i',
  comma: ',',
  dot: String.raw`\.`,
  bang: '!',
  semicolon: ';',
  colon: ':',
  // Between two others a bare one would be a range: `[comma dash please]` held whatever comes from a comma to a P.
  dash: String.raw`\-`,
  bracket: String.raw`\)`,
  equals: '=',
  question: String.raw`\?`,
  any: '.',
} as const;

const NAMES: ReadonlyMap<string, string> = new Map(Object.entries({ ...CLASSES, ...FORMS }));

/**
 * A pattern over named tokens: `please? approve object`. Names are those of CLASSES and FORMS; `( )`, `|`, `*`, `+`, `?`,
 * `[ ]`, `^`, `$`, `(?= )` and `(?! )` mean what they mean in an expression, and `target:( )` names what it finds. `parts`
 * are patterns that have a name of their own. Throws for a name that nobody has given a meaning.
 */
export function pattern(source: string, parts: Readonly<Record<string, string>> = {}): RegExp {
  return new RegExp(expressionOf(source, parts), 'd');
}

function expressionOf(source: string, parts: Readonly<Record<string, string>>): string {
  return source
    .replace(/([a-z]\w*):\(|\((?!\?)|[a-z]\w*/gi, (found: string, group: string | undefined) => {
      if (group !== undefined) return `(?<${group}>`;
      if (found === '(') return '(?:';
      const part = parts[found];
      if (part !== undefined) return `(?:${expressionOf(part, parts)})`;
      const letter = NAMES.get(found);
      if (letter === undefined) throw new Error(`no token is called "${found}"`);
      return letter;
    })
    .replace(/\s+/g, '');
}
