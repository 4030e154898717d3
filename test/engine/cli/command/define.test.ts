import { Command as Commander } from 'commander';
import { describe, expect, it } from 'vitest';
import { refusal } from '../../../../engine/actions/refusal.ts';
import type { CommandContext } from '../../../../engine/cli/command/context.ts';
import { type Command, type CommandOutcome, defineCommand, register } from '../../../../engine/cli/command/define.ts';

const list = defineCommand({
  name: 'tea list',
  summary: 'Which there are',
  arguments: ['<shop>', '[shelf]'],
  options: {
    limit: { flags: '--limit <n>', about: 'how many', fallback: '2' },
    maxAge: { flags: '--max-age <years>', about: 'not older' },
    kind: { flags: '--kind <kind>', about: 'may be repeated', many: true },
  },
  async run(_context, { args: [shop, shelf], options }) {
    if (shop === 'closed') return refusal('wrong_state', 'the shop is closed');
    return { teas: [{ name: 'Assam', grams: 50 }], given: { shop, shelf, ...options } };
  },
  json: ({ teas, given }) => ({ teas, given, next: null }),
  rows: ({ teas }) => teas,
  columns: { NAME: ({ name }) => name, GRAMS: ({ grams }) => String(grams) },
  empty: 'No tea.',
  exitCode: ({ given }) => (given.shop === 'far' ? 3 : 0),
});

async function parsed(command: Command, line: string, json = false): Promise<CommandOutcome | undefined> {
  const outcomes: (CommandOutcome | undefined)[] = [];
  const program = new Commander('epistle').exitOverride();
  register(
    program,
    { name: 'tea', summary: 'Tea', commands: [command] },
    {
      act:
        (one) =>
        async (...given) => {
          outcomes.push(await one.run({ json, hint: (text: string) => text } as CommandContext, given));
        },
      typed: (words) => words,
    },
  );
  await program.parseAsync(line.split(' '), { from: 'user' });
  return outcomes[0];
}

describe('a command', () => {
  it('gets what was given by the names that it declares', async () => {
    const outcome = await parsed(list, 'tea list corner top --max-age 3 --kind green --kind black');
    expect(outcome?.data).toMatchObject({
      given: { shop: 'corner', shelf: 'top', limit: '2', maxAge: '3', kind: ['green', 'black'] },
    });
  });

  it('is a table for people and its projection for scripts', async () => {
    expect(await parsed(list, 'tea list corner')).toMatchObject({ text: 'NAME   GRAMS\nAssam  50', exitCode: 0 });
    const outcome = await parsed(list, 'tea list far', true);
    expect(outcome).toMatchObject({ data: { teas: [{ name: 'Assam' }], next: null }, text: '', exitCode: 3 });
  });

  it('ends with 1 and says why when it is refused', async () => {
    expect(await parsed(list, 'tea list closed')).toEqual({
      data: { ok: false, error: { code: 'wrong_state', message: 'the shop is closed', problems: [] } },
      text: 'the shop is closed',
      exitCode: 1,
    });
  });
});
