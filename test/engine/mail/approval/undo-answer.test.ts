import { describe, expect, it } from 'vitest';
import { readUndo } from '../../../../engine/mail/approval/undo-answer.ts';

describe('an answer to what was done', () => {
  it.each([
    'undo',
    'Undo.',
    'Please undo',
    'Undo, please.',
    'rückgängig machen!',
    'Annuler',
    'deshacer',
    'rückgängig',
    'annulla, grazie',
    'ongedaan maken',
    'desfazer',
    'cofnij',
    '元に戻す',
    '撤销',
    '\nundo\nThanks, Mia',
  ])('takes the one thing back: %j', (text) => expect(readUndo(text, [1])).toEqual([1]));

  it('names what it means when there are several', () => {
    expect(readUndo('undo 2', [1, 2, 3])).toEqual([2]);
    expect(readUndo('undo 1, 3', [1, 2, 3])).toEqual([1, 3]);
    expect(readUndo('undo all', [1, 2])).toEqual([1, 2]);
    expect(readUndo('undo', [1, 2])).toEqual([]);
    expect(readUndo('undo 7', [1, 2])).toEqual([]);
  });

  it.each([
    '',
    'Why did you delete it?',
    'undo nothing, please',
    'do not undo',
    'undoing this is not needed',
    '> undo',
    `undo ${'1,'.repeat(50_000)}x`,
  ])('says something else: %j', (text) => expect(readUndo(text, [1])).toBeNull());
});
