import { type AnswerLine, areSignature, closingOf, isFooter, isFormula, lineOf } from './body.ts';
import { lettersOf, lexLine, type Token } from './lexer.ts';
import { pattern } from './pattern.ts';
import { CLASSES } from './phrases.ts';
import { readStatement } from './statement.ts';
import type { AboutCall, Unclear } from './verdict.ts';

type EditReading =
  | { readonly ok: true; readonly changes: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly why: Unclear; readonly detail?: string };

const COMMAND = pattern(
  '^ please? comma? edit colon? to? object* (item? number:(number))? (comma? please)? [dot colon]? $',
);
const BEGINS = pattern('please? comma? edit');
/** What may stand between a decision and an edit in one line: "approve 2, and edit 1". */
const BETWEEN = pattern('[comma dot semicolon and please]* $');
/** A name that could be an argument of a tool; "https://" is none. */
const FIELD = /^([A-Za-z_][A-Za-z0-9_.-]{0,63})[ \t]*[:：](?!\/\/)(.*)$/;
/** What the question calls an argument, in any language. */
const LABELLED = /^([\p{L}\p{M}]{1,40})[ \t]*[:：](?!\/\/)(.*)$/u;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_FIELDS = 50;
/** Arguments that are text of several lines, whatever stands in them now. */
const LONG = new Set(['body', 'text', 'content', 'message', 'description', 'prompt']);

/** Where an edit begins, and what stands before it in the same line; null where the line asks for none. */
export function editIn({
  text,
  tokens,
}: Pick<AnswerLine, 'text' | 'tokens'>): { command: string; before: string } | null {
  const letters = lettersOf(tokens);
  const found = BEGINS.exec(letters);
  const first = found && tokens[found.index];
  if (!found || !first) return null;
  const before = tokens.slice(0, letters.slice(0, found.index).search(BETWEEN));
  if (before.length > 0 && !decides(text.slice(0, before.at(-1)?.end), before)) return null;
  return { command: text.slice(first.start), before: text.slice(0, before.at(-1)?.end ?? 0) };
}

const decides = (text: string, tokens: readonly Token[]): boolean => readStatement(text, tokens).kind === 'decisions';

/** The number of `edit 1`; undefined where the command says more than that. */
export function commandOf(command: string): { readonly number: number | null } | undefined {
  const tokens = lexLine(command.trim());
  const found = COMMAND.exec(lettersOf(tokens));
  if (!found) return undefined;
  const at = found.indices?.groups?.number?.[0];
  return { number: at === undefined ? null : Number(tokens[at]?.text) };
}

/**
 * The `key: value` lines below a command. A value goes on in lines that are indented; that of a long one, as `body`, up
 * to the next key that the call has or to the signature, whatever stands in it. `about`: the arguments of the call.
 */
export function readFields(lines: readonly string[], about: AboutCall | undefined): EditReading {
  const fields = new Map<string, string[]>();
  const end = endOf(lines, about);
  for (const line of lines.slice(0, end)) {
    const problem = takeLine(line, fields, about);
    if (problem) return { ok: false, ...problem };
  }
  if (fields.size === 0) return { ok: false, why: 'edit_empty' };
  const below = lines.slice(end).flatMap((line, index) => lineOf(line, index) ?? []);
  if (!areSignature(below)) return { ok: false, why: 'edit_below' };
  return { ok: true, changes: Object.fromEntries([...fields].map(([key, value]) => [key, textOf(value)])) };
}

type Problem = Omit<Extract<EditReading, { ok: false }>, 'ok'>;

/** Adds a line to the values; why not, where it belongs to none. */
function takeLine(line: string, fields: Map<string, string[]>, about: AboutCall | undefined): Problem | null {
  const [key, open] = [...fields].at(-1) ?? [];
  if (line.trim() === '' || (open && /^\s/.test(line))) {
    open?.push(line);
    return null;
  }
  const isText = open !== undefined && isLong(key, about);
  const field = fieldIn(line, about);
  // A letter may have a line such as "To: all of you": the names that a question shows count above a text alone.
  if (field && (!isText || (field.known && !field.byLabel))) return takeField(field, fields);
  if (!isText) return { why: 'edit_line' };
  // A yes below the text is the text's or the owner's, and nobody can say whose.
  if (isDecision(line)) return { why: 'edit_below' };
  open.push(line);
  return null;
}

function takeField({ key, value, known }: Field, fields: Map<string, string[]>): Problem | null {
  if (!known) return { why: 'edit_unknown_key', detail: key };
  if (FORBIDDEN.has(key) || fields.has(key) || fields.size >= MAX_FIELDS) return { why: 'edit_keys' };
  fields.set(key, [value]);
  return null;
}

interface Field {
  readonly key: string;
  readonly value: string;
  /** Whether the call has it; every key is known where nobody said what the call has. */
  readonly known: boolean;
  /** It goes by the name that the question shows. */
  readonly byLabel?: true;
}

const isLong = (key: string | undefined, about: AboutCall | undefined): boolean =>
  key !== undefined && (LONG.has(key.toLowerCase()) || about?.long.includes(key) === true);

function fieldIn(line: string, about: AboutCall | undefined): Field | null {
  const [, label = '', labelled = ''] = LABELLED.exec(line) ?? [];
  const shown = about?.keys.includes(label) ? undefined : about?.labels?.get(label.toLowerCase());
  if (shown !== undefined) return { key: shown, value: labelled.replace(/^[ \t]+/, ''), known: true, byLabel: true };
  const [found, written = '', first = ''] = FIELD.exec(line) ?? [];
  if (found === undefined) return null;
  // A phone begins each line with a capital.
  const named = about?.keys.filter((key) => key.toLowerCase() === written.toLowerCase()) ?? [];
  const key = named.includes(written) || named.length !== 1 ? written : (named[0] ?? written);
  return { key, value: first.replace(/^[ \t]+/, ''), known: about === undefined || about.keys.includes(key) };
}

/** More lines than this are no signature. */
const MAX_SIGNATURE = 80;

/**
 * Where the last value ends: where there is nothing but courtesy, names and footers any more. Thanks alone are a
 * letter's own, and so are a closing without a name and what was in the text before; they are the sender's above a bare name.
 */
function endOf(lines: readonly string[], about: AboutCall | undefined): number {
  const first = lines.findIndex((line) => fieldIn(line, about)?.known);
  const all = lines.flatMap((line, index) => {
    const read = index > first && first >= 0 ? lineOf(line, index) : null;
    return read ? [{ ...read, raw: line }] : [];
  });
  const last = all.slice(-MAX_SIGNATURE);
  for (const [at, { raw, text, tokens, index }] of last.entries()) {
    if (/^\s/.test(raw) || fieldIn(raw, about)?.known || !areSignature(last.slice(at))) continue;
    const inLetter = isLong(keyAbove(lines.slice(0, index), about), about);
    // What stood there before is the letter's, and so is how it closes where nobody signs below it.
    if (inLetter && about?.lines?.has(raw.trim())) continue;
    const below = last.slice(at + 1);
    const nobodySigns = below.every((line) => isFooter(line.text)) || below.some((line) => isFormula(line.tokens));
    if (inLetter && isFormula(tokens) && nobodySigns) continue;
    const isCourtesy = readStatement(text, tokens).kind === 'harmless';
    const next = last[at + 1];
    if (
      !inLetter ||
      !isCourtesy ||
      (next && next.tokens[0]?.letter === CLASSES.name && closingOf(next.text, next.tokens, false))
    )
      return index;
  }
  return lines.length;
}

const keyAbove = (lines: readonly string[], about: AboutCall | undefined): string | undefined =>
  lines.flatMap((line) => fieldIn(line, about) ?? []).findLast(({ known }) => known)?.key;

/** Whether a line of the value is, word for word, an answer of its own. */
function isDecision(line: string): boolean {
  const tokens = lexLine(line.trim());
  const meaning = readStatement(line.trim(), tokens);
  const named = meaning.kind === 'decisions' && meaning.decisions.some(({ target }) => target !== 'none');
  return named || commandOf(line)?.number != null;
}

/** The lines below the key lose the indentation that they share. */
function textOf([first = '', ...more]: readonly string[]): string {
  const indents = more.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)?.[0].length ?? 0);
  const indent = indents.reduce((least, each) => Math.min(least, each), 1000);
  const lines = [first, ...more.map((line) => line.slice(indent))].map((line) => line.trimEnd());
  return lines.join('\n').replace(/^\n/, '').trimEnd();
}
