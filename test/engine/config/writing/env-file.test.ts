import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { planChange } from '../../../../engine/config/writing/change.ts';
import { withVariable } from '../../../../engine/config/writing/env-file.ts';
import { temporaryWorkspace } from '../temporary-workspace.ts';

describe('a secret that is written into .env', () => {
  it.each(['plain', 'with blanks and # signs', "it's", 'say "it"', 'a=b', '$HOME $X', `it's "both"`, 'ümläut\\n'])(
    'reads back as %s, beside all others',
    (value) => {
      const text = withVariable('# mine\nOTHER=1\nNAME=old\n', 'NAME', value);
      expect(parseEnv(text)).toEqual({ OTHER: '1', NAME: value });
      expect(text).toContain('# mine');
    },
  );

  it('keeps the order of the lines, and counts where the name is written in another way, too', () => {
    expect(withVariable('A=1\nNAME=old # mine\n\nB=2', 'NAME', 'x')).toBe("A=1\nNAME='x'\n\nB=2");
    for (const text of ['NAME=a\nexport NAME=b\n', ' NAME = a\n', 'NAME=a\nNAME=b'])
      expect([text, parseEnv(withVariable(text, 'NAME', 'x')).NAME]).toEqual([text, 'x']);
  });

  it('is refused where it cannot stand in a line', () => {
    expect(() => withVariable('', 'NAME', 'two\nlines')).toThrow(/NAME/);
    expect(() => withVariable('', 'NAME', '\'"`')).toThrow(/NAME/);
  });

  it('is for its owner alone, also where the file was open', () => {
    const { path } = temporaryWorkspace({ '.env': 'OTHER=1\n' });
    chmodSync(join(path, '.env'), 0o644);
    planChange(path, { secrets: [{ name: 'NAME', value: 'x' }] }).write();
    expect(statSync(join(path, '.env')).mode & 0o777).toBe(0o600);
    expect(parseEnv(readFileSync(join(path, '.env'), 'utf8')).NAME).toBe('x');
  });
});
