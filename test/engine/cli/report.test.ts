import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { reportFailure } from '../../../engine/cli/command-line.ts';
import { asListed, commandsFor, withPersonaNamed } from '../../../engine/cli/commands/index.ts';

function failing(error: unknown) {
  const told = { out: '', err: '' };
  const code = reportFailure(error, {
    json: false,
    out: (text) => {
      told.out += text;
    },
    err: (text) => {
      told.err += text;
    },
    help: () => '',
    hint: (text) => text.toUpperCase(),
  });
  return { code, ...told };
}

describe('what went wrong', () => {
  it('is told without a stack where somebody can mend it', () => {
    const closed = Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' });
    const { code, err } = failing(closed);
    expect(code).toBe(5);
    expect(err).toBe(
      'EPISTLE: UNABLE TO OPEN DATABASE FILE; SEE THAT THIS ACCOUNT MAY WRITE INTO THE DATA FOLDER OF THE WORKSPACE\n',
    );
    expect(failing(new Error('a bug')).err).toContain('report.test.ts');
  });

  it('is told so where a disk lets nobody make a folder', () => {
    // As Node tells of a folder below one that is mounted to be read alone.
    const message = "ENOENT: no such file or directory, mkdir '/mnt/data'";
    const { code, err } = failing(Object.assign(new Error(message), { code: 'ENOENT', syscall: 'mkdir' }));
    expect(code).toBe(5);
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(/ENOENT.*IS THE DISK READ-ONLY\?$/)]);
  });
});

it('says what to type in place of a command of other programs', () => {
  const unknown = (name: string) =>
    failing(new CommanderError(1, 'commander.unknownCommand', `error: unknown command '${name}'`));
  expect(unknown('inbox')).toMatchObject({ code: 2, err: expect.stringContaining('SHOWS THE MAIL THAT CAME') });
  for (const name of ['frobnicate', 'constructor']) expect(unknown(name).err).toBe('');
});

describe('a group of commands', () => {
  it('goes by its plural and its singular', () => {
    expect(asListed(['run', 'list'])).toEqual(['runs', 'list']);
    expect(asListed(['--workspace', 'run', '--json', 'personas', 'list'])).toEqual([
      ...['--workspace', 'run', '--json', 'persona', 'list'],
    ]);
    for (const words of [[], ['runs', 'list'], ['send', '--to', 'run'], ['toString']])
      expect(asListed(words)).toEqual(words);
  });
});

describe('a persona', () => {
  it.each([
    ['persona show --persona ada', 'persona show ada'],
    ['persona show ada', 'persona show ada'],
    ['persona edit --persona ada --name Eva', 'persona edit ada --name Eva'],
    ['memory search tea --persona ada', 'memory search ada tea'],
    ['chat --persona ada', 'chat ada'],
    ['runs list ada', 'runs list --persona ada'],
    ['--workspace x runs list --persona ada', '--workspace x runs list --persona ada'],
    ['runs show abc', 'runs show abc'],
    ['tasks history ada/brief', 'tasks history ada/brief'],
  ])('is named in `%s` as in `%s`', async (typed, same) => {
    const argv = typed.split(' ');
    expect(withPersonaNamed(argv, await commandsFor(argv)).join(' ')).toBe(same);
  });
});
