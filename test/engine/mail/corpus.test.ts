import { afterAll, describe, expect, it } from 'vitest';
import { classify } from '../../../engine/mail/classify.ts';
import type { ParsedMail } from '../../../engine/mail/mime/types.ts';
import { createMailParser } from '../../../engine/mail/reading/parse.ts';
import { cases, type Expected } from '../../corpus/cases.ts';
import { LIMITS } from './limits.ts';

const parser = createMailParser({ limits: LIMITS });
afterAll(() => parser.close());

describe('a mail of the corpus', () => {
  it('has its own name', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    expect(cases.length).toBeGreaterThan(110);
  });

  it.each(cases)('is understood: $name', async ({ raw, expect: expected }) => {
    // What takes too long is not a mail that was understood: the parser's own deadline makes it `unparsable`.
    const outcome = await parser.parse(raw);
    expect(outcome.ok ? 'ok' : outcome.code).toBe(expected.outcome);
    if (outcome.ok) check(outcome.mail, expected);
  });
});

function check(mail: ParsedMail, expected: Expected): void {
  if (expected.from) expect(mail.from.kind).toBe(expected.from);
  if (expected.address) expect(mail.from).toMatchObject({ mailbox: { address: expected.address } });
  if (expected.from !== 'ambiguous') expect(mail.provable.fault !== null).toBe(expected.fault ?? false);
  if (expected.newText !== undefined) expect(mail.newText).toBe(expected.newText);
  if (expected.signature !== undefined) expect(mail.signature).toBe(expected.signature);
  if (expected.quotedContains) expect(mail.quotedText).toContain(expected.quotedContains);
  if (expected.forwardedContains) expect(mail.forwardedText).toContain(expected.forwardedContains);
  for (const words of expected.textContains ?? []) expect(mail.text).toContain(words);
  for (const words of expected.hides ?? []) expect(JSON.stringify({ ...mail, otherPieces: null })).not.toContain(words);
  if (expected.limitation) expect(mail.limitations.join('\n')).toMatch(expected.limitation);
  if (expected.attachments) expect(mail.attachments.map(({ name }) => name)).toEqual(expected.attachments);
  if (expected.mail) expect(mail).toMatchObject(expected.mail);
  if (expected.silence !== undefined) expect(silenceOf(mail)).toBe(expected.silence);
}

const silenceOf = (mail: ParsedMail) =>
  classify(mail, {
    returnPath: undefined,
    isOwnAddress: (address) => address.endsWith('@agents.localhost'),
    lists: [],
    authenticatedMember: false,
  });
