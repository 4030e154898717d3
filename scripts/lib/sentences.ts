import { readdirSync, readFileSync } from 'node:fs';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { z } from 'zod';
import { parseJson } from '../../engine/lib/json.ts';

type Kind = 'Text' | 'number' | 'boolean';

export const textsIn = (language: string): Readonly<Record<string, string>> =>
  parseJson(
    z.record(z.string(), z.string()),
    readFileSync(new URL(`../../engine/languages/${language}.json`, import.meta.url), 'utf8'),
  );

/** Each value of a sentence and what it has to be. Throws where the text is no ICU MessageFormat. */
export const valuesIn = (text: string): ReadonlyMap<string, Kind> =>
  kindsIn(parse(text, { ignoreTag: true }), new Map());

function kindsIn(elements: readonly MessageFormatElement[], kinds: Map<string, Kind>): ReadonlyMap<string, Kind> {
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
    if (element.type !== TYPE.argument && element.type !== TYPE.plural && element.type !== TYPE.select) {
      throw new Error(`days, times and numbers are written by code of their own, not by {${element.value}, …}`);
    }
    const name = element.value.replace(/_capital$/, '');
    const kind =
      element.type === TYPE.plural
        ? 'number'
        : element.type === TYPE.select && 'true' in element.options
          ? 'boolean'
          : undefined;
    kinds.set(name, kind ?? kinds.get(name) ?? 'Text');
    if (element.type === TYPE.argument) continue;
    for (const { value } of Object.values(element.options)) kindsIn(value, kinds);
  }
  return kinds;
}

const MAX_LINE = 120;
const nameOf = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);

/** Those that have a file; English, which all others are held to, stands first. */
function languagesInFiles(): readonly string[] {
  const names = readdirSync(new URL('../../engine/languages/', import.meta.url)).filter((name) =>
    name.endsWith('.json'),
  );
  const others = names.map((name) => name.slice(0, -'.json'.length)).filter((name) => name !== 'en');
  return ['en', ...others.toSorted()];
}

/**
 * `engine/languages/sentences.ts`: which languages there are, what each sentence is called, and which values it needs in
 * any of the languages.
 */
export function sentencesModule(): string {
  const languages = languagesInFiles();
  const all = languages.map(textsIn);
  const lines = Object.keys(textsIn('en')).map((key) => {
    const kinds = new Map<string, Kind>();
    for (const texts of all) {
      for (const [name, kind] of valuesIn(texts[key] ?? '')) {
        if (kind !== 'Text' || !kinds.has(name)) kinds.set(name, kind);
      }
    }
    const values = [...kinds].map(([name, kind]) => `${name}: ${kind}`);
    if (values.length === 0) return `  ${nameOf(key)}: None;`;
    const line = `  ${nameOf(key)}: { ${values.join('; ')} };`;
    return line.length <= MAX_LINE
      ? line
      : [`  ${nameOf(key)}: {`, ...values.map((one) => `    ${one};`), '  };'].join('\n');
  });
  return [
    '// Written by `node scripts/write-sentences.ts` from the JSON files.',
    '',
    '/** The languages in which the gateway speaks for itself, as ISO 639-1 codes: each is one file of this folder. */',
    `export const LANGUAGES = [${languages.map((one) => `'${one}'`).join(', ')}] as const;`,
    '',
    'type None = Readonly<Record<never, never>>;',
    'type Text = string | number;',
    '',
    '/** What the gateway says, and which values each sentence has. */',
    'export interface Sentences {',
    ...lines,
    '}',
    '',
  ].join('\n');
}
