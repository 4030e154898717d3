import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { withVariable, writeSecret } from '../../../../engine/config/writing/env-file.ts';
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

  it('is refused where it cannot stand in a line', () => {
    expect(() => withVariable('', 'NAME', 'two\nlines')).toThrow(/NAME/);
    expect(() => withVariable('', 'NAME', '\'"`')).toThrow(/NAME/);
  });

  it('is for its owner alone, also where the file was open', () => {
    const { path } = temporaryWorkspace({ '.env': 'OTHER=1\n' });
    chmodSync(join(path, '.env'), 0o644);
    writeSecret(path, 'NAME', 'x');
    expect(statSync(join(path, '.env')).mode & 0o777).toBe(0o600);
    expect(parseEnv(readFileSync(join(path, '.env'), 'utf8')).NAME).toBe('x');
  });
});
