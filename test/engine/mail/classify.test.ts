import { describe, expect, it } from 'vitest';
import { type ClassifyContext, classify } from '../../../engine/mail/classify.ts';
import { signRecursion, verifyRecursion } from '../../../engine/mail/recursion.ts';
import { parsedFrom } from './fixtures.ts';

const context = (more: Partial<ClassifyContext> = {}): ClassifyContext => ({
  returnPath: undefined,
  isOwnAddress: () => false,
  isOwnMessageId: () => false,
  lists: [],
  authenticatedMember: false,
  ...more,
});

describe('mail with an empty return path', () => {
  it('is silent by what SMTP said, whatever its header says', async () => {
    const mail = await parsedFrom({ headers: [['Return-Path', '<sender@example.com>']] });
    expect(classify(mail, context({ returnPath: null }))).toBe('null_return_path');
    expect(classify(mail, context({ returnPath: '' }))).toBe('null_return_path');
    expect(classify(mail, context({ returnPath: 'sender@example.com' }))).toBeNull();
    expect(classify(mail, context())).toBeNull();
  });
});

describe('mail of a list', () => {
  it('is answered only where the persona names the list', async () => {
    const mail = await parsedFrom({
      headers: [
        ['List-Id', 'Developers <dev.lists.example.com>'],
        ['List-Unsubscribe', '<mailto:x@example.com>'],
        ['Precedence', 'list'],
      ],
    });
    expect(classify(mail, context())).toBe('mailing_list');
    expect(classify(mail, context({ lists: ['other.lists.example.com'] }))).toBe('mailing_list');
    expect(classify(mail, context({ lists: ['<DEV.lists.example.com>'] }))).toBeNull();
  });

  it('is silent all the same when a machine wrote it', async () => {
    const mail = await parsedFrom({
      headers: [
        ['List-Id', '<dev.example.com>'],
        ['Auto-Submitted', 'auto-generated'],
      ],
    });
    expect(classify(mail, context({ lists: ['dev.example.com'] }))).toBe('auto_submitted');
  });
});

describe('mail that asks for no automatic answers', () => {
  const headers = [['X-Auto-Response-Suppress', 'All']] as const;

  it('of a proven member with something to say is answered', async () => {
    expect(classify(await parsedFrom({ headers }), context({ authenticatedMember: true }))).toBeNull();
  });

  it('of anybody else, or with nothing new in it, is not', async () => {
    expect(classify(await parsedFrom({ headers }), context())).toBe('auto_submitted');
    expect(classify(await parsedFrom({ headers, body: '' }), context({ authenticatedMember: true }))).toBe(
      'auto_submitted',
    );
  });
});

describe('the recursion header', () => {
  const secret = 'a secret of this workspace';
  const messageId = '<one@agents.localhost>';
  const withValue = (value: string, id = messageId) =>
    parsedFrom({
      headers: [
        ['Message-ID', id],
        ['X-Epistle-Recursion', value],
      ],
    });

  it('is believed with our signature', async () => {
    const value = signRecursion({ depth: 2, messageId, secret });
    expect(verifyRecursion(await withValue(value), secret)).toBe(2);
  });

  it('is not believed when raised, carried to another mail, doubled, or signed by others', async () => {
    const value = signRecursion({ depth: 2, messageId, secret });
    expect(verifyRecursion(await withValue(value.replace('2;', '9;')), secret)).toBeNull();
    expect(verifyRecursion(await withValue(value, '<two@agents.localhost>'), secret)).toBeNull();
    expect(verifyRecursion(await withValue(value), 'another secret')).toBeNull();
    expect(verifyRecursion(await withValue('3'), secret)).toBeNull();
    const twice = await parsedFrom({
      headers: [
        ['Message-ID', messageId],
        ['X-Epistle-Recursion', value],
        ['x-epistle-recursion', value],
      ],
    });
    expect(verifyRecursion(twice, secret)).toBeNull();
    expect(verifyRecursion(await parsedFrom({}), secret)).toBeNull();
  });
});
