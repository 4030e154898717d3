import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { spentSaid } from '../../../engine/delivery/notices/waiting-notice.ts';
import { editLineOf } from '../../../engine/delivery/questions/approval-text.ts';
import { playbookInWords } from '../../../engine/features/playbooks-by-tool.ts';
import { LANGUAGES, type Language } from '../../../engine/languages/language.ts';
import { keysByLabel, labelOf } from '../../../engine/suspensions/labels.ts';
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

/**
 * What one sentence may have, and nothing else of what follows. Of what decides who may do what: whoever knows nothing of a
 * change ends sessions at the machine.
 */
const WITH: Readonly<Record<string, readonly string[]>> = {
  'settingChanged.text': ['a shell command', 'a file of configuration'],
  'settingChanged.commandText': ['a file of configuration'],
};

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

/** Calls as they stand in questions, with what an owner could change in each. */
const CALLS: readonly { readonly tool: string; readonly args: Readonly<Record<string, Json>> }[] = [
  { tool: 'send_email', args: { to: ['carol@example.com'], subject: 'Lunch', body: 'On Friday.' } },
  { tool: 'write_file', args: { path: 'notes/old.md', content: 'What is in it, on one line' } },
  { tool: 'edit_file', args: { path: 'notes/old.md', old_text: 'a', new_text: 'b' } },
  { tool: 'delete_file', args: { path: 'notes/old.md' } },
  {
    tool: 'schedule_task',
    args: { action: 'create', task: 'till', schedule: 'at 2030-01-05T09:00', prompt: 'Count the till.' },
  },
  {
    tool: 'invite',
    args: { to: ['carol@example.com'], title: 'Pump order', start: '2030-01-05T14:00:00+01:00', duration_min: 45 },
  },
  { tool: 'invite', args: { id: 'inv_0123456789ab', start: '2030-01-05T14:00:00+01:00' } },
  { tool: 'answer_invitation', args: { id: 'inv_0123456789ab', answer: 'accepted', comment: 'I will be there.' } },
  { tool: 'answer_invitation', args: { id: 'inv_0123456789ab', answer: 'accepted' } },
  { tool: 'remember', args: { text: 'The flight is at 9', quote: 'at 9', kind: 'plan', everyone: true } },
  { tool: 'remember_rule', args: { quote: 'Never save files.', effect: 'deny' } },
  { tool: 'propose_playbook', args: { kind: 'answer', words: 'When an invoice comes, keep it.', steps: [] } },
  { tool: 'shell', args: { command: 'ls' } },
  { tool: 'web_fetch', args: { url: 'https://example.com/prices' } },
];

/** A way of working, with every place that it may look at. */
const PLAYBOOK = {
  kind: 'answer',
  words: 'When an invoice comes, put it into invoices and tell Carol.',
  steps: [
    {
      tool: 'write_file',
      arguments: { path: 'invoices/{{mail.subject}}.md', content: '{{mail.text}}' },
      when: [
        { of: 'mail.subject', is: 'containing', value: 'invoice' },
        { of: 'mail.attachments', is: 'not_equal', value: 0 },
        { of: 'mail.line_after Order:', is: 'present' },
      ],
    },
    {
      tool: 'send_email',
      arguments: { to: ['carol@example.com'], subject: '{{thread.subject}}', body: '{{mail.word_after Order:}}' },
      when: [
        { of: 'mail.domain', is: 'equal', value: 'example.com' },
        { of: 'mail.name', is: 'absent' },
      ],
    },
  ],
  deny: [
    {
      rule: 'no-programs',
      tool: 'write_file',
      reason: 'no programs',
      when: [{ of: 'arguments.path', is: 'containing', value: 'exe' }],
    },
  ],
};

/** Languages whose sums have a comma before the cents. */
const WITH_COMMA: ReadonlySet<Language> = new Set(['de', 'es', 'fr', 'it', 'nl', 'pl', 'pt']);

describe.each(LANGUAGES)('every sentence, as a person gets it: %s', (language) => {
  it('is free of all that in the question about a way of working, too', () => {
    const text = playbookInWords(PLAYBOOK as never, 2, language);
    const found = Object.entries(NOT_FOR_PEOPLE).filter(([, pattern]) => pattern.test(text));
    expect(found, text).toEqual([]);
    expect(text).not.toMatch(/\b(?:mail|thread|arguments)\.\w|\b(?:containing|not_equal)\b/);
    expect(text.includes('carol@example.com') && text.includes('invoices/[')).toBe(true);
  });

  it('asks for what is to be changed by a name of that language', () => {
    for (const { tool, args } of CALLS) {
      const line = editLineOf([{ tool, arguments_json: JSON.stringify(args) }], language);
      const [label = ''] = line.split(/[:：]/);
      const key = keysByLabel(tool, Object.keys(args)).get(label.trim().toLowerCase());
      expect(key && labelOf(tool, key, language), `${tool}: ${line}`).toBe(label.trim());
    }
  });

  it('has sums as they are written there', () => {
    const sums = rendered(language).filter(({ text }) => /USD/.test(text));
    expect(sums.length).toBeGreaterThan(3);
    const wrong = sums.filter(({ text }) => (WITH_COMMA.has(language) ? /\d\.\d/ : /\d,\d{2}\b/).test(text));
    expect(wrong).toEqual([]);
    const day = {
      name: 'Ada',
      mails: 5,
      unit: 'USD',
      digits: 2,
      most: { sender: 'carol@example.com', usd: 1.25 },
    } as const;
    const said = spentSaid({ ...day, spent: 1234.5, limit: 2000 }, true, language);
    expect(said).toContain(new Intl.NumberFormat(language, { minimumFractionDigits: 2 }).format(1234.5));
    expect(said).toContain(WITH_COMMA.has(language) ? '1,25' : '1.25');
  });

  it('holds nothing that is for programs', () => {
    const found = rendered(language).flatMap(({ key, text }) =>
      OF_THE_MACHINE.has(key)
        ? []
        : Object.entries(NOT_FOR_PEOPLE).flatMap(([what, pattern]) =>
            pattern.test(text) && !WITH[key]?.includes(what) ? [`${key} has ${what}: ${text}`] : [],
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
  for (const [key, patterns] of Object.entries(WITH)) {
    const texts = rendered('en').flatMap((one) => (one.key === key ? one.text : []));
    expect(patterns.filter((what) => !texts.some((text) => NOT_FOR_PEOPLE[what]?.test(text)))).toEqual([]);
  }
});
