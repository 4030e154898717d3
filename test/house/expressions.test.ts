import { Script } from 'node:vm';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { computedMs } from '../computed.ts';
import { attacksOn, textOf } from './expression-attacks.ts';
import { constructedBy, type Expression, literalsOf } from './expressions.ts';
import { root, type Source, sourcesIn } from './sources.ts';

/** As long as the longest text that is read of a mail (body-text.ts); what sees more or less says so below. */
const TEXT = 200_000;
const HEADER = 8192;

const MAX_MS = 50;
/** A machine may be busy with something else meanwhile. */
const PATIENCE = 10 * MAX_MS;
/** Long enough to see that time grows with the square of the length. */
const FIRST = 20_000;

const sources = sourcesIn(['engine', 'extensions'], /\.ts$/);
/** Modules that put expressions together themselves, or by a function of approvals. */
const builders = sources.filter(({ text }) =>
  /\bRegExp\(|\b(?:startsWithAny|endsWithAny|lastClause|pattern)\(/.test(text),
);
const load = async ({ path }: Source): Promise<unknown> => import(`${root}/${path}`);
const built = await constructedBy(
  () => Promise.all(builders.map(load)),
  (fake) => vi.stubGlobal('RegExp', fake),
);
vi.unstubAllGlobals();
const expressions = [...sources.flatMap(literalsOf), ...built];

const lexer = await import('../../engine/mail/approval/lexer.ts');
const phrases = await import('../../engine/mail/text/phrases.ts');
const formats = await import('../../engine/documents/office/xlsx-formats.ts');
const findMail = await import('../../engine/storage/sqlite/search/find-mail.ts');
const language = await import('../../engine/languages/language.ts');

/** Where a text is shorter before an expression sees it, how long it may be and what sees to that. */
const SHORTER: readonly { readonly path: RegExp; readonly characters: number; readonly why: string }[] = [
  {
    path: /mail\/approval\/(?:statement|pattern)\.ts$/,
    characters: lexer.MAX_TOKENS + 1,
    why: 'one letter for each token of a line: MAX_TOKENS of lexer.ts',
  },
  { path: /mail\/approval\/lexer\.ts$/, characters: lexer.MAX_LINE, why: 'MAX_LINE of lexer.ts' },
  { path: /mail\/approval\/(?:closing|body|edit)\.ts$/, characters: TEXT, why: 'lines as they were written' },
  {
    path: /mail\/approval\/accounted\/own-headers\.ts$/,
    characters: 1000,
    why: 'isOwnHeader and isDrawn take no longer lines',
  },
  {
    path: /mail\/text\/header-block\.ts$/,
    characters: 4000,
    why: 'lines as label-lines.ts cuts them',
  },
  { path: /mail\/approval\/approval-answer\.ts$/, characters: TEXT, why: 'lines of the new text' },
  {
    path: /mail\/text\/phrases\.ts$/,
    characters: phrases.MAX_LINE,
    why: 'MAX_LINE of phrases.ts, asked of every line',
  },
  { path: /mail\/text\/subject\.ts$/, characters: 1000, why: 'headerText cuts subjects' },
  { path: /mail\/approval\/undo-answer\.ts$/, characters: 200, why: 'MAX_LINE of undo-answer.ts' },
  { path: /mail\/mime\/attachment-name\.ts$/, characters: 1000, why: 'MAX_WRITTEN of attachment-name.ts' },
  { path: /mail\/identity\/received-line\.ts$/, characters: 4000, why: 'MAX_CHARS of received-line.ts' },
  {
    path: /engine\/(?:config|cli|extensions)\//,
    characters: 10_000,
    why: 'files, arguments and manifests of the workspace’s own people',
  },
  {
    path: /harness\/evidence\//,
    characters: 40_000,
    why: 'MAX_CHARS of evidence/citations.ts and tokens.ts; what a model is shown is shorter',
  },
  { path: /languages\/language\.ts$/, characters: language.MAX_CHARS, why: 'MAX_CHARS of language.ts, cut before' },
  {
    path: /documents\/office\/xlsx-formats\.ts$/,
    characters: formats.MAX_FORMAT,
    why: 'MAX_FORMAT of xlsx-formats.ts, cut before',
  },
  {
    path: /sqlite\/search\/find-mail\.ts$/,
    characters: findMail.MAX_PERSON,
    why: 'MAX_PERSON of find-mail.ts, cut before',
  },
  { path: /http\/retry-after\.ts$/, characters: 40, why: 'MAX_DURATION of retry-after.ts' },
  { path: /extensions\/providers\//, characters: HEADER, why: 'the configuration, and what a vendor says of an error' },
];

/** In a context of its own, because nothing else can end an expression that runs. */
const run = new Script(
  'texts.map((text) => { const start = now(); pattern.lastIndex = 0; pattern.global ? text.replace(pattern, "") : pattern.test(text); return now() - start; })',
);

/** How long an expression takes over each text, in ms; all `Infinity` when together they took longer than `timeout`. */
function timesOf(pattern: RegExp, texts: readonly string[], timeout: number): readonly number[] {
  try {
    const times: unknown = run.runInNewContext({ pattern, texts, now: computedMs }, { timeout });
    return Array.isArray(times) ? times.map(Number) : [];
  } catch (error) {
    if (Object(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return texts.map(() => Number.POSITIVE_INFINITY);
  }
}

/** The best of some tries, in ms; `Infinity` when they took longer than `patience` each. */
const best = (pattern: RegExp, text: string, tries: number, patience: number): number =>
  Math.min(
    ...timesOf(
      pattern,
      Array.from({ length: tries }, () => text),
      patience * tries,
    ),
  );

/** What replaces each character does all that one pass can do: on a busy machine that, too, takes longer. */
const allowedFor = (text: string): number => Math.max(MAX_MS, 3 * best(/./gsu, text, 2, PATIENCE));

/** The worst that was found, as long as it is too much: `Infinity` for what takes longer than `patience`. */
function tooSlow(
  { at, pattern }: Expression,
  characters: number,
  { attacks = attacksOn(pattern), patience = PATIENCE } = {},
): string | null {
  for (let from = 0; from < attacks.length; from += BATCH) {
    const some = attacks.slice(from, from + BATCH);
    const short = timesOf(
      pattern,
      some.map((attack) => textOf(attack, Math.min(FIRST, characters))),
      2 * patience,
    );
    // The square of ten times as long is a hundred times as much: what is so quick cannot reach the limit.
    for (const attack of some.filter((_, index) => (short[index] ?? 0) >= 0.4)) {
      const text = textOf(attack, characters);
      const ms = best(pattern, text, 1, patience) > MAX_MS ? best(pattern, text, 2, patience) : 0;
      if (ms > MAX_MS && ms > allowedFor(text))
        return `${at} ${pattern}: ${ms.toFixed(0)} ms for ${JSON.stringify(attack)}`;
    }
  }
  return null;
}

const BATCH = 100;

const limitOf = ({ path }: Expression): number => SHORTER.find((each) => each.path.test(path))?.characters ?? TEXT;

describe('M6, M9: an expression that sees the text of others', () => {
  const byPath = Map.groupBy(expressions, ({ path }) => path);
  const counts = { expressions: 0, attacks: 0 };
  afterAll(() => process.stdout.write(`expressions: ${counts.expressions}, ${counts.attacks} attacks\n`));

  it.each([...byPath.keys()])('is done in a moment, whatever the text: %s', (path) => {
    const all = new Map((byPath.get(path) ?? []).map((each) => [String(each.pattern), each]));
    const slow = [...all.values()].flatMap((each) => {
      const attacks = attacksOn(each.pattern);
      counts.expressions += 1;
      counts.attacks += attacks.length;
      return tooSlow(each, limitOf(each), { attacks }) ?? [];
    });
    expect(slow).toEqual([]);
  });

  it('has no `(?i:…)`, which finds too little in a process that has many expressions', () => {
    const groups = /\(\?[ims]*-?[ims]+:/;
    expect(groups.test('(?i:authorization)')).toBe(true);
    expect(expressions.filter(({ pattern }) => groups.test(pattern.source))).toEqual([]);
  });

  it('is found wherever it is written', () => {
    expect(expressions.length).toBeGreaterThan(500);
    const builds = builders.filter(({ text }) => /\bnew RegExp\(/.test(text)).map(({ path }) => path);
    expect(builds.filter((path) => !built.some((each) => each.path === path))).toEqual([]);
    // A test that finds nothing slow has to find what is.
    const known = [
      /(?:v|M{1,4}|[,.]*)*$/,
      /^(a+)+$/,
      /\beyJ[\w-]{10,}\.eyJ/,
      /[ \t]+\n/,
      /[\s.]+$/,
      /\d+ days/,
      /(?:\+ok-[0-9a-f]{4,})+(?=@)/,
    ];
    for (const pattern of known)
      expect([pattern, tooSlow({ at: '', path: '', pattern }, TEXT, { patience: 2 * MAX_MS })]).not.toEqual([
        pattern,
        null,
      ]);
  });

  it.each(SHORTER)('is measured at a size of its own where $path says so', ({ path }) => {
    expect(sources.some((source) => path.test(source.path))).toBe(true);
  });
});

describe('finding the expressions of a file', () => {
  const found = (text: string) => literalsOf({ path: 'a.ts', text }).map(({ pattern }) => String(pattern));

  it('tells them from divisions, strings, comments and templates', () => {
    const text = [
      'const a = b / c / d; // /no/',
      'const e = /yes1/g.test(f) ? /[/]yes2/ : 1 / 2;',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a file.
      'const g = `/no/ ${h.replace(/yes3/u, `${i / j}`)} /no/ ${{ k: /yes4/ }}`;',
      "const l = '/no/'; return /yes5/; m[0] / 2; (n) / 2;",
    ].join('\n');
    expect(found(text)).toEqual(['/yes1/g', '/[/]yes2/', '/yes3/u', '/yes4/', '/yes5/']);
  });
});
