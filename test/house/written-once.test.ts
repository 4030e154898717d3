import { describe, expect, it } from 'vitest';
import { SETTINGS_FILES, settingsOf } from '../../engine/config/reference/settings.ts';
import { LANGUAGES } from '../../engine/languages/language.ts';
import { textsIn } from '../../scripts/lib/sentences.ts';
import { roomOf } from './rooms.ts';
import { type Source, sourcesIn } from './sources.ts';

const engine = sourcesIn(['engine'], /\.ts$/);

/** What is written down more than once, each with its places. */
function secondPlaces<One extends { readonly place: string }>(
  all: readonly One[],
  what: (one: One) => string,
): readonly string[] {
  return [...Map.groupBy(all, what)].flatMap(([said, places]) =>
    places.length > 1 ? [`${said}: ${places.map(({ place }) => place).join(', ')}`] : [],
  );
}

/** Without its comments; every line stays where it is. */
const codeOf = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replaceAll(/[^\n]/g, ' '));
const placeOf = ({ path, text }: Source, index: number): string => `${path}:${text.slice(0, index).split('\n').length}`;

/** Where the text ends that begins at `at`; a quotation mark in an expression begins none. */
const endOfText = (code: string, mark: string, at: number): number => Math.max(code.indexOf(mark, at + 1), at);

/** What stands between the bracket at `from` and the one that ends it. */
function inside(code: string, from: number): string {
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    const letter = code[at] ?? '';
    if (`'"\``.includes(letter)) at = endOfText(code, letter, at);
    else if ('([{'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter)) depth -= 1;
    if (depth === 0) return code.slice(from + 1, at);
  }
  return '';
}

/** The parts of a list, cut where no bracket is open. */
function parts(body: string, ends: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let since = 0;
  for (let at = 0; at < body.length; at += 1) {
    const letter = body[at] ?? '';
    if (`'"\``.includes(letter)) at = endOfText(body, letter, at);
    else if ('([{<'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter) || (letter === '>' && body[at - 1] !== '=')) depth -= 1;
    else if (depth === 0 && letter === ends) {
      found.push(body.slice(since, at));
      since = at + 1;
    }
  }
  return [...found, body.slice(since)].map((one) => one.replaceAll(/\s+/g, ' ').trim()).filter((one) => one !== '');
}

interface Shape {
  readonly place: string;
  readonly name: string;
  /** Each with its type, in the order of the alphabet. */
  readonly fields: readonly string[];
}

const FEWEST_FIELDS = 4;
const TYPE = /^(?:export )?(?:interface (?<name>\w+)[^={;]*|type (?<alias>\w+)(?:<[^=]*>)? = (?:Readonly<)?)(?=\{)/gm;
const OBJECT = /\bz\s*\.(?:strictObject|looseObject|object)\(\s*(?=\{)/g;

/** The types and the zod objects of a file, by what they are made of. */
function shapesIn(source: Source): Shape[] {
  const code = codeOf(source.text);
  const made = (match: RegExpExecArray, name: string, ends: string): Shape => ({
    place: `${placeOf(source, match.index)}${name === '' ? '' : ` ${name}`}`,
    name,
    fields: parts(inside(code, match.index + match[0].length), ends)
      .map((field) => field.replace(/^readonly /, ''))
      .toSorted(),
  });
  return [
    ...[...code.matchAll(TYPE)].map((match) => made(match, match.groups?.name ?? match.groups?.alias ?? '', ';')),
    ...[...code.matchAll(OBJECT)].map((match) => made(match, '', ',')),
  ].filter(({ fields }) => fields.length >= FEWEST_FIELDS);
}

const shapes = engine.flatMap(shapesIn);

describe('a shape', () => {
  it('is written down in one place', () => {
    expect(shapes.length).toBeGreaterThan(500);
    expect(secondPlaces(shapes, ({ fields }) => fields.join('; '))).toEqual([]);
  });

  it('has a name that no other room gives to another one', () => {
    const named = engine.flatMap((source) =>
      [...codeOf(source.text).matchAll(/^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm)].map((match) => ({
        place: placeOf(source, match.index),
        room: roomOf(source.path),
        name: match[1] ?? '',
      })),
    );
    expect(named.length).toBeGreaterThan(1000);
    expect(new Set(named.map(({ room }) => room)).size).toBeGreaterThan(60);
    expect(secondPlaces(named, ({ name }) => name)).toEqual([]);
  });
});

/** Objects of settings, each by the names of its keys: `delivery` of configs/gateway.json has `first_retry_s`, … */
const objects = Object.keys(SETTINGS_FILES).flatMap((name) => {
  const keys = settingsOf(name as keyof typeof SETTINGS_FILES).map(({ key }) => key);
  const levels = keys.flatMap((key) =>
    key.split('.').map((part, index, all) => ({ of: `${name}:${all.slice(0, index).join('.')}`, key: part })),
  );
  return [...Map.groupBy(levels, ({ of }) => of)].map(([of, found]) => ({
    of,
    keys: new Set(found.map(({ key }) => key.replaceAll('[]', ''))),
  }));
});

const LIST = /(?<=[=(:,]\s*)\[(?=\s*')/g;

/** Lists of texts, and the names of what a shape has: each may be a list of keys. */
function namesIn(source: Source): { readonly place: string; readonly names: readonly string[] }[] {
  const code = codeOf(source.text);
  const lists = [...code.matchAll(LIST)].map((match) => ({
    place: placeOf(source, match.index),
    names: parts(inside(code, match.index), ',').flatMap((one) => /^'([\w.[\]]+)'$/.exec(one)?.[1] ?? []),
  }));
  const fields = shapesIn(source).map((shape) => ({
    place: shape.place,
    names: shape.fields.flatMap((field) => /^'?([\w.[\]]+)'?\??:/.exec(field)?.[1] ?? []),
  }));
  return [...lists, ...fields];
}

const SCHEMAS = /^engine\/config\/(?:[\w-]+\/)?[\w-]*schemas?\.ts$/;

/** Lists of the same names, each with the object that has them as keys, and with why it stands. */
const NO_SECOND_LIST: readonly string[] = [
  // The order of the risks, which `tool_policy.risk` has a key for each of.
  'engine/lib/risks.ts: security:tool_policy.risk',
  // Of the settings, those that a budget is counted by; the compiler holds them to the schema. So it does the next one.
  'engine/storage/types/budget.ts: persona:budget',
  'engine/queries/doctor/switched.ts: inference:stages',
  // An extension sees the contract, which imports no schema of the engine.
  'engine/contract/provider.ts TokenPrice: inference:prices.<name>',
  // What a command can change of a persona, where nothing is left out by mistake.
  'engine/actions/set-up/edit-persona.ts PersonaEdit: persona:',
  // Of the settings, those that decide who may do what.
  'engine/actions/set-up/change-setting.ts: persona:',
  // Names of RFC 8414, by which a provider publishes what a setting can say in its place.
  'engine/mailbox/oauth/grant/log-in.ts: gateway:mailboxes[].oauth',
];

describe('a key of a setting', () => {
  it('is declared in its schema, and no second list of the keys of an object stands elsewhere', () => {
    expect(objects.length).toBeGreaterThan(40);
    const lists = engine.filter(({ path }) => !SCHEMAS.test(path)).flatMap(namesIn);
    expect(lists.length).toBeGreaterThan(1000);
    const second = lists.flatMap(({ place, names }) => {
      const last = names.map((name) => name.split('.').at(-1)?.replaceAll('[]', '') ?? '');
      const of = objects.find(({ keys }) => last.length >= FEWEST_FIELDS && last.every((name) => keys.has(name)));
      // Not by its line, which moves with whatever stands above it.
      return of === undefined ? [] : [`${place.replace(/:\d+/, '')}: ${of.of}`];
    });
    expect(second.toSorted()).toEqual(NO_SECOND_LIST.toSorted());
  });
});

/** A clause of fewer words, such as "it is too large", is said of many things. */
const FEWEST_WORDS = 7;
const TEXT = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\[\s\S]|[^`\\])*)`/g;

/** Sentences that have to stand twice. */
const SAID_TWICE: readonly string[] = [];

describe('a sentence', () => {
  it('is written down in one place of the code', () => {
    const said = engine.flatMap((source) =>
      [...codeOf(source.text).matchAll(TEXT)].map((match) => ({
        place: placeOf(source, match.index),
        text: (match[1] ?? match[2] ?? match[3] ?? '')
          .replaceAll(/\$\{[^}]*\}/g, '{}')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      })),
    );
    // A path of an import has words, too.
    const sentences = said.filter(
      ({ text }) => !text.startsWith('.') && (text.match(/\p{L}+/gu) ?? []).length >= FEWEST_WORDS,
    );
    expect(sentences.length).toBeGreaterThan(1000);
    expect(secondPlaces(sentences, ({ text }) => text).filter((one) => !SAID_TWICE.includes(one))).toEqual([]);
  });

  it('has one key in the files of languages: two that say the same in one language differ in another', () => {
    const texts = LANGUAGES.map(textsIn);
    const keys = Object.keys(texts[0] ?? {}).map((place) => ({ place, texts: texts.map((each) => each[place] ?? '') }));
    expect(keys.length).toBeGreaterThan(600);
    // A table by act, of which each language gives every act the words and the case that it takes.
    const sentences = keys.filter(({ place }) => !place.startsWith('receipt.acts.'));
    expect(secondPlaces(sentences, (one) => one.texts.join('\n'))).toEqual([]);
  });
});
