import { describe, expect, it } from 'vitest';
import { table } from '../../../engine/cli/text/table.ts';

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

  it('says so when it is empty', () => {
    expect(table(['subject'], [], 'no mail')).toBe('no mail');
  });
});
