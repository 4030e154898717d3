import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EngineError } from '#contract';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { writeTemplates } from '../templates.ts';

export const initCommand: Register = (program, act) => {
  program
    .command('init')
    .description('Make a workspace with two personas; it asks nothing and works at once, without a key')
    .argument('<dir>', 'the folder; it is made when it does not exist')
    .action(act(init));
};

async function init(_context: CommandContext, dir: string): Promise<Outcome> {
  const workspace = resolve(dir);
  if (existsSync(join(workspace, 'configs'))) {
    throw new EngineError(
      'not_empty',
      `${workspace} has a configs/ folder already; choose another folder, or use this one`,
    );
  }
  const created = writeTemplates(workspace);
  const text = [
    `Made a workspace in ${workspace}:`,
    ...created.map((path) => `  ${path}`),
    '',
    'Next:',
    `  epistle --workspace ${dir} start`,
    `  epistle --workspace ${dir} send --to ada@agents.localhost --subject "Hello" --wait`,
    '',
    'Put a key into .env (see .env.example) and a model reads the mail; set your address in configs/security.json.',
  ].join('\n');
  return { data: { workspace, created }, text };
}
