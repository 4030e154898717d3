import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { EngineError, type Json } from '#contract';
import { loadConfigs } from '../../../config/load.ts';
import { PERSONA_ID, personaFileOf } from '../../../config/persona-file.ts';
import { ConfigError } from '../../../config/problems/problem.ts';
import { planChange } from '../../../config/writing/change.ts';
import { keyOf } from '../../../config/writing/settings.ts';
import { anyJson, readJson } from '../../../lib/json.ts';
import { crashPointsOf } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { changesShown } from '../../text/changes.ts';
import { SETTINGS_FILES, type SettingsName, settingsSchema } from './settings.ts';

const NAMES = Object.keys(SETTINGS_FILES);
const isName = (text: string): text is SettingsName => Object.hasOwn(SETTINGS_FILES, text);

const show = defineCommand({
  name: 'config show',
  summary: 'What is in force, with the default of every key that no file sets',
  arguments: [['[file]', 'gateway, security, inference, context, system or extensions; all of them by default']],
  async run({ root }, { args: [file] }) {
    const { configs, problems } = loadConfigs(root);
    if (!configs) throw new ConfigError(problems);
    if (file === undefined) return { config: configs };
    const found = Object.entries(configs).find(([name]) => name === file);
    if (!found) throw new EngineError('usage', `the file is one of ${Object.keys(configs).join(', ')}`);
    return { config: found[1] };
  },
  text: ({ config }) => JSON.stringify(config, null, 2),
});

const schema = defineCommand({
  name: 'config schema',
  summary: 'The JSON Schema of a file, by which an editor completes and checks it',
  arguments: [['<file>', NAMES.join(', ')]],
  async run(_context, { args: [file] }) {
    if (!isName(file)) throw new EngineError('usage', `the file is one of ${NAMES.join(', ')}`);
    return { file: SETTINGS_FILES[file].file, schema: settingsSchema(file) };
  },
  text: ({ schema: found }) => JSON.stringify(found, null, 2),
});

const set = defineCommand({
  name: 'config set',
  summary: 'Change one setting; all others stay, and what would be wrong is not written',
  arguments: [
    ['<file>', `${NAMES.filter((name) => name !== 'persona').join(', ')}, or persona/<id>`],
    ['<key>', 'with dots; entries of lists by their names; a key that has a dot itself as a JSON list'],
    ['[value]', 'JSON, else a text'],
  ],
  options: { unset: { flags: '--unset', about: 'take it out, so that its default is in force' } },
  examples: [
    ['config set gateway mailboxes.main.imap.port 993', 'the mailbox main, wherever it stands'],
    ['config set security approvals.ttl_hours --unset', 'the default again'],
    ['config set inference \'["prices","openai/gpt-4.1"]\' \'{"input":2,"output":8}\'', 'a key with a dot in it'],
  ],
  async run({ root, settings }, { args: [name, key, value], options: { unset = false } }) {
    if ((value === undefined) !== unset) throw new EngineError('usage', 'say what it is to be, or --unset');
    const setting = {
      file: fileNamed(root, name),
      path: pathOf(key),
      to: value === undefined ? undefined : jsonIn(value),
    };
    const change = planChange(root, { settings: [setting] }, crashPointsOf(settings));
    change.write();
    return { changes: change.changes.map((one) => ({ ...one, key: keyOf(one) })) };
  },
  json: ({ changes }) => ({
    changes: changes.map(({ file, key, from, to }) => ({ file, key, from: from ?? null, to: to ?? null })),
  }),
  text: ({ changes }, { columns = 100 }) =>
    changes.length === 0
      ? 'It is so already.'
      : [...changesShown(changes, columns), 'A running gateway takes it up within two seconds.'].join('\n'),
});

/** Throws `usage` for what is no file, `not_found` for a persona that there is not. */
function fileNamed(root: string, name: string): string {
  const [, id] = /^persona\/(.+)$/.exec(name) ?? [];
  if (id === undefined && isName(name) && name !== 'persona') return SETTINGS_FILES[name].file;
  if (id === undefined || !PERSONA_ID.test(id)) {
    throw new EngineError(
      'usage',
      `the file is one of ${NAMES.filter((one) => one !== 'persona').join(', ')}, or persona/<id>`,
    );
  }
  const file = personaFileOf(id);
  if (!existsSync(join(root, file)))
    throw new EngineError('not_found', `there is no persona ${id}; see \`epistle persona list\``);
  return file;
}

/** Pure. Throws `usage`. */
function pathOf(key: string): readonly (string | number)[] {
  const listed = key.startsWith('[') ? readJson(z.array(z.union([z.string(), z.int()])).min(1), key) : key.split('.');
  if (listed === undefined || listed.includes('')) throw new EngineError('usage', `${JSON.stringify(key)} is no key`);
  return listed;
}

/** Pure. Whatever is no JSON is a text, so that nobody has to quote twice. */
const jsonIn = (text: string): Json => readJson(anyJson, text) ?? (text === 'null' ? null : text);

export const config: Group = {
  name: 'config',
  summary: 'Settings in force, and what they may be',
  commands: [show, set, schema],
};
