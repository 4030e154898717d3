import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { table } from '../../../../engine/cli/text/table.ts';

describe('a table of the command line', () => {
  it('has its columns below each other, however wide a character is', () => {
    const rows = [
      ['会议纪要', 'done'],
      ['cafe\u0301', 'queued'],
      ['a longer subject', 'dead'],
    ];
    expect(table(['subject', 'status'], rows, 'none').split('\n')).toEqual([
      'subject           status',
      '会议纪要          done',
      'cafe\u0301              queued',
      'a longer subject  dead',
    ]);
  });

  it('fits into a terminal: what is long is cut, an id at its beginning', () => {
    const id = '01a20073-a3c1-70b3-8677-6d920a32347b';
    const subject = '会议纪要'.repeat(10);
    const lines = table(['ID', 'SUBJECT', 'STATUS'], [[id, subject, 'done']], 'none', 50).split('\n');
    expect(lines.map((line) => stringWidth(line) <= 50)).toEqual([true, true]);
    expect(lines[1]).toMatch(/^…[0-9a-f-]+6d920a32347b {2}会议纪要.*… {2,3}done$/);
    const [, short = ''] = /^…(\S+)/.exec(lines[1] ?? '') ?? [];
    expect(id.endsWith(short)).toBe(true);
    const narrow = table(['ID', 'SUBJECT'], [['6d920a32347b', subject]], 'none', 24);
    expect(narrow.split('\n')[1]).toBe('6d920a32347b  会议纪要…');
  });

  it('becomes a paragraph for each row where its columns do not fit', () => {
    const rows = [
      ['a', '会议纪要会议纪要', '', '6d920a32347b'],
      ['b', 'short', 'done', '6d920a32347c'],
    ];
    expect(table(['NAME', 'SUBJECT', 'STATUS', 'ID'], rows, 'none', 22).split('\n')).toEqual([
      'NAME     a',
      'SUBJECT  会议纪要会议…',
      'ID       6d920a32347b',
      '',
      'NAME     b',
      'SUBJECT  short',
      'STATUS   done',
      'ID       6d920a32347c',
    ]);
  });

  it('says so when it is empty', () => {
    expect(table(['subject'], [], 'no mail')).toBe('no mail');
  });
});
