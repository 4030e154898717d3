import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../engine/languages/language.ts';
import { readReply } from '../../../../engine/mail/approval/approval-answer.ts';
import {
  COURTESY,
  DOUBTS,
  NO,
  NO_AGAIN,
  NUMBERED,
  SIGN_OFF,
  YES_RULES,
} from '../../../../engine/mail/approval/grammar.ts';
import { lettersOf, lexLine } from '../../../../engine/mail/approval/lexer.ts';
import { pattern } from '../../../../engine/mail/approval/pattern.ts';
import { CLASSES, PHRASE_LANGUAGES, PhraseFile } from '../../../../engine/mail/approval/phrases.ts';

const folder = new URL('../../../../engine/languages/phrases/', import.meta.url);

describe('the phrases', () => {
  it('are one file for each language, in every language that the gateway speaks', () => {
    for (const language of LANGUAGES) expect(PHRASE_LANGUAGES).toContain(language);
    for (const name of readdirSync(folder)) expect(name).toMatch(/^[a-z]{2}\.json$/);
  });

  it.each(readdirSync(folder))('have the form that the schema asks for: %s', (name) => {
    const phrases = PhraseFile.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
    for (const list of Object.values(phrases)) expect(new Set(list).size).toBe(list?.length);
  });

  it.each([{ yess: ['a'] }, { yes: [] }, { yes: [' a'] }, { yes: ['one two three four five six'] }, { yes: 'a' }])(
    'of another form are refused: %j',
    (phrases) => expect(PhraseFile.safeParse(phrases).success).toBe(false),
  );

  it.each(LANGUAGES)('say yes and no and thanks in %s', (language) => {
    const phrases = PhraseFile.parse(JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8')));
    for (const name of ['approve', 'deny', 'thanks', 'send', 'delete', 'undo'])
      expect([name, phrases[name]?.length]).toEqual([name, expect.any(Number)]);
  });

  it('have one letter for each class', () => {
    expect(new Set(Object.values(CLASSES)).size).toBe(Object.keys(CLASSES).length);
  });

  it('name nothing that a pattern could not say', () => {
    expect(() => pattern('^ yess $')).toThrow('yess');
    expect(pattern('^ yes (comma yes)* $').test(lettersOf(lexLine('yes, yes')))).toBe(true);
  });
});

describe('the rules', () => {
  it.each(YES_RULES.map(({ name, example }) => [name, example]))('%s: %j is a yes by that rule', (name, example) => {
    expect(readReply(example, [1])).toMatchObject({ answer: { kind: 'approve', items: [1] }, rules: [name] });
  });

  it('have an example that fits them and no rule before them', () => {
    for (const [index, { example, pattern: form }] of YES_RULES.entries()) {
      const letters = lettersOf(lexLine(example));
      expect([example, YES_RULES.findIndex((each) => each.pattern.test(letters))]).toEqual([example, index]);
      expect(form.test(letters)).toBe(true);
    }
    for (const { example, pattern: form } of [COURTESY, SIGN_OFF, NUMBERED, NO])
      expect([example, form.test(lettersOf(lexLine(example.replace(/[!]$/, ''))))]).toEqual([example, true]);
  });

  it('know a no, also one after another', () => {
    expect(readReply(NO.example, [1])).toMatchObject({ answer: { kind: 'deny' }, rules: [NO.name] });
    expect(readReply(NO_AGAIN.example, [1, 2, 3])).toMatchObject({ answer: { kind: 'deny', items: [1, 3] } });
    expect(readReply(NUMBERED.example, [1, 2])).toMatchObject({ answer: { kind: 'deny', items: [2] } });
  });

  it.each(DOUBTS.map(({ name, example }) => [name, example]))('%s: %j is asked back', (_, example) => {
    expect(['ambiguous', 'none']).toContain(readReply(example, [1]).answer.kind);
  });
});

describe('an edit beside other decisions', () => {
  const mail = { keys: ['to', 'subject', 'body'], long: [], act: 'send' } as const;
  const read = (text: string, items = [1, 2]) => readReply(text, items, () => mail).answer;

  it.each([
    'approve 2\nedit 1\nsubject: Hello',
    'Approve 2, edit 1:\nsubject: Hello',
    'approve 2 and edit 1\nSubject: Hello',
  ])('is made, and they are taken: %j', (text) => {
    expect(read(text)).toEqual({
      kind: 'edit',
      item: 1,
      changes: { subject: 'Hello' },
      beside: { kind: 'approve', items: [2] },
    });
  });

  it.each([
    'edit 1\nsubject: Hello\napprove 2',
    'approve 1\nedit 1\nsubject: Hello',
    'approve\nedit 1\nsubject: Hello',
    'edit 1\nsubject: Hello\n\nThanks\nMaria\napprove 2',
    'edit 1\nbody: Dear Carl\napprove 2',
    'edit 1\nbody: Dear Carl\nedit 2\nbody: x',
    'approve 2 if you like\nedit 1\nsubject: Hello',
    'Should I edit 1\nsubject: Hello',
    'edit 1\nsubjct: Hello',
  ])('is asked about where it is not sure what belongs together: %j', (text) => {
    expect(read(text).kind).toBe('ambiguous');
  });

  it('takes paragraphs below `body:` up to the signature, also with colons, lists and thanks in them', () => {
    const body = 'Dear Carl,\n\nhere it is.\nPrice: 20 EUR\n- one\n- two\n\nThank you for waiting.\n\nYes, we can.';
    const changed = read(`edit 1\nsubject: New\nbody:\n${body}\n\nBest regards\nMaria Keller\n+49 40 1234567`);
    expect(changed).toMatchObject({ kind: 'edit', changes: { subject: 'New', body } });
    expect(read(`edit 1\nbody: ${body}\nsubject: New\n\nSent from my iPhone`)).toMatchObject({
      changes: { subject: 'New', body },
    });
  });
});

describe('a closing below a text that was edited', () => {
  const lines = new Set(['Dear Carl,', 'Kind regards', 'Ada of Lind & Co']);
  const about = () => ({ keys: ['body'], long: ['body'], lines, act: 'send' as const });
  const bodyOf = (text: string) => {
    const { answer } = readReply(`edit 1\nbody: ${text}`, [1], about);
    return answer.kind === 'edit' ? answer.changes.body : answer.kind;
  };

  it.each([
    ['without a name', 'Dear Carl,\n\nsee you at two.\n\nMit freundlichen Grüßen'],
    ['as it was', 'Dear Carl,\n\nsee you at two.\n\nKind regards\nAda of Lind & Co'],
  ])('is the text’s own: %s', (_what, body) => {
    expect(bodyOf(body)).toBe(body);
    expect(bodyOf(`${body}\n\nSent from my iPhone`)).toBe(body);
    expect(bodyOf(`${body}\n\nBest regards\nMaria Keller\n+49 40 1234567`)).toBe(body);
  });

  it('is the owner’s above a name that the text did not have', () => {
    expect(bodyOf('Dear Carl,\n\nsee you at two.\n\nMany thanks and best regards\nMaria')).toBe(
      'Dear Carl,\n\nsee you at two.',
    );
  });
});

describe('a word for what is to be done', () => {
  const about = (act: 'send' | 'delete' | null) => () => ({ keys: [], long: [], act });

  it('counts for what it names alone', () => {
    expect(readReply('Yes, send it', [1], about('send')).answer.kind).toBe('approve');
    expect(readReply('Ja, alle löschen bitte', [1, 2], about('delete')).answer).toEqual({
      kind: 'approve',
      items: [1, 2],
    });
    expect(readReply('Yes, delete it', [1], about('send')).answer).toEqual({ kind: 'ambiguous', why: 'other_act' });
    expect(readReply('Yes, delete it', [1], about(null)).answer.kind).toBe('ambiguous');
  });

  it.each([
    'Yes, send it to Bob',
    'Yes, send 2 copies',
    'send',
    'delete',
    "Yes, don't send it",
    'Ja, aber nicht löschen',
    'Can you send it?',
    'No, send it',
  ])('is no yes in another sentence: %j', (text) =>
    expect(readReply(text, [1], about('send')).answer.kind).not.toBe('approve'),
  );
});

describe('between a yes and what is asked for beside it', () => {
  it.each([
    'Yes, except Tom. Tell him that I call.',
    'Yes, if, tell Tom.',
    'Yes, shorter, tell Tom.',
    'Ja, falls. Sag Tom Bescheid',
    'Ja. Kommt Kolbe denn jetzt schon? Sag das Frau Aydin.',
  ])('nothing stands that could change the yes: %s', (words) => {
    expect(readReply(words, [1]).answer.kind).toBe('ambiguous');
  });
});
