import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner } from 'typescript/unstable/ast/scanner';
import type { Source } from './sources.ts';

export interface Expression {
  /** `engine/mail/bounce.ts:42`; without a line where it was put together while its module loaded. */
  readonly at: string;
  readonly path: string;
  readonly pattern: RegExp;
}

/** Behind a word of these, and behind any sign but these, a slash begins an expression; elsewhere it divides. */
const BEFORE_A_VALUE = new Set(
  'return typeof case in of delete void throw new else do await yield instanceof'.split(' '),
);
const AFTER_A_VALUE = new Set([')', ']', '}', '++', '--']);

function mayBegin(before: string): boolean {
  if (before.endsWith('${')) return true;
  return /^[\w$]/.test(before)
    ? BEFORE_A_VALUE.has(before)
    : !AFTER_A_VALUE.has(before) && !/^["'`]|[`/]\w*$/.test(before);
}

/** Every regular expression that a file writes as a literal. */
export function literalsOf({ path, text }: Source): Expression[] {
  const found: Expression[] = [];
  const scanner = createScanner(true, undefined, text);
  // The braces that are open since each `${`, innermost last.
  const templates: number[] = [];
  let before = '';
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    if ((kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) && mayBegin(before)) {
      scanner.reScanSlashToken();
      const written = scanner.getTokenText();
      const end = written.lastIndexOf('/');
      const line = text.slice(0, scanner.getTokenStart()).split('\n').length;
      found.push({ at: `${path}:${line}`, path, pattern: new RegExp(written.slice(1, end), written.slice(end + 1)) });
    } else if (kind === SyntaxKind.CloseBraceToken && templates.at(-1) === 0) {
      if (scanner.reScanTemplateToken(false) === SyntaxKind.TemplateTail) templates.pop();
    } else countBraces(kind, templates);
    before = scanner.getTokenText();
  }
  return found;
}

function countBraces(kind: SyntaxKind, templates: number[]): void {
  if (kind === SyntaxKind.TemplateHead) templates.push(0);
  const depth = templates.length > 0 ? templates.pop() : undefined;
  if (depth === undefined) return;
  const change = kind === SyntaxKind.OpenBraceToken ? 1 : kind === SyntaxKind.CloseBraceToken ? -1 : 0;
  templates.push(depth + change);
}

/** Every expression that is put together while `load` runs, by the file that asks for it. */
export async function constructedBy(
  load: () => Promise<unknown>,
  stub: (fake: unknown) => void,
): Promise<Expression[]> {
  const found = new Map<string, Expression>();
  const keep = (pattern: RegExp): RegExp => {
    // A package that builds its own says so at the top of the stack.
    const [caller = ''] = (new Error('').stack ?? '')
      .split('\n')
      .filter((line) => !/house\/expressions|^Error|<anonymous>|Reflect/.test(line));
    const path = /\/((?:engine|extensions)\/[\w./-]+\.ts)/.exec(caller)?.[1];
    if (path !== undefined) found.set(`${path} ${pattern}`, { at: path, path, pattern });
    return pattern;
  };
  stub(
    new Proxy(RegExp, {
      construct: (target, args) => keep(Reflect.construct(target, args)),
      apply: (target, self, args) => keep(Reflect.apply(target, self, args)),
    }),
  );
  await load();
  return [...found.values()];
}
