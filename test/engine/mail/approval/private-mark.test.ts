import { describe, expect, it } from 'vitest';
import { isMarkedPrivate } from '../../../../engine/mail/approval/owner-command.ts';

describe('a mail of which nothing is to be remembered', () => {
  it.each([
    'private',
    'Private.',
    '[PRIVATE]\nMy sister is ill.',
    '\n\nPrivat:\nHallo',
    'Privé',
    '*privado*',
    '非公開\n本題',
  ])('says so on its first line: %j', (newText) => expect(isMarkedPrivate({ newText })).toBe(true));

  it.each([
    'This is private.',
    'private matters should be discussed',
    'Hello\nprivate',
    '> private',
    'privateer',
    '',
    `private${' '.repeat(60)}x`,
  ])('is no other mail: %j', (newText) => expect(isMarkedPrivate({ newText })).toBe(false));
});
