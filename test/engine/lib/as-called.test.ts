import { describe, expect, it } from 'vitest';
import { calledAs, calledInMail, hintsHere } from '../../../engine/lib/as-called.ts';
import { root } from '../../house/sources.ts';

describe('a hint', () => {
  it('names the program as it was called, and the workspace where a command would not find it', () => {
    const hint = 'no run has the id x; see `epistle runs list`, or `epistle why last`';
    expect(hintsHere(hint, calledAs('./scripts/epistle', undefined))).toBe(
      'no run has the id x; see `./scripts/epistle runs list`, or `./scripts/epistle why last`',
    );
    expect(hintsHere('`epistle start`', calledAs('npx epistle', '../my mail'))).toBe(
      "`npx epistle start --workspace '../my mail'`",
    );
    expect(hintsHere('`epistle start`', calledAs('epistle', '.'))).toBe('`epistle start`');
    expect(calledAs('./scripts/epistle', root).workspace).toBeNull();
    expect(calledAs('./scripts/epistle', `${root}/../x`).workspace).toBe(`${root}/../x`);
  });

  it('leaves all else as it is', () => {
    const text = 'epistle, an `epistle`, and `epistle\nstart`';
    expect(hintsHere(text, calledAs('./scripts/epistle', '../x'))).toBe(text);
  });

  it('in a mail, which is read in whatever folder, with the workspace wherever it is not the usual one', () => {
    const told = (program: string, root: string) =>
      hintsHere('`epistle runs show x`', calledInMail(program, root, '/home/me'));
    expect(told('epistle', '/home/me/epistle')).toBe('`epistle runs show x`');
    expect(told('epistle', '/srv/mail')).toBe('`epistle runs show x --workspace /srv/mail`');
    expect(told('./scripts/epistle', '/srv/mail')).toBe('`./scripts/epistle runs show x --workspace /srv/mail`');
    expect(told('./scripts/epistle', root)).toBe('`./scripts/epistle runs show x`');
  });
});
