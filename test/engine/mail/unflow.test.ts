import { describe, expect, it } from 'vitest';
import { unflow } from '../../../engine/mail/text/lines.ts';
import { parsed } from './fixtures.ts';

describe('lines that go on', () => {
  it.each([
    ['are one', 'a \nb \nc\nd', 'a b c\nd'],
    ['are one without the blank where it is to go', 'a \nb', 'ab', true],
    ['end at a signature', 'a \n-- \nMe', 'a \n-- \nMe'],
    ['are not stuffed', ' >a\n  b', '>a\n b'],
    ['are one where they are quoted alike', '> a \n> b\n>> c \n>> d', '> a b\n>> c d'],
    ['H1: do not carry what was quoted into what was written', 'Yes \n> delete \n> all', 'Yes \n> delete all'],
    ['H1: nor the other way round', '> delete? \nYes', '> delete? \nYes'],
  ])('%s', (_what, text, expected, delSp = false) => {
    expect(unflow(text, delSp)).toBe(expected);
  });
});

describe('blanks that no signature covers', () => {
  const mail = (lines: readonly string[]) =>
    parsed(Buffer.from(['From: a@b.test', 'Subject: Re: x', ...lines, ''].join('\r\n')));

  it('H1: do not make new text of what was quoted', async () => {
    const flowed = 'Content-Type: text/plain; format=flowed';
    const { newText } = await mail([flowed, '', 'Yes. ', '> Please pay ', '> Mallory']);
    expect(newText.trim()).toBe('Yes.');
  });

  it('H1: do not take the text away from a part', async () => {
    const part = ['--b', 'Content-Type: text/plain', ' \t', 'Hello', '--b--'];
    expect(await mail(['Content-Type: multipart/mixed; boundary=b', '', ...part])).toMatchObject({ newText: 'Hello' });
  });
});
