import { describe, expect, it } from 'vitest';
import { type Source, sourcesIn } from '../../house/sources.ts';
import { writtenInStorage } from '../../storage/statements.ts';

interface Written {
  readonly place: string;
  /** What it says, whatever its values are called. */
  readonly statement: string;
}

/** The second place of each statement, with the first. */
function secondPlaces(written: readonly Written[]): readonly string[][] {
  const places = Map.groupBy(written, ({ statement }) => statement);
  return [...places].flatMap(([statement, all]) =>
    all.length > 1 ? [[statement, ...all.map(({ place }) => place)]] : [],
  );
}

const BEGINNING = /\.(?=(?:selectFrom|insertInto|updateTable|deleteFrom)\()/g;
/** What says how it is run, and nothing of what it asks for. */
const ENDING = /^(execute\w*|as|\$call|compile)$/;

const builtIn = ({ path, text }: Source): Written[] =>
  [...text.matchAll(BEGINNING)].map(({ index }) => ({
    place: `${path}:${text.slice(0, index).split('\n').length}`,
    statement: callsFrom(text, index)
      .filter(({ name }) => !ENDING.test(name))
      .map(({ name, values }) => `.${name}(${values.map(SETS.test(name) ? asWritten : asValue).join(', ')})`)
      .join(''),
  }));

interface Call {
  readonly name: string;
  readonly values: readonly string[];
}

/** The calls of a chain, each with its values as they are written. */
function callsFrom(text: string, from: number): Call[] {
  const [, name = ''] = /^\s*\.([\w$]+)(?=\()/.exec(text.slice(from, from + 200)) ?? [];
  if (name === '') return [];
  const begin = text.indexOf('(', from);
  const values: string[] = [];
  let depth = 0;
  let since = begin + 1;
  for (let at = begin; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (`'"\``.includes(letter)) at = text.indexOf(letter, at + 1);
    else if ('([{'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter)) depth -= 1;
    if (depth === 0 || (depth === 1 && letter === ',')) {
      values.push(text.slice(since, at).trim());
      since = at + 1;
    }
    if (depth === 0) return [{ name, values: values.filter((value) => value !== '') }, ...callsFrom(text, at + 1)];
  }
  return [];
}

/** Which columns it sets is a part of it. */
const SETS = /^(set|values|doUpdateSet|selectFrom)$/;
const asWritten = (value: string): string => value.replaceAll(/\s+/g, ' ');

/** A name, a list of names or an expression of its own; anything else is a value that is bound. */
const asValue = (value: string): string => {
  const plain = value.replaceAll(/\s+/g, ' ');
  return /^('[^']*'|\[[^$]*'.*\]|sql.*|.*=>.*)$/.test(plain) ? plain : '?';
};

describe('a statement of the store', () => {
  it('is written down in one place, where it is text', () => {
    const { pieces } = writtenInStorage();
    const statements = pieces
      .map(({ place, text }) => ({ place, statement: text.replaceAll(/\s+/g, ' ').trim() }))
      .filter(({ statement }) => /^(select|insert|update|delete|with)\b/.test(statement) && statement.includes(' '));
    expect(statements.length).toBeGreaterThan(80);
    expect(secondPlaces(statements)).toEqual([]);
  });

  it('is written down in one place, where Kysely builds it', () => {
    const statements = sourcesIn(['engine/storage'], /\.ts$/).flatMap(builtIn);
    expect(statements.length).toBeGreaterThan(300);
    expect(secondPlaces(statements)).toEqual([]);
  });
});
