import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../engine/languages/language.ts';
import { sourcesIn } from '../../house/sources.ts';
import { filesOf } from '../../stories/sentences/write.ts';
import { rendered } from './rendered.ts';

/**
 * What only somebody who sits at the machine can mend: a key, a file, a login, a disk. Their sentences name what to type
 * and where. Everybody else is told what to answer.
 */
const OF_THE_MACHINE: ReadonlySet<string> = new Set([
  ...['drafts.why.no_imap', 'drafts.again', 'hookOff.text', 'extensionOff.text', 'backups.failed'],
  ...['logins.tools', 'logins.mailbox', 'logins.sending', 'logins.ends', 'logins.cures.login', 'logins.cures.doctor'],
  ...['news.items.whole_answers.3', 'news.items.switched_on.1', 'news.items.standing_rules.2', 'news.noName'],
  // Said to whoever cannot answer a notice: an administrator of a persona that nobody owns.
  ...['notices.details', 'notices.again', 'notices.byCommand'],
  ...[
    'pinnedTools.byCommand',
    'pinnedTools.left',
    'pinnedTools.changedAgain',
    'pinnedTools.expired',
    'pinnedTools.notWritten',
  ],
  ...['refusedAnswers.expired', 'refusedAnswers.denied', 'refusedAnswers.isPattern'],
  ...['refusedSenders.allow', 'refusedSenders.prove', 'refusedSenders.more'],
  ...['unpriced.text', 'waitingNotices.keyRefused', 'waitingNotices.keyRefusedWith', 'waitingNotices.keyMissing'],
  ...['waitingNotices.sayPrice', 'waitingNotices.mendSettings', 'waitingNotices.putKey'],
  ...['waitingNotices.spentUntil', 'waitingNotices.raise'],
]);

/** What no sentence for people holds. The lines by which an owner edits or answers are words of theirs, and not these. */
const NOT_FOR_PEOPLE: Readonly<Record<string, RegExp>> = {
  'an id': /\b(?:inv|att|run|msg)_[0-9a-f]{4,}|\bok-[0-9a-f]{8,}|\b[0-9a-f]{12,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-/,
  'an ISO time': /\d{4}-\d\d-\d\d|T\d\d:\d\d/,
  'a cron line': /(?:^|\s)(?:[\d*/,-]+\s+){4}[\d*/,-]+(?:$|\s)/,
  JSON: /[{}]|"\w+":/,
  'a file of configuration':
    /\b(?:gateway|persona|inference|security|system|extensions|context)\.json\b|\bconfigs\/|\.env\b/,
  'a shell command': /`|\bepistle [a-z]/,
  'a name that only programs have': /\b[a-z]+_[a-z_]+\b|\b[A-Z]+_[A-Z_]+\b/,
};

/** The tools that come with Epistle, as models call them. */
const TOOLS: readonly string[] = [
  ...new Set(
    sourcesIn(['extensions'], /\.ts$/).flatMap(({ path }) => /^extensions\/tools\/(\w+_\w+)\//.exec(path)?.[1] ?? []),
  ),
];

describe.each(LANGUAGES)('every sentence, as a person gets it: %s', (language) => {
  it('holds nothing that is for programs', () => {
    const found = rendered(language).flatMap(({ key, text }) =>
      OF_THE_MACHINE.has(key)
        ? []
        : Object.entries(NOT_FOR_PEOPLE).flatMap(([what, pattern]) =>
            pattern.test(text) ? [`${key} has ${what}: ${text}`] : [],
          ),
    );
    expect(found).toEqual([]);
  });

  it('names no tool as models call it, not even at the machine', () => {
    expect(TOOLS.length).toBeGreaterThan(10);
    const found = rendered(language).filter(({ text }) => TOOLS.some((tool) => text.includes(tool)));
    expect(found).toEqual([]);
  });

  it('has no gap, no mark left of a value and no word twice', () => {
    const odd = rendered(language).filter(
      ({ text }) =>
        text.trim() === '' ||
        (language === 'fr'
          ? /undefined|\[object|NaN| {2}|\s[,.](?:\s|$)/
          : /undefined|\[object|NaN| {2}|\s[,.;](?:\s|$)/
        ).test(text) ||
        /(?<![\p{L}-])(\p{L}{3,}) \1(?![\p{L}])/u.test(text),
    );
    expect(odd).toEqual([]);
  });

  it('stands in the file for its readers: else run `node test/stories/sentences/write.ts`', () => {
    const { sentences, keys } = filesOf(language);
    const written = (name: string) => readFileSync(new URL(`../../stories/sentences/${name}`, import.meta.url), 'utf8');
    expect(written(`${language}.txt`)).toBe(sentences);
    expect(written(`${language}.keys.txt`)).toBe(keys);
  });
});

it('what is excepted is there, and has something of the machine', () => {
  const english = rendered('en').filter(({ key }) => OF_THE_MACHINE.has(key));
  const plain = english.filter(({ text }) => !Object.values(NOT_FOR_PEOPLE).some((pattern) => pattern.test(text)));
  expect(new Set(english.map(({ key }) => key as string))).toEqual(OF_THE_MACHINE);
  expect(plain.map(({ key }) => key)).toEqual(['pinnedTools.left']);
});
