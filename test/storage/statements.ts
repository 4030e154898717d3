import {
  DefaultQueryCompiler,
  type OperationNode,
  QueryCreator,
  type QueryId,
  type RawNode,
  type RootOperationNode,
} from 'kysely';
import { vi } from 'vitest';
import { postgresNode, SqliteCompiler } from '../../engine/storage/dialect.ts';
import { type Source, sourcesIn } from '../house/sources.ts';

/** A statement as it is built, before it is a text of either engine. */
interface Collected {
  readonly sql: string;
  readonly node: RootOperationNode;
  readonly queryId: QueryId;
}

const BEGINNINGS = ['selectFrom', 'insertInto', 'updateTable', 'deleteFrom'] as const;

/** Every statement that is compiled for SQLite from now on, each text once, and the lines of the code that began one. */
export function collectStatements() {
  const statements = new Map<string, Collected>();
  const begun = new Set<string>();
  const { compileQuery } = DefaultQueryCompiler.prototype;
  vi.spyOn(DefaultQueryCompiler.prototype, 'compileQuery').mockImplementation(function (
    this: DefaultQueryCompiler,
    node,
    queryId,
  ) {
    const query = compileQuery.call(this, node, queryId);
    if (this instanceof SqliteCompiler && !statements.has(query.sql))
      statements.set(query.sql, { sql: query.sql, node, queryId });
    return query;
  });
  const creator: Record<(typeof BEGINNINGS)[number], (...args: never[]) => unknown> = QueryCreator.prototype;
  for (const name of BEGINNINGS) {
    const original = creator[name];
    creator[name] = function (this: unknown, ...args: never[]) {
      begun.add(placeOf(new Error('here').stack ?? ''));
      return original.apply(this, args);
    };
  }
  return { statements, begun };
}

const placeOf = (stack: string): string => /engine\/storage\/[^:)]+:\d+/.exec(stack)?.[0] ?? '';

/** The texts between the parts of each raw piece of a statement, in either engine. */
export function rawPiecesOf(node: OperationNode): string[] {
  const pieces: string[] = [];
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    if (isNode(part)) {
      if (isRaw(part)) pieces.push(part.sqlFragments.join(BETWEEN));
      const other = postgresNode(part);
      if (other !== part) visit(other);
    }
    for (const inside of Object.values(part)) visit(inside);
  };
  visit(node);
  return pieces;
}

/** Stands for what is put into a template. */
const BETWEEN = '<>';

const isNode = (part: object): part is OperationNode => 'kind' in part && typeof part.kind === 'string';
const isRaw = (node: OperationNode): node is RawNode => node.kind === 'RawNode';

export interface Piece {
  readonly place: string;
  /** As `rawPiecesOf` has it. */
  readonly text: string;
}

/** The lines on which storage begins a statement by Kysely, and each raw piece that stands there. */
export function writtenInStorage(): { readonly places: readonly string[]; readonly pieces: readonly Piece[] } {
  const sources = sourcesIn(['engine/storage'], /\.ts$/);
  // Within a condition it is no statement of its own.
  const isBeginning = new RegExp(`(?<!\\b(?:where|eb))\\.(${BEGINNINGS.join('|')})\\(`);
  const placesIn = ({ path, text }: Source) =>
    text.split('\n').flatMap((line, at) => (isBeginning.test(line) ? [`${path}:${at + 1}`] : []));
  return { places: sources.flatMap(placesIn), pieces: sources.flatMap(rawIn) };
}

const TAG = /\bsql(?:<(?:[^<>`]|<[^<>`]*>)*>)?`/g;

function rawIn({ path, text }: Source): Piece[] {
  return [...text.matchAll(TAG)].map((match) => ({
    place: `${path}:${text.slice(0, match.index).split('\n').length}`,
    text: piecesFrom(text, match.index + match[0].length).text,
  }));
}

/** A template from behind its first backtick; what is put into it is passed over, with the templates in there. */
function piecesFrom(text: string, from: number): { readonly text: string; readonly end: number } {
  let pieces = '';
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '`') return { text: pieces, end: at };
    if (letter === '\\') {
      at += 1;
      pieces += text[at];
    } else if (letter === '$' && text[at + 1] === '{') {
      at = endOfInside(text, at + 2);
      pieces += BETWEEN;
    } else pieces += letter;
  }
  throw new Error('a template does not end');
}

function endOfInside(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '`') at = piecesFrom(text, at + 1).end;
    else if (letter === "'") at = text.indexOf("'", at + 1);
    else if (letter === '{') depth += 1;
    else if (letter === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  throw new Error('a template does not end');
}
