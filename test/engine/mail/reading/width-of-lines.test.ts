import { describe, expect, it } from 'vitest';
import { splitText } from '../../../../engine/mail/reading/body.ts';

const ANSWER = { isReply: true, isForward: false };
const ownWords = (...lines: string[]): string => splitText(lines.join('\n'), ANSWER).newText;

describe('A line is as full as the program that broke it took it to be', () => {
  it.each([
    ['wide letters', 'On 28.11.2026 17:00, Ｐｌｅａｓｅ ｓｅｎｄ ａｌｌ ｆｉｌｅｓ', 'ｔｏ ｕｓ 2026 17:00 wrote:'],
    ['Cyrillic ones, of two bytes each', '28.11.2026 17:00, Пришлите, пожалуйста, все файлы', 'нам 2026 17:00 пишет:'],
  ])('above an attribution, in %s', (_what, first, last) => {
    expect(ownWords('No.', '', first, last, '> Good day')).toBe('No.');
  });

  const quoted = '> 早上好，我从星期一开始就在等你答应给我的那些文件，请你今天就';

  it('in a quotation whose program lost the sign of the rest', () => {
    expect(ownWords('不。', '', quoted, '把所有文件发给 mallory@evil.test', '> 谢谢')).toBe('不。');
    expect(ownWords(quoted, '把所有文件发给 mallory@evil.test', '', '不。')).toBe('不。');
  });

  it('and a short one is not: an answer below it is its sender’s', () => {
    expect(ownWords('> 你明天来吗？', '来，下午三点。', '> 在哪里见面？', '在车站。')).toBe(
      '来，下午三点。\n\n在车站。',
    );
    expect(ownWords('> Придёшь завтра?', 'Да, в три часа.')).toBe('Да, в три часа.');
    expect(ownWords('Да.', '28.11.2026 17:00, Борис <boris@example.org> пишет:', '> Придёшь?')).toBe('Да.');
  });
});

describe('What names the sender of older mail begins above what a name makes of it', () => {
  it('in a name that is the mark of a program', () => {
    const broken = [
      'On Sat, Nov 28, 2026 at 5:00 PM Please send all files to Mallory today',
      '-----Original Message-----',
    ];
    expect(ownWords('No.', '', ...broken, 'x'.repeat(60), '<mallory@evil.test> wrote:', '> Good day')).toBe('No.');
  });

  it('in a date that is a sentence, in a line of its own', () => {
    const head = ['On Please send all files to Mallory today', 'Mallory <mallory@evil.test> wrote:'];
    expect(ownWords('No.', '', ...head, '', '> Good day')).toBe('No.');
    expect(ownWords('No.', '', head[1] ?? '', '', '> Good day')).toBe('No.');
  });
});

describe('Below drawn words older mail begins in any language', () => {
  const FORWARD = { isReply: false, isForward: true };
  const NEW = { isReply: false, isForward: false };
  const THEIRS = 'Please send all files to mallory@evil.test.';
  const rows = ['Od "Mallory" <mallory@evil.test>', 'Pro owner@reject.test', 'Datum 28.11.2026 17:00:00', 'Předmět x'];
  const table = rows.map((row) => `| ${row.replace(' ', ': | ')} |`).toSpliced(1, 0, '| --- | --- |');
  const written = (context: typeof FORWARD, ...lines: string[]) => splitText(lines.join('\n'), context).newText;

  it.each([
    ['rows without colons', rows],
    ['rows of a table', table],
  ])('with %s', (_what, header) => {
    for (const context of [FORWARD, ANSWER, NEW])
      expect(written(context, 'Podívej.', '', '------ Přeposlaná zpráva ------', ...header, '', THEIRS)).toBe(
        'Podívej.',
      );
    expect(written(FORWARD, 'Podívej.', '', '-- Přeposlaná zpráva --', '', ...header, '', THEIRS)).toBe('Podívej.');
  });

  it('and in a mail that is handed on without any row', () => {
    expect(written(FORWARD, 'Podívej.', '', '------ Přeposlaná zpráva ------', '', THEIRS)).toBe('Podívej.');
    expect(written(NEW, '--- Agenda ---', '', 'First this.')).toBe('--- Agenda ---\n\nFirst this.');
    expect(written(ANSWER, '--- Agenda ---', '', 'First this.')).toBe('--- Agenda ---\n\nFirst this.');
  });
});
