import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EngineError } from '#contract';
import { defineCommand } from '../../command/define.ts';
import { writeTemplates } from './templates.ts';

export const init = defineCommand({
  name: 'init',
  withoutWorkspace: true,
  summary: 'Make a workspace with two personas; it asks nothing and works at once, without a key',
  arguments: [['<dir>', 'the folder; it is made when it does not exist']],
  async run(_context, { args: [dir] }) {
    const workspace = resolve(dir);
    if (existsSync(join(workspace, 'configs'))) {
      throw new EngineError(
        'not_empty',
        `${workspace} has a configs/ folder already; choose another folder, or use this one`,
      );
    }
    return { workspace, created: writeTemplates(workspace), dir };
  },
  json: ({ workspace, created }) => ({ workspace, created }),
  text: ({ workspace, created, dir }, { command }) =>
    [
      `Made a workspace in ${workspace}:`,
      ...created.map((path) => `  ${path}`),
      '',
      'Next:',
      `  ${command(`--workspace ${dir} start`)}`,
      `  ${command(`--workspace ${dir} send --to ada@agents.localhost --subject "Hello" --wait`)}`,
      '',
      'Put a key into .env (see .env.example) and a model reads the mail; set your address in configs/security.json.',
    ].join('\n'),
});
